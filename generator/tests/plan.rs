//! The plan: golden trees, purity, every shape, and the settings that lead back to it.
//!
//! `SNAPSHOTS=overwrite cargo test -p cargo-opgen --test plan` writes the golden trees anew.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_opgen::answers::{Answers, Nobody};
use cargo_opgen::assemble;
use cargo_opgen::cli::New;
use cargo_opgen::model::Operator;
use cargo_opgen::plan::Plan;
use cargo_opgen::settings::{self, Settings};
use snapbox::{Assert, Data};

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

fn flags(name: &str) -> New {
    New {
        path: name.into(),
        kind: text("Database"),
        group: text("db.example.com"),
        published: true,
        yes: true,
        ..New::default()
    }
}

fn operator(flags: &New) -> Operator {
    let answers = Answers::collect(flags, None, &mut Nobody).unwrap();
    assemble::operator(&answers).unwrap_or_else(|failure| panic!("{failure}"))
}

fn plan(flags: &New) -> Plan {
    Plan::render(&operator(flags), Vec::new()).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Every choice that changes what is rendered.
fn shapes() -> Vec<New> {
    let mut shapes = Vec::new();
    let machines = [
        None,
        text("Only:steady"),
        text(
            "A>B|C,B:deadline=90s:on_deadline=C>R|C,C:timeout=500ms>R|S,R:steady:resync=1h>A|B,S:steady>A,Broken:failed>A",
        ),
        text("Match>Ready,Ready:steady"),
    ];
    for external in ["http", "custom", "none"] {
        for scope in ["namespaced", "cluster"] {
            for phases in &machines {
                // Nothing can be steady before something outside is made.
                if external != "none" && *phases == text("Only:steady") {
                    continue;
                }
                shapes.push(New {
                    external: text(external),
                    scope: text(scope),
                    phases: phases.clone(),
                    short: Some(vec!["db".to_owned(), "dbs".to_owned()]),
                    ..flags("database-operator")
                });
            }
        }
    }
    for file in crds() {
        shapes.push(New {
            kind: None,
            group: None,
            from_crd: Some(file),
            ..flags("adopted_operator")
        });
    }
    shapes.push(New {
        kind: text("Type"),
        ..flags("my_type")
    });
    shapes.extend(related());
    shapes
}

/// Children and dependencies: every built-in kind that can be owned, and others' kinds.
fn related() -> Vec<New> {
    let namespaced = "Deployment,StatefulSet,ReplicaSet,DaemonSet,Job,CronJob,Pod,Service,ConfigMap,Secret,\
                      ServiceAccount,PersistentVolumeClaim,Ingress,NetworkPolicy,PodDisruptionBudget,\
                      HorizontalPodAutoscaler,Role,RoleBinding";
    let cluster = "Namespace,ClusterRole,PriorityClass,Deployment,example.net/v1/Zone:cluster";
    let rows = [
        (namespaced, "", "namespaced", "none"),
        (namespaced, "v1/Secret,v1/ConfigMap", "namespaced", "http"),
        (
            cluster,
            "v1/Node,v1/Secret,example.net/v1/Type:plural=types",
            "cluster",
            "none",
        ),
        ("ConfigMap", "ConfigMap", "namespaced", "custom"),
        ("Job", "", "namespaced", "none"),
        ("example.net/v1/Template", "", "namespaced", "none"),
        ("", "apps/v1/Deployment", "cluster", "none"),
    ];
    let list = |kinds: &str| {
        let kinds: Vec<String> = kinds
            .split(',')
            .map(|kind| kind.trim().to_owned())
            .collect();
        Some(kinds).filter(|kinds| !kinds[0].is_empty())
    };
    let mut shapes = Vec::new();
    for (owns, watches, scope, external) in rows {
        for phases in [
            None,
            text("Only:steady"),
            text("A>B,B:steady"),
            text("A>B,B>C,C:steady>B"),
        ] {
            if external != "none" && phases == text("Only:steady") {
                continue;
            }
            shapes.push(New {
                owns: list(owns),
                watches: list(watches),
                scope: text(scope),
                external: text(external),
                phases,
                ..flags("related-operator")
            });
        }
    }
    let certificate = crds()
        .into_iter()
        .find(|file| file.ends_with("facts.yaml"))
        .unwrap();
    shapes.push(New {
        kind: None,
        group: None,
        from_crd: Some(certificate),
        owns: list(namespaced),
        watches: list("v1/Secret,example.net/v1/Zone"),
        ..flags("adopted_owner")
    });
    shapes
}

/// Two kinds with a provider each, one of which owns something, and one without.
const SEVERAL: &str = r#"name = "shop-operator"

[opgen]
source = "registry"

[[kind]]
kind = "Shop"
group = "shop.example.com"
external = "http"
owns = ["ConfigMap"]

[[kind]]
kind = "Till"
group = "shop.example.com"
external = "custom"

[[kind]]
kind = "Sign"
group = "shop.example.com"
external = "none"
owns = ["Deployment", "Service"]
watches = ["v1/Secret"]
"#;

fn several() -> Plan {
    let read = Settings::parse(Path::new("opgen.toml"), SEVERAL.to_owned()).unwrap();
    let flags = New {
        path: "elsewhere".into(),
        yes: true,
        ..New::default()
    };
    let answers = Answers::collect(&flags, Some(&read), &mut Nobody).unwrap();
    let operator = assemble::operator(&answers).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(operator.resources.len(), 3);
    let written = settings::write(&operator);
    let again = Settings::parse(Path::new("opgen.toml"), written.clone()).unwrap();
    let again = Answers::collect(&flags, Some(&again), &mut Nobody).unwrap();
    assert_eq!(
        settings::write(&assemble::operator(&again).unwrap()),
        written
    );
    Plan::render(&operator, Vec::new()).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Our own CRD always, other projects' where they are (see `OPGEN_SHARED` in tests/crd/corpus.rs).
fn crds() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared =
        std::env::var_os("OPGEN_SHARED").map_or_else(|| here.join("../../shared"), PathBuf::from);
    let mut files: Vec<PathBuf> = [here.join("tests/crd"), shared.join("crds")]
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "yaml")
        })
        .collect();
    files.sort();
    files
}

