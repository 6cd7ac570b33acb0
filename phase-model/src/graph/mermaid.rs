//! Mermaid, as GitHub shows it in Markdown.

use std::fmt::Write as _;

use super::{Graph, Node, Role};

/// The graph as a Mermaid flowchart.
#[must_use]
pub fn mermaid(graph: &Graph) -> String {
    let mut text = String::from("flowchart LR\n");
    for (position, node) in graph.nodes.iter().enumerate() {
        let (open, close) = shape(node);
        let _ = writeln!(
            text,
            "    p{position}{open}\"{}\"{close}:::{}",
            node.name,
            class(node.role)
        );
        if node.initial {
            let _ = writeln!(text, "    start(( )):::mark --> p{position}");
        }
        if node.role == Role::Finalizer {
            let _ = writeln!(text, "    deleted([\"deleted\"]):::mark --> p{position}");
            let _ = writeln!(text, "    p{position} -->|proven gone| gone(( )):::mark");
        }
    }
    for edge in &graph.edges {
        let line = if edge.implicit { "-.->" } else { "-->" };
        let label = edge
            .after
            .as_ref()
            .map(|after| format!("|after {after}|"))
            .unwrap_or_default();
        let _ = writeln!(text, "    p{} {line}{label} p{}", edge.from, edge.to);
    }
    text.push_str(
        "    classDef passing fill:#eef2f7,stroke:#5b6b80,color:#1c2733\n    \
         classDef steady fill:#e3f4e8,stroke:#2f855a,color:#14402a\n    \
         classDef failed fill:#fdeaea,stroke:#c53030,color:#5c1616\n    \
         classDef finalizer fill:#f3ecfb,stroke:#6b46c1,color:#33205e\n    \
         classDef mark fill:#ffffff,stroke:#8795a8,color:#5b6b80\n",
    );
    text
}

fn shape(node: &Node) -> (&'static str, &'static str) {
    match node.role {
        Role::Steady => ("([", "])"),
        _ => ("[", "]"),
    }
}

fn class(role: Role) -> &'static str {
    match role {
        Role::Passing => "passing",
        Role::Steady => "steady",
        Role::Failed => "failed",
        Role::Finalizer => "finalizer",
    }
}
