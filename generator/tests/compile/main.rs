//! What is rendered builds without a warning and passes its own tests.
//!
//! All projects are members of one workspace, `opgen-compile/projects` in this workspace's target folder, so that what
//! they depend on is built once, each project is checked by one clippy and built by one `cargo test`. Takes minutes when
//! cold.
//!
//! `OPGEN_MATRIX=3,7,facts-operator` picks projects by number or name while one works on a template.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod pairs;
mod pipeline;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
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
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{command:?}:\n{said}");
    String::from_utf8(output.stdout).unwrap()
}

fn cargo(folder: &Path, arguments: &[&str]) -> String {
    run(Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", place())
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS"))
}

/// A workspace of projects, with the checkout's lock file so that nothing is resolved anew.
struct Projects {
    folder: PathBuf,
    names: Vec<String>,
}

impl Projects {
    fn new(folder: &str) -> Self {
        let folder = place().join(folder);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self {
            folder,
            names: Vec::new(),
        }
    }

    fn make(&mut self, name: &str, arguments: &[&str]) {
        run(Command::new(env!("CARGO_BIN_EXE_cargo-opgen"))
            .args(["new", name, "-y", "-q", "--vcs", "none"])
            .args(arguments)
            .current_dir(&self.folder));
        self.names.push(name.to_owned());
    }

    fn make_from(&mut self, name: &str, settings: &str) {
        let file = self.folder.join(format!("{name}.toml"));
        fs::write(&file, settings).unwrap();
        self.make(name, &["--config", file.to_str().unwrap()]);
    }

    /// Nothing to format, no warning, and every test of every project passes.
    fn hold(&self) {
        let members: Vec<String> = self
            .names
            .iter()
            .map(|name| format!("\"{name}\""))
            .collect();
        let manifest = format!(
            "[workspace]\nresolver = \"3\"\nmembers = [{}]\n[profile.dev]\ndebug = 0\n{}",
            members.join(", "),
            optimised()
        );
        fs::write(self.folder.join("Cargo.toml"), manifest).unwrap();
        fs::copy(
            checkout().join("Cargo.lock"),
            self.folder.join("Cargo.lock"),
        )
        .unwrap();
        // Not `--all`, which would look at the checkout, too.
        let mut format = vec!["fmt", "--check"];
        for name in &self.names {
            format.extend(["-p", name]);
        }
        cargo(&self.folder, &format);
        let clippy = [
            "clippy",
            "--workspace",
            "--all-targets",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ];
        cargo(&self.folder, &clippy);
        // Unit tests there are none, and clippy has looked at their targets.
        let tests = [
            "test",
            "--workspace",
            "--test",
            "incidents",
            "--quiet",
            "--no-fail-fast",
        ];
        cargo(&self.folder, &tests);
    }

    /// A command of a project's operator, which is built by then.
    fn operator(name: &str, argument: &str) -> Command {
        let mut command = Command::new(place().join("debug").join(name));
        command.arg(argument);
        command
    }

    /// An operator whose log nobody reads ends as it would otherwise: here by finding no cluster.
    fn outlives_its_log(name: &str) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Self::operator(name, "run");
        let command = command.args(["--log-level", "trace"]).stderr(writer);
        let ended = command.env("KUBECONFIG", "/nowhere/config").status();
        assert_eq!(ended.unwrap().code(), Some(1));
    }

    /// What `manifests` of a project prints.
    fn manifests(&self, name: &str) -> Vec<Value> {
        let manifests = || Self::operator(name, "manifests");
        // `manifests | head`: nobody reads on, which is no failure.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        run(manifests().stdout(writer));
        serde_saphyr::from_multiple(&run(&mut manifests())).unwrap()
    }
}

/// What every test of every project spends its time in is built a little better: that takes seconds and saves minutes.
fn optimised() -> String {
    [
        "opgen-apiserver",
        "opgen-runtime",
        "opgen-testkit",
        "serde_core",
        "serde_json",
        "tokio",
    ]
    .map(|package| format!("[profile.dev.package.{package}]\nopt-level = 1\n"))
    .concat()
}

/// What `OPGEN_MATRIX` names, if it is set.
fn picked() -> Option<String> {
    std::env::var("OPGEN_MATRIX").ok()
}

fn is_picked(project: &str) -> bool {
    picked().is_none_or(|picked| picked.split(',').any(|one| one == project))
}

