//! The plan: golden trees, purity, every shape, and the settings that lead back to it.
//!
//! `SNAPSHOTS=overwrite cargo test -p cargo-opgen --test plan` writes the golden trees anew.
#![allow(clippy::unwrap_used)]

mod golden;
mod settings;
mod shapes;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use shapes::{flags, plan, several, shapes};

fn write<'a>(rendered: impl Iterator<Item = (&'a Path, &'a [u8])>, folder: &Path) {
    for (path, bytes) in rendered {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Rendering is a function of the model: twice the same, sorted, and without a trace of this machine.
#[test]
fn a_plan_is_pure() {
    let (first, second) = (plan(&flags("x")), plan(&flags("x")));
    assert_eq!(first, second);
    let paths: Vec<&Path> = first.files().map(|(path, _)| path).collect();
    assert!(paths.is_sorted());
    let here = env!("CARGO_MANIFEST_DIR");
    let home = std::env::var("HOME").unwrap_or_else(|_| "/no/home".to_owned());
    for (path, bytes) in first.files() {
        let content = String::from_utf8_lossy(bytes);
        assert!(
            !content.contains(here),
            "{} names the checkout",
            path.display()
        );
        assert!(
            home.len() < 4 || !content.contains(&home),
            "{} names the home",
            path.display()
        );
    }
}

/// Every file has its base, and nothing else is in there.
#[test]
fn the_base_mirrors_the_project() {
    let plan = plan(&flags("x"));
    let all: BTreeSet<PathBuf> = plan.files().map(|(path, _)| path.to_path_buf()).collect();
    for (path, bytes) in plan.own_files() {
        let base = PathBuf::from(format!(".opgen/base/{}.base", path.display()));
        assert!(all.contains(&base), "{}", base.display());
        let (_, kept) = plan.files().find(|(other, _)| *other == base).unwrap();
        assert_eq!(kept, bytes);
    }
    assert_eq!(all.len(), 2 * plan.own_files().count());
}

/// Every shape renders: no undefined name in a template, Rust that parses, TOML that parses, text that ends well.
#[test]
fn every_shape_renders() {
    let plans = shapes()
        .into_iter()
        .map(|shape| (format!("{shape:?}"), plan(&shape)));
    for (shape, plan) in plans.chain([("several".to_owned(), several())]) {
        for (path, bytes) in plan.own_files() {
            let content = String::from_utf8(bytes.to_vec()).unwrap();
            let place = format!("{} of {shape}", path.display());
            assert!(
                content.ends_with('\n') && !content.ends_with("\n\n"),
                "end of {place}:\n{content}"
            );
            // An adopted CRD's own text is its owner's.
            let owned = path.starts_with("crds")
                || path.to_string_lossy().ends_with(".crd.yaml")
                || path.starts_with("src/api");
            if !owned {
                for line in content.lines() {
                    assert!(
                        !line.ends_with(' '),
                        "blank at the end of a line of {place}: {line:?}"
                    );
                }
                assert!(
                    !content.contains("\n\n\n"),
                    "two empty lines in {place}:\n{content}"
                );
            }
            for left in ["{=", "=}", "{%", "%}"] {
                assert!(
                    owned || !content.contains(left),
                    "{left} is left in {place}"
                );
            }
            if path
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                content
                    .parse::<toml_edit::DocumentMut>()
                    .unwrap_or_else(|error| panic!("{place}: {error}"));
            }
            if path
                .extension()
                .is_some_and(|extension| extension == "yaml")
            {
                serde_saphyr::from_multiple::<serde_json::Value>(&content)
                    .unwrap_or_else(|error| panic!("{place}: {error}"));
            }
        }
    }
}

/// What `--phases` accepts, the derive accepts: both are asked.
#[test]
fn the_derive_accepts_every_machine() {
    for shape in shapes() {
        let plan = plan(&shape);
        let (path, bytes) = plan
            .own_files()
            .find(|(path, _)| path.ends_with("phase.rs"))
            .unwrap();
        let file = syn::parse_file(std::str::from_utf8(bytes).unwrap()).unwrap();
        let machines = opgen_phase_model::Machine::find_in_file(&file)
            .unwrap_or_else(|errors| panic!("{} of {shape:?}: {errors:?}", path.display()));
        assert_eq!(machines.len(), 1);
    }
}

/// The rendered project's own `rustfmt.toml` finds nothing to change.
#[test]
fn a_rendered_project_is_formatted() {
    let folder = tempfile::tempdir().unwrap();
    write(plan(&flags("x")).own_files(), folder.path());
    let output = Command::new("rustfmt")
        .args([
            "--check",
            "--edition",
            "2024",
            "src/main.rs",
            "src/lib.rs",
            "tests/incidents.rs",
        ])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}