fn golden(name: &str, flags: &New) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    is_tree(&folder, plan(flags).own_files());
}

fn write<'a>(rendered: impl Iterator<Item = (&'a Path, &'a [u8])>, folder: &Path) {
    for (path, bytes) in rendered {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
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

/// The settings that a project is born with lead to the same project.
#[test]
fn settings_lead_back_to_the_same_project() {
    for shape in shapes()
        .into_iter()
        .filter(|shape| shape.from_crd.is_none())
    {
        let first = operator(&shape);
        let written = settings::write(&first);
        let read = Settings::parse(Path::new("opgen.toml"), written.clone())
            .unwrap_or_else(|failure| panic!("{failure}"));
        let only_path = New {
            path: shape.path.clone(),
            yes: true,
            ..New::default()
        };
        let answers = Answers::collect(&only_path, Some(&read), &mut Nobody).unwrap();
        let second = assemble::operator(&answers).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(settings::write(&second), written);
        assert_eq!(
            Plan::render(&first, Vec::new()).unwrap(),
            Plan::render(&second, Vec::new()).unwrap()
        );
    }
}

/// A flag wins over the settings, field by field.
#[test]
fn flags_win_over_settings() {
    let text_of_file = settings::write(&operator(&flags("from-file")));
    let read = Settings::parse(Path::new("opgen.toml"), text_of_file).unwrap();
    let shape = New {
        version: text("v1"),
        external: text("none"),
        phases: text("Pending>Ready,Ready:steady>Pending"),
        ..New {
            path: "elsewhere".into(),
            ..New::default()
        }
    };
    let operator =
        assemble::operator(&Answers::collect(&shape, Some(&read), &mut Nobody).unwrap()).unwrap();
    assert_eq!(operator.name.as_str(), "from-file");
    let resource = &operator.resources[0];
    assert_eq!(
        (resource.kind.as_str(), resource.version.as_str()),
        ("Database", "v1")
    );
    assert_eq!(resource.external.as_str(), "none");
    assert_eq!(resource.machine.phases().len(), 3);
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
