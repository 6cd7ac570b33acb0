//! `new` and its neighbours as a whole process: what is written, what is said, and what is left alone.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-opgen"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("GIT_DIR")
        .env_remove("CARGO_TERM_COLOR")
        .output()
        .unwrap()
}

fn done(folder: &Path, arguments: &[&str]) -> Output {
    let output = run(folder, arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn cargo_passes_its_own_name() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["opgen", "new", "a", "-y", "-q"]);
    done(folder.path(), &["new", "b", "-y", "-q"]);
    assert_eq!(
        names(&folder.path().join("a")),
        names(&folder.path().join("b"))
    );
}

#[test]
fn names_and_defaults_follow_the_name() {
    let folder = tempfile::tempdir().unwrap();
    done(
        folder.path(),
        &[
            "new",
            "deep/down/message-queue-operator",
            "-y",
            "--published",
        ],
    );
    let project = folder.path().join("deep/down/message-queue-operator");
    let settings = fs::read_to_string(project.join("opgen.toml")).unwrap();
    for line in [
        "name = \"message-queue-operator\"",
        "kind = \"MessageQueue\"",
        "group = \"message-queue.example.com\"",
        "version = \"v1alpha1\"",
        "plural = \"messagequeues\"",
        "scope = \"Namespaced\"",
        "external = \"http\"",
        "source = \"registry\"",
    ] {
        assert!(settings.contains(line), "{line}:\n{settings}");
    }
    assert!(
        project
            .join("src/controllers/message_queue/phase.rs")
            .is_file()
    );
    assert!(project.join(".opgen/base/src/lib.rs.base").is_file());
    assert_eq!(
        names(&folder.path().join("deep/down")),
        ["message-queue-operator"]
    );
}

#[test]
fn a_dry_run_writes_nothing_and_lists_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = done(folder.path(), &["new", "x", "-y", "--dry-run"]);
    assert!(names(folder.path()).is_empty());
    let listed = String::from_utf8(output.stdout).unwrap();
    for file in [
        "Cargo.toml",
        "opgen.toml",
        "src/controllers/x/handlers.rs",
        "tests/incidents.rs",
    ] {
        assert!(listed.contains(file), "{file}:\n{listed}");
    }
}

#[test]
fn a_repository_is_made_outside_of_one_only() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["new", "x", "-y", "-q"]);
    assert!(folder.path().join("x/.git").is_dir());
    done(folder.path(), &["new", "x/y", "-y", "-q"]);
    assert!(!folder.path().join("x/y/.git").exists());
    done(folder.path(), &["new", "z", "-y", "-q", "--vcs", "none"]);
    assert!(!folder.path().join("z/.git").exists());
}

#[test]
fn settings_alone_are_an_order() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("x");
    fs::create_dir(&project).unwrap();
    fs::write(
        project.join("opgen.toml"),
        "name = \"shop-operator\"\n[[kind]]\nkind = \"Shop\"\n",
    )
    .unwrap();
    done(&project, &["new", ".", "-y", "-q", "--published"]);
    let settings = fs::read_to_string(project.join("opgen.toml")).unwrap();
    assert!(
        settings.contains("kind = \"Shop\"") && settings.contains("group = \"shop.example.com\""),
        "{settings}"
    );
    assert!(project.join("src/controllers/shop/mod.rs").is_file());
}

/// A shell that stands in the folder must not find itself in one that was replaced.
#[cfg(unix)]
#[test]
fn the_folder_one_stands_in_stays_the_same() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("x");
    fs::create_dir(&project).unwrap();
    let before = fs::metadata(&project).unwrap().ino();
    done(&project, &["new", ".", "-y", "-q"]);
    assert_eq!(fs::metadata(&project).unwrap().ino(), before);
    assert!(project.join("src/main.rs").is_file() && project.join(".git").is_dir());
    assert!(
        names(&project)
            .iter()
            .all(|name| !name.starts_with(".opgen-"))
    );
}

#[test]
fn an_empty_folder_is_filled() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("x")).unwrap();
    done(folder.path(), &["new", "x", "-y", "-q"]);
    assert!(folder.path().join("x/Cargo.toml").is_file());
    assert_eq!(names(folder.path()), ["x"]);
}

