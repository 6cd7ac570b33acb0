//! What is rendered builds without a warning and passes its own tests.
//!
//! Takes minutes when cold. All projects share one target folder, `opgen-compile` in the target folder of this
//! workspace, so the dependencies are built once.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Where the projects are made and built; the paths stay the same, so a second run builds little.
fn place() -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_cargo-opgen"));
    let target = binary.parent().and_then(Path::parent).unwrap();
    target.join("opgen-compile")
}

fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{command:?}:\n{said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Makes a project, with the checkout's lock file so that nothing is resolved anew.
fn make(name: &str, arguments: &[&str]) -> PathBuf {
    let projects = place().join("projects");
    let project = projects.join(name);
    let _ = fs::remove_dir_all(&project);
    fs::create_dir_all(&projects).unwrap();
    run(Command::new(env!("CARGO_BIN_EXE_cargo-opgen"))
        .args(["new", name, "-y", "-q", "--vcs", "none"])
        .args(arguments)
        .current_dir(&projects));
    fs::copy(checkout().join("Cargo.lock"), project.join("Cargo.lock")).unwrap();
    project
}

fn cargo(project: &Path, arguments: &[&str]) -> String {
    run(Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(project)
        .env("CARGO_TARGET_DIR", place())
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env_remove("RUSTFLAGS"))
}

fn holds(name: &str, arguments: &[&str]) -> PathBuf {
    let project = builds(name, arguments);
    cargo(&project, &["test", "--quiet"]);
    project
}

fn builds(name: &str, arguments: &[&str]) -> PathBuf {
    let project = make(name, arguments);
    cargo(&project, &["fmt", "--check"]);
    cargo(
        &project,
        &["clippy", "--quiet", "--all-targets", "--", "-D", "warnings"],
    );
    project
}

fn manifests(project: &Path) -> Vec<Value> {
    let text = cargo(project, &["run", "--quiet", "--", "manifests"]);
    serde_saphyr::from_multiple(&text).unwrap()
}

#[test]
fn every_shape_builds_and_passes_its_tests() {
    let graph = "A>B|C,B:deadline=90s:on_deadline=C>R|C,C:timeout=500ms>R|S,R:steady:resync=1h>A|B,S:steady>A,Broken:failed>A";
    let shapes: &[(&str, &[&str])] = &[
        (
            "http-operator",
            &[
                "--kind",
                "Database",
                "--group",
                "db.example.com",
                "--short",
                "db",
            ],
        ),
        (
            "custom-operator",
            &["--external", "custom", "--scope", "cluster"],
        ),
        ("plain-operator", &["--external", "none"]),
        (
            "brief-operator",
            &["--phases", "Pending>Ready,Ready:steady"],
        ),
        (
            "only-plain-operator",
            &[
                "--kind",
                "Thing",
                "--phases",
                "Only:steady",
                "--external",
                "none",
            ],
        ),
        ("graph-operator", &["--phases", graph]),
        (
            "graph-plain-operator",
            &["--phases", graph, "--external", "none"],
        ),
        (
            "keyword_operator",
            &[
                "--kind",
                "Match",
                "--phases",
                "Match0>Ready,Ready:steady>Match0",
            ],
        ),
    ];
    for (name, arguments) in shapes {
        let project = holds(name, arguments);
        let kinds: Vec<String> = manifests(&project)
            .iter()
            .map(|manifest| manifest["kind"].as_str().unwrap().to_owned())
            .collect();
        for kind in [
            "CustomResourceDefinition",
            "ServiceAccount",
            "ClusterRole",
            "ClusterRoleBinding",
        ] {
            assert!(
                kinds.iter().any(|found| found == kind),
                "{name} prints no {kind}: {kinds:?}"
            );
        }
    }
}

#[test]
fn copied_crates_build() {
    let project = make("vendored-operator", &["--vendor"]);
    cargo(&project, &["check", "--quiet", "--all-targets"]);
}

/// The CRD that is printed is the owner's, plus what was said to be added, and nothing else.
#[test]
fn an_adopted_crd_comes_back() {
    let shared = std::env::var_os("OPGEN_SHARED")
        .map_or_else(|| checkout().join("../shared"), PathBuf::from);
    let real = shared.join("crds/cert-manager-certificate.yaml");
    let ours = checkout().join("generator/tests/crd/facts.yaml");
    for (name, file) in [("facts-operator", ours), ("cert-operator", real)] {
        if !file.exists() {
            eprintln!(
                "SKIPPED {}: set OPGEN_SHARED to the folder that holds crds/",
                file.display()
            );
            continue;
        }
        let arguments = ["--from-crd", file.to_str().unwrap()];
        // The conditions of our own CRD are elsewhere than where the test kit looks, so its tests would wait for ever.
        let project = if name == "facts-operator" {
            builds(name, &arguments)
        } else {
            holds(name, &arguments)
        };
        let original: Value = serde_saphyr::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let printed = manifests(&project)
            .into_iter()
            .find(|manifest| manifest["kind"] == "CustomResourceDefinition")
            .unwrap();
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        leaves("", &original, &mut before);
        leaves("", &printed, &mut after);
        for (path, value) in &before {
            // Something was added to what was empty: the addition is looked at below.
            if *value == serde_json::json!({}) {
                continue;
            }
            assert_eq!(after.get(path), Some(value), "{name}: {path}");
        }
        let readme = fs::read_to_string(project.join("README.md")).unwrap();
        let listed: Vec<&str> = readme
            .lines()
            .filter_map(|line| line.strip_prefix("- `")?.split('`').next())
            .filter(|pointer| pointer.starts_with("/spec"))
            .collect();
        for path in after.keys().filter(|path| !before.contains_key(*path)) {
            assert!(
                listed.iter().any(|pointer| path.starts_with(pointer)),
                "{name}: {path} is not listed in {listed:?}"
            );
        }
    }
}

/// Every value that holds no other, by JSON pointer.
fn leaves(at: &str, value: &Value, found: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (key, value) in fields {
                let key = key.replace('~', "~0").replace('/', "~1");
                leaves(&format!("{at}/{key}"), value, found);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                leaves(&format!("{at}/{index}"), value, found);
            }
        }
        leaf => {
            found.insert(at.to_owned(), leaf.clone());
        }
    }
}
