//! The pictures of a machine, compared with committed ones. `UPDATE=1 cargo test -p opgen-phase-model` rewrites them.
#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use opgen_phase_model::{Machine, graph, graph::Graph};

const SOURCE: &str = r#"
    #[derive(PhaseMachine, Clone, Copy, Default)]
    #[machine(resource = Database, context = Context, budget = "60s")]
    pub enum DatabasePhase {
        /// Accepted; nothing exists outside the cluster yet.
        #[default]
        #[phase(to(Provisioning, Failed))]
        Pending,
        /// The provider is building the instance.
        #[phase(to(Ready, Failed), deadline = "30m", on_deadline = Failed)]
        Provisioning,
        #[phase(to(Provisioning, Resizing), steady, resync = "10m")]
        Ready,
        #[phase(to(Ready))]
        Resizing,
        #[phase(failed, to(Pending))]
        Failed,
        #[phase(finalizer)]
        Deleting,
    }
"#;

fn database() -> Graph {
    let file = syn::parse_file(SOURCE).unwrap();
    let machines = Machine::find_in_file(&file).unwrap();
    Graph::from(&machines[0])
}

fn same_as(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/graphs")
        .join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, actual).unwrap();
    }
    let expected = fs::read_to_string(&path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    assert_eq!(
        actual, expected,
        "{name} differs; look at it, then run with UPDATE=1"
    );
}

#[test]
fn mermaid() {
    same_as("database.mmd", &graph::mermaid(&database()));
}

#[test]
fn dot() {
    same_as("database.dot", &graph::dot(&database()));
}

#[test]
fn svg() {
    same_as("database.svg", &graph::svg(&database()));
}

#[test]
fn implicit_arrows_are_told_apart() {
    let graph = database();
    let at = |name: &str| {
        graph
            .nodes
            .iter()
            .position(|node| node.name == name)
            .unwrap()
    };
    let edge = |from: &str, to: &str| {
        graph
            .edges
            .iter()
            .find(|edge| edge.from == at(from) && edge.to == at(to))
            .cloned()
    };
    assert!(!edge("Pending", "Failed").unwrap().implicit);
    assert!(edge("Ready", "Failed").unwrap().implicit);
    assert_eq!(
        edge("Provisioning", "Failed").unwrap().after.as_deref(),
        Some("30m")
    );
    assert_eq!(edge("Deleting", "Failed"), None);
}
