//! Pictures of machines: [`mermaid`], [`dot`] and [`svg`] over a neutral [`Graph`].

mod dot;
mod layout;
mod mermaid;
mod svg;

pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::svg;

use crate::{Machine, Timer, duration};

/// A phase graph without syntax: names and roles only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The machine's name.
    pub name: String,
    /// The phases.
    pub nodes: Vec<Node>,
    /// The moves between them.
    pub edges: Vec<Edge>,
}

/// A phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// The first paragraph of its documentation.
    pub doc: String,
    /// Where new objects start.
    pub initial: bool,
    /// What it is for.
    pub role: Role,
}

/// What a phase is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// On the way.
    Passing,
    /// The object is as wanted.
    Steady,
    /// A permanent error led here.
    Failed,
    /// The object is being deleted.
    Finalizer,
}

/// A move. `from` and `to` are positions in [`Graph::nodes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// Not written in the enum: a permanent error takes it.
    pub implicit: bool,
    /// The deadline that takes it by itself, as the enum writes it.
    pub after: Option<String>,
}

impl From<&Machine> for Graph {
    fn from(machine: &Machine) -> Self {
        let nodes = machine
            .phases
            .iter()
            .map(|phase| Node {
                name: phase.name.to_string(),
                doc: phase.doc.clone(),
                initial: phase.initial,
                role: match (phase.steady, phase.failed, phase.finalizer) {
                    (_, _, true) => Role::Finalizer,
                    (_, true, _) => Role::Failed,
                    (true, ..) => Role::Steady,
                    _ => Role::Passing,
                },
            })
            .collect();
        Self {
            name: machine.name.to_string(),
            nodes,
            edges: edges(machine),
        }
    }
}

fn edges(machine: &Machine) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (from, phase) in machine.phases.iter().enumerate() {
        for target in machine.targets(phase) {
            let position = machine.phases.iter().position(|to| to.name == *target);
            let expires = phase
                .on_deadline
                .as_ref()
                .is_some_and(|arrow| arrow.name == *target);
            edges.extend(position.map(|to| {
                Edge {
                    from,
                    to,
                    implicit: !phase.to.iter().any(|arrow| arrow.name == *target),
                    after: phase
                        .deadline
                        .filter(|_| expires)
                        .map(|Timer { duration, .. }| duration::format(duration)),
                }
            }));
        }
    }
    edges
}
