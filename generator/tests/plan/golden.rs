//! What is rendered, held against trees that are committed: the golden ones, and the examples.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_opgen::cli::New;
use snapbox::{Assert, Data};

use crate::shapes::{flags, plan, several, text};
use crate::write;

fn golden(name: &str, flags: &New) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    is_tree(&folder, plan(flags).own_files());
}

/// Holds a folder against what was rendered, or writes it anew where `SNAPSHOTS=overwrite` asks for it.
fn is_tree<'a>(folder: &Path, rendered: impl Iterator<Item = (&'a Path, &'a [u8])>) {
    let rendered: Vec<_> = rendered.collect();
    if std::env::var("SNAPSHOTS").is_ok_and(|action| action == "overwrite") {
        let _ = fs::remove_dir_all(folder);
        write(rendered.iter().copied(), folder);
    }
    let expected: BTreeSet<PathBuf> = rendered
        .iter()
        .map(|(path, _)| path.to_path_buf())
        .collect();
    assert_eq!(
        files(folder),
        expected,
        "files of {}; SNAPSHOTS=overwrite writes the tree anew",
        folder.display()
    );
    for (path, bytes) in rendered {
        Assert::new().eq(
            Data::text(String::from_utf8(bytes.to_vec()).unwrap()),
            Data::read_from(&folder.join(path), None).raw(),
        );
    }
}

fn files(root: &Path) -> BTreeSet<PathBuf> {
    fn walk(folder: &Path, root: &Path, found: &mut BTreeSet<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                found.insert(path.strip_prefix(root).unwrap().to_path_buf());
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(root, root, &mut found);
    found
}

/// The committed example is the golden tree of the default shape: exactly as rendered, bases and all.
#[test]
fn the_example_is_a_fresh_render() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/database-operator");
    let plan = plan(&New {
        short: Some(vec!["db".to_owned()]),
        ..flags("database-operator")
    });
    is_tree(&folder, plan.files());
}

/// The same of the shape with children.
#[test]
fn the_web_example_is_a_fresh_render() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/web-operator");
    let plan = plan(&New {
        kind: text("Web"),
        group: text("web.example.com"),
        external: text("none"),
        owns: Some(vec!["Deployment".to_owned(), "Service".to_owned()]),
        ..flags("web-operator")
    });
    is_tree(&folder, plan.files());
}

#[test]
fn golden_both() {
    golden(
        "both",
        &New {
            owns: Some(vec![
                "Deployment".to_owned(),
                "Job".to_owned(),
                "cert-manager.io/v1/Certificate".to_owned(),
            ]),
            watches: Some(vec!["v1/Secret".to_owned()]),
            external: text("http"),
            ..flags("database-operator")
        },
    );
}

#[test]
fn golden_several() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/several");
    is_tree(&folder, several().own_files());
}

#[test]
fn golden_custom() {
    golden(
        "custom",
        &New {
            external: text("custom"),
            scope: text("cluster"),
            ..flags("database-operator")
        },
    );
}

#[test]
fn golden_none() {
    golden(
        "none",
        &New {
            external: text("none"),
            ..flags("database-operator")
        },
    );
}
