//! Formats rendered Rust with one run of `rustfmt`, under a fixed configuration.
//!
//! A process, not a library: the library that prints token trees drops comments.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{Failure, Problem, Result};

/// What every generated file is formatted with, whatever the user's own configuration says.
const CONFIG: &str =
    "edition = \"2024\"\nstyle_edition = \"2024\"\nmax_width = 100\nnewline_style = \"Unix\"\n";

/// Formats the Rust files among `files`; the others are left alone.
///
/// # Errors
/// If rustfmt is missing, or a file is no Rust.
pub(crate) fn format(files: &mut BTreeMap<PathBuf, Vec<u8>>) -> Result<()> {
    let rust: Vec<PathBuf> = files.keys().filter(|path| is_rust(path)).cloned().collect();
    if rust.is_empty() {
        return Ok(());
    }
    // rustfmt follows `mod` lines, so the files need their real neighbours, and so a folder.
    let folder = tempfile::Builder::new()
        .prefix("opgen-format-")
        .tempdir()
        .map_err(|error| Failure::io("making a temporary folder", &std::env::temp_dir(), &error))?;
    write(&folder.path().join("rustfmt.toml"), CONFIG.as_bytes())?;
    for path in &rust {
        write(&folder.path().join(path), &files[path])?;
    }
    run(folder.path(), &roots(&rust))?;
    for path in rust {
        let formatted = folder.path().join(&path);
        let bytes = std::fs::read(&formatted)
            .map_err(|error| Failure::io("reading a formatted file", &formatted, &error))?;
        files.insert(path, bytes);
    }
    Ok(())
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// The files from which all others are reached; formatting a module twice costs time.
fn roots(rust: &[PathBuf]) -> Vec<&PathBuf> {
    rust.iter()
        .filter(|path| {
            let parent = path.parent().unwrap_or(Path::new(""));
            parent == Path::new("tests")
                || (parent.parent() == Some(Path::new("tests")) && path.ends_with("main.rs"))
                || **path == Path::new("src/lib.rs")
                || **path == Path::new("src/main.rs")
        })
        .collect()
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    path.parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(path, bytes))
        .map_err(|error| Failure::io("writing a temporary file", path, &error))
}

fn run(folder: &Path, roots: &[&PathBuf]) -> Result<()> {
    let program = std::env::var_os("RUSTFMT").unwrap_or_else(|| OsString::from("rustfmt"));
    let output = Command::new(&program)
        .args(["--edition", "2024", "--quiet", "--config-path"])
        .arg(folder.join("rustfmt.toml"))
        .args(roots)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| missing(&program, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if said.contains("is not installed") || said.contains("is not applicable") {
        return Err(missing(&program, &io::Error::other(said)));
    }
    let place = folder.display().to_string();
    Err(Problem::new(format!(
        "rustfmt refused a rendered file: {}",
        said.replace(&format!("{place}/"), "")
            .lines()
            .take(12)
            .collect::<Vec<_>>()
            .join("\n")
    ))
    .mend("this is a fault of opgen or of a template overlay, not of your input")
    .environment())
}

fn missing(program: &OsString, error: &io::Error) -> Failure {
    Problem::new(format!("`{}` does not run: {error}", program.display()))
        .mend("install it with `rustup component add rustfmt`, or name it in the variable RUSTFMT")
        .environment()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_formatted_with_their_root() {
        let mut files = BTreeMap::from([
            (PathBuf::from("src/lib.rs"), b"mod   inner ;".to_vec()),
            (PathBuf::from("src/inner.rs"), b"fn  f( ) { }".to_vec()),
            (PathBuf::from("README.md"), b"mod   inner ;".to_vec()),
        ]);
        format(&mut files).expect("rustfmt is installed");
        assert_eq!(files[Path::new("src/lib.rs")], b"mod inner;\n");
        assert_eq!(files[Path::new("src/inner.rs")], b"fn f() {}\n");
        assert_eq!(files[Path::new("README.md")], b"mod   inner ;");
    }

    #[test]
    fn what_is_no_rust_is_an_error() {
        let mut files = BTreeMap::from([(PathBuf::from("src/lib.rs"), b"fn {".to_vec())]);
        let failure = format(&mut files).expect_err("no Rust");
        assert!(
            failure.problems[0].what.contains("rustfmt refused"),
            "{failure}"
        );
    }
}
