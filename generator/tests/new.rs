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
fn a_workspace_around_it_is_joined() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("Cargo.toml");
    let text =
        "[workspace]\n# ours\nmembers = [\"crates/*\"]\nexclude = [\"away\", \"crates/odd\"]\n";
    fs::write(&manifest, text).unwrap();
    let said =
        |arguments: &[&str]| String::from_utf8(done(folder.path(), arguments).stderr).unwrap();
    // A pattern covers it, or it is left out: the manifest stays.
    assert!(said(&["new", "crates/y", "-y"]).contains("is a member of the workspace"));
    assert!(said(&["new", "away/z", "-y"]).contains("excludes the project"));
    // Of a pattern and an exclusion the exclusion counts.
    assert!(said(&["new", "crates/odd", "-y"]).contains("excludes the project"));
    assert!(said(&["new", "w", "-y", "--dry-run"]).contains("would add \"w\" to `members`"));
    assert_eq!(fs::read_to_string(&manifest).unwrap(), text);
    assert!(said(&["new", "x", "-y"]).contains("added \"x\" to `members`"));
    let joined = text.replace("[\"crates/*\"]", "[\"crates/*\", \"x\"]");
    assert_eq!(fs::read_to_string(&manifest).unwrap(), joined);
    assert_eq!(names(folder.path()), ["Cargo.toml", "away", "crates", "x"]);
    // Cargo is content, too.
    let cargo = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(folder.path().join("x"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&cargo.stdout).unwrap();
    assert_eq!(metadata["workspace_members"].as_array().unwrap().len(), 2);
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
    let by_path = done(folder.path(), &["graph", "x"]).stdout;
    for (here, manifest) in [
        (folder.path().to_path_buf(), "x/Cargo.toml"),
        (folder.path().join("x"), "Cargo.toml"),
    ] {
        let named = done(&here, &["graph", "--manifest-path", manifest]);
        assert_eq!(named.stdout, by_path, "{manifest}");
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

const COMMANDS: [&str; 7] = ["new", "init", "demo", "dev", "graph", "completions", "man"];

#[test]
fn help_shows_examples_and_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let help =
        |arguments: &[&str]| String::from_utf8(done(folder.path(), arguments).stdout).unwrap();
    assert!(help(&["--help"]).contains("Exit codes:"));
    for command in COMMANDS {
        let help = help(&[command, "--help"]);
        let example = format!("Examples:\n  cargo opgen {command}");
        assert!(help.contains(&example), "{help}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let page =
        |arguments: &[&str]| String::from_utf8(done(folder.path(), arguments).stdout).unwrap();
    let all = page(&["man"]);
    assert!(
        all.contains(".TH cargo-opgen") && all.contains("Exit codes"),
        "{all}"
    );
    for command in COMMANDS {
        let page = page(&["man", command]);
        assert!(
            page.contains(&format!(".TH cargo-opgen-{command}")),
            "{page}"
        );
    }
    // Whatever works on a project that exists takes its manifest, as cargo does.
    for command in ["init", "dev", "graph"] {
        assert!(
            page(&["man", command]).contains("manifest\\-path"),
            "{command}"
        );
    }
}

/// A crate that exists: what is added, what is kept, what is printed.
#[test]
fn a_crate_becomes_an_operator() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("shop-operator");
    fs::create_dir_all(package.join("src")).unwrap();
    let manifest = "[package]\nname = \"shop-operator\"\nversion = \"1.2.3\"\nedition = \"2024\"\n\n[dependencies]\nserde = \"1\" # ours\n";
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    fs::write(package.join("src/main.rs"), "fn main() {}\n").unwrap();
    fs::write(package.join("README.md"), "ours\n").unwrap();
    let before = names(&package);

    done(&package, &["init", "--dry-run", "-y"]);
    assert_eq!(names(&package), before);

    let output = done(
        &package,
        &["init", "-y", "--published", "--external", "none"],
    );
    let said = String::from_utf8(output.stderr).unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("Kept your own README.md"), "{said}");
    assert!(
        said.contains(
            "your dependency `serde` stays as it is; the operator needs the features derive"
        ),
        "{said}"
    );
    assert!(
        said.contains("Add to src/main.rs")
            && lines.contains("    opgen_runtime::cli::main(operator()"),
        "{said}{lines}"
    );
    assert_eq!(
        fs::read_to_string(package.join("src/main.rs")).unwrap(),
        "fn main() {}\n"
    );
    assert_eq!(
        fs::read_to_string(package.join("README.md")).unwrap(),
        "ours\n"
    );
    let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    assert!(
        manifest.contains("version = \"1.2.3\"") && manifest.contains("serde = \"1\" # ours"),
        "{manifest}"
    );
    assert!(
        manifest.contains("opgen-runtime = {")
            && manifest.contains("[dev-dependencies]\nopgen-testkit"),
        "{manifest}"
    );
    assert!(package.join("src/controllers/shop/phase.rs").is_file());
    assert!(package.join("src/lib.rs").is_file() && package.join("opgen.toml").is_file());

    // Once more, from elsewhere: nothing is left to add.
    let manifest_path = "shop-operator/Cargo.toml";
    let again = done(
        folder.path(),
        &[
            "init",
            "--manifest-path",
            manifest_path,
            "-y",
            "--published",
            "--format",
            "json",
        ],
    );
    let result: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(result["created"], serde_json::json!([]));
    assert_eq!(result["dependencies"], serde_json::json!([]));
    assert_eq!(
        fs::read_to_string(package.join("Cargo.toml")).unwrap(),
        manifest
    );
}
