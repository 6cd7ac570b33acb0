//! The projects that are rendered.

use std::fs;
use std::path::{Path, PathBuf};

use cargo_opgen::answers::{Answers, Nobody};
use cargo_opgen::assemble;
use cargo_opgen::cli::New;
use cargo_opgen::model::Operator;
use cargo_opgen::plan::Plan;
use cargo_opgen::settings::{self, Settings};

pub(crate) fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

pub(crate) fn flags(name: &str) -> New {
    New {
        path: name.into(),
        kind: text("Database"),
        group: text("db.example.com"),
        published: true,
        yes: true,
        ..New::default()
    }
}

pub(crate) fn operator(flags: &New) -> Operator {
    let answers = Answers::collect(flags, None, &mut Nobody).unwrap();
    assemble::operator(&answers).unwrap_or_else(|failure| panic!("{failure}"))
}

pub(crate) fn plan(flags: &New) -> Plan {
    Plan::render(&operator(flags), Vec::new()).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Every choice that changes what is rendered.
pub(crate) fn shapes() -> Vec<New> {
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

pub(crate) fn several() -> Plan {
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