#[cfg(unix)]
#[test]
fn a_project_is_as_open_as_any_new_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["new", "x", "-y", "-q"]);
    fs::create_dir(folder.path().join("other")).unwrap();
    let mode = |name: &str| {
        fs::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("x"), mode("other"));
}

#[test]
fn machines_get_one_object() {
    let folder = tempfile::tempdir().unwrap();
    let output = done(
        folder.path(),
        &["new", "x", "--format", "json", "--published"],
    );
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["status"], "ok");
    assert_eq!(result["created"], result["files"].as_array().unwrap().len());
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn quiet_is_quiet_and_colour_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let output = done(folder.path(), &["new", "x", "-y", "-q"]);
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    let output = done(folder.path(), &["new", "y", "-y", "--color", "always"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("\u{1b}[1;32m"));
    let output = done(folder.path(), &["new", "z", "-y"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains('\u{1b}'));
}

#[test]
fn a_workspace_around_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("Cargo.toml");
    fs::write(&manifest, "[workspace]\nmembers = [\"crates/*\"]\n").unwrap();
    let output = done(folder.path(), &["new", "x", "-y"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("add \"x\" to its `members`"));
    let output = done(folder.path(), &["new", "crates/y", "-y"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("members"));
}

#[test]
fn a_crd_is_adopted_with_its_additions_listed() {
    let folder = tempfile::tempdir().unwrap();
    let crd = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crd/facts.yaml");
    let output = done(
        folder.path(),
        &["new", "x", "-y", "--from-crd", crd.to_str().unwrap()],
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("Added to the CRD"), "{said}");
    let project = folder.path().join("x");
    let original = fs::read_to_string(&crd).unwrap();
    assert_eq!(
        fs::read_to_string(project.join("crds/gadgets.yaml"))
            .unwrap()
            .trim_end(),
        original.trim_end()
    );
    let settings = fs::read_to_string(project.join("opgen.toml")).unwrap();
    assert!(
        settings.contains("from-crd = \"crds/gadgets.yaml\""),
        "{settings}"
    );
    // The project's own settings and file lead to the same project.
    done(
        folder.path(),
        &["new", "z", "-y", "-q", "--config", "x/opgen.toml"],
    );
    for file in ["src/api/gadget.rs", "deploy/gadgets.crd.yaml", "opgen.toml"] {
        assert_eq!(
            fs::read(project.join(file)).unwrap(),
            fs::read(folder.path().join("z").join(file)).unwrap(),
            "{file}"
        );
    }
}

#[test]
fn the_crates_are_copied() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["new", "x", "-y", "-q", "--vendor"]);
    let project = folder.path().join("x");
    let manifest = fs::read_to_string(project.join("Cargo.toml")).unwrap();
    assert!(
        manifest.contains("path = \"vendor/opgen/runtime\""),
        "{manifest}"
    );
    assert!(project.join("vendor/opgen/macros/src/lib.rs").is_file());
    assert!(!project.join(".opgen/base/vendor").exists());
}

#[test]
fn graphs_come_from_the_source() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["new", "x", "-y", "-q"]);
    for (language, part) in [
        ("mermaid", "flowchart"),
        ("dot", "digraph"),
        ("svg", "<svg"),
    ] {
        let output = done(folder.path(), &["graph", "x", "--as", language]);
        let picture = String::from_utf8(output.stdout).unwrap();
        assert!(
            picture.contains(part) && picture.contains("Provisioning"),
            "{picture}"
        );
    }
    let phase = folder.path().join("x/src/controllers/x/phase.rs");
    let broken = fs::read_to_string(&phase)
        .unwrap()
        .replace("to(Provisioning)", "to(Provisionign)");
    fs::write(&phase, broken).unwrap();
    let output = run(folder.path(), &["graph", "x"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("phase.rs:13") && said.contains("Provisionign"),
        "{said}"
    );
    assert_eq!(
        run(&folder.path().join("x/deploy"), &["graph"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn completions_know_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let output = done(folder.path(), &["completions", shell]);
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(
            script.contains("demo") && script.contains("from-crd"),
            "{shell}"
        );
    }
}

#[test]
fn help_shows_examples_and_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let help =
        |arguments: &[&str]| String::from_utf8(done(folder.path(), arguments).stdout).unwrap();
    assert!(help(&["--help"]).contains("Exit codes:"));
    assert!(help(&["new", "--help"]).contains("Examples:"));
    assert!(help(&["demo", "--help"]).contains("Examples:"));
}
