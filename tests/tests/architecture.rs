//! The arrows between the crates, and what must stand nowhere in them.
#![allow(clippy::unwrap_used)]

use std::{collections::BTreeSet, path::Path};

/// The workspace crates that `folder` depends on, dev-dependencies apart.
fn depends_on(folder: &str) -> BTreeSet<String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder)
        .join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let mut section = String::new();
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned();
        } else if section == "dependencies" && line.starts_with("opgen-") {
            let name = line.split(['.', ' ', '=']).next().unwrap();
            found.insert(name.to_owned());
        }
    }
    found
}

#[track_caller]
fn allows(folder: &str, allowed: &[&str]) {
    let found = depends_on(folder);
    let allowed: BTreeSet<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
    assert!(
        found.is_subset(&allowed),
        "{folder} may depend on {allowed:?}, but depends on {found:?}"
    );
}

#[test]
fn the_arrows_hold() {
    allows("phase-model", &[]);
    allows("templates", &[]);
    allows("apiserver", &[]);
    allows("macros", &["opgen-phase-model"]);
    allows("runtime", &["opgen-macros"]);
    allows("testkit", &["opgen-apiserver", "opgen-runtime"]);
    allows(
        "generator",
        &["opgen-templates", "opgen-apiserver", "opgen-phase-model"],
    );
    assert_eq!(
        depends_on("generator").len(),
        3,
        "the reader of manifests reads nothing"
    );
}

fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((
                path.display().to_string(),
                std::fs::read_to_string(&path).unwrap(),
            ));
        }
    }
}

/// Files below `folder` that contain `needle`, by their last component.
fn files_with(folder: &str, needle: &str) -> BTreeSet<String> {
    let mut found = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(folder),
        &mut found,
    );
    assert!(!found.is_empty());
    found
        .into_iter()
        .filter(|(_, text)| text.contains(needle))
        .map(|(path, _)| {
            Path::new(&path)
                .file_name()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn one_place_per_thing() {
    assert_eq!(
        files_with("runtime/src", "Timestamp::now()"),
        set(&["clock.rs"])
    );
    assert_eq!(files_with("generator/src", "tera::"), set(&["render.rs"]));
    assert!(files_with("runtime/src", ".replace_status(").is_empty());
    assert!(files_with("runtime/src", "thread::sleep").is_empty());
}