/// Projects with a mind of their own: names that are keywords, the smallest graph, a scope, a lone relation.
const OTHERS: &[(&str, &[&str])] = &[
    (
        "keyword_operator",
        &[
            "--kind",
            "Match",
            "--phases",
            "Match0>Ready,Ready:steady>Match0",
        ],
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
    (
        "only-owning-operator",
        &[
            "--kind",
            "Child",
            "--phases",
            "Only:steady",
            "--owns",
            "Deployment,v1/Secret",
            "--watches",
            "Secret",
        ],
    ),
    (
        "tenant-operator",
        &[
            "--kind",
            "Tenant",
            "--scope",
            "cluster",
            "--owns",
            "Namespace,ClusterRole,PriorityClass,ServiceAccount,example.net/v1/Zone:cluster",
        ],
    ),
];

/// Every pair of options, a few projects with a mind of their own, and two CRDs that exist already.
#[test]
fn every_pair_of_options_builds_and_passes_its_tests() {
    let cases = pairs::cover();
    assert_eq!(pairs::covered(&cases), pairs::every_pair());
    assert!(cases.len() >= 21, "{} cases", cases.len());
    let mut projects = Projects::new("projects");
    for (number, case) in cases.iter().enumerate() {
        let name = pairs::name(case, number);
        eprintln!("{name}: {}", pairs::words(case));
        if is_picked(&number.to_string()) || is_picked(&name) {
            projects.make_from(&name, &pairs::settings(case, &name));
        }
    }
    for (name, arguments) in OTHERS {
        if is_picked(name) {
            projects.make(name, arguments);
        }
    }
    let adopted = adopt(&mut projects);
    let least = if picked().is_some() { 1 } else { 24 };
    assert!(projects.names.len() >= least, "{:?}", projects.names);
    projects.hold();
    for name in &projects.names {
        let kinds: Vec<String> = projects
            .manifests(name)
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
    if let Some(name) = projects.names.first() {
        Projects::outlives_its_log(name);
    }
    for (name, file) in &adopted {
        comes_back(&projects, name, file);
    }
}

/// Projects of our own CRD, and of another project's where it is; the latter owns something, too.
fn adopt(projects: &mut Projects) -> Vec<(&'static str, PathBuf)> {
    let shared = std::env::var_os("OPGEN_SHARED")
        .map_or_else(|| checkout().join("../shared"), PathBuf::from);
    let ours = checkout().join("generator/tests/crd/facts.yaml");
    let real = shared.join("crds/cert-manager-certificate.yaml");
    let owning = [
        "--owns",
        "Deployment,Service,ConfigMap",
        "--watches",
        "v1/Secret",
    ];
    let mut adopted = Vec::new();
    for (name, file, more) in [
        ("facts-operator", ours, &[][..]),
        ("cert-operator", real, &owning[..]),
    ] {
        if !is_picked(name) {
            continue;
        }
        if !file.exists() {
            // Past the capture of the test harness.
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED {}: set OPGEN_SHARED to the folder that holds crds/",
                file.display()
            );
            continue;
        }
        projects.make(
            name,
            &[&["--from-crd", file.to_str().unwrap()], more].concat(),
        );
        adopted.push((name, file));
    }
    adopted
}

/// The CRD that is printed is the owner's, plus what was said to be added, and nothing else.
fn comes_back(projects: &Projects, name: &str, file: &Path) {
    let original: Value = serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let printed = projects
        .manifests(name)
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
    let readme = fs::read_to_string(projects.folder.join(name).join("README.md")).unwrap();
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

/// Copies of the opgen crates, the oldest types of Kubernetes (some have other fields), and every kind that can be owned.
#[test]
fn copied_crates_and_old_types_build() {
    let mut projects = Projects::new("vendored");
    let owns = "Deployment,StatefulSet,ReplicaSet,DaemonSet,Job,CronJob,Pod,Service,ConfigMap,Secret,ServiceAccount,\
                PersistentVolumeClaim,Ingress,NetworkPolicy,PodDisruptionBudget,HorizontalPodAutoscaler,Role,RoleBinding,\
                Namespace,ClusterRole,PriorityClass,example.net/v1/Zone";
    projects.make(
        "vendored-operator",
        &[
            "--vendor",
            "--k8s-version",
            "1.33",
            "--scope",
            "cluster",
            "--owns",
            owns,
        ],
    );
    let project = projects.folder.join("vendored-operator");
    fs::copy(checkout().join("Cargo.lock"), project.join("Cargo.lock")).unwrap();
    cargo(&project, &["check", "--quiet", "--all-targets"]);
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
