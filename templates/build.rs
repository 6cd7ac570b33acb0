//! Writes the table of embedded templates: one line for each `.tera` file below `layers/`.
//!
//! A table made here, and not `include_dir!`, because the paths must stay inside the package and because every file
//! has to be checked for the one mistake that packaging makes silently: a literal `Cargo.toml` in a folder makes cargo
//! leave that folder out of the package.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(
        env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| missing("CARGO_MANIFEST_DIR"))?,
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| missing("OUT_DIR"))?);
    let layers = root.join("layers");
    println!("cargo::rerun-if-changed=layers");

    let mut files = Vec::new();
    walk(&layers, &mut files)?;
    files.sort();

    let mut table = String::from("&[\n");
    for file in &files {
        let inside = file.strip_prefix(&layers).map_err(io::Error::other)?;
        let inside = inside.to_string_lossy().replace('\\', "/");
        let Some((layer, path)) = inside.split_once('/') else {
            return Err(io::Error::other(format!(
                "{inside}: a template lies in a layer's folder"
            )));
        };
        let Some(path) = path.strip_suffix(".tera") else {
            return Err(io::Error::other(format!(
                "{inside}: a template's name ends in `.tera`"
            )));
        };
        writeln!(
            table,
            "    Template {{ layer: {layer:?}, path: {path:?}, text: include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?})) }},",
            format!("/layers/{inside}")
        )
        .map_err(io::Error::other)?;
    }
    table.push_str("]\n");
    fs::write(out.join("table.rs"), table)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn missing(name: &str) -> io::Error {
    io::Error::other(format!("cargo did not set {name}"))
}
