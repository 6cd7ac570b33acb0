//! DOT, for Graphviz.

use std::fmt::Write as _;

use super::{Graph, Role};

/// The graph in DOT.
#[must_use]
pub fn dot(graph: &Graph) -> String {
    let mut text = format!(
        "digraph {} {{\n    rankdir=LR;\n    node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n    \
         edge [fontname=\"sans-serif\", fontsize=10];\n",
        quoted(&graph.name)
    );
    for node in &graph.nodes {
        let (fill, line, border) = match node.role {
            Role::Passing => ("#eef2f7", "#5b6b80", 1),
            Role::Steady => ("#e3f4e8", "#2f855a", 2),
            Role::Failed => ("#fdeaea", "#c53030", 1),
            Role::Finalizer => ("#f3ecfb", "#6b46c1", 1),
        };
        let name = quoted(&node.name);
        let _ = writeln!(
            text,
            "    {name} [fillcolor=\"{fill}\", color=\"{line}\", penwidth={border}, tooltip={}];",
            quoted(if node.doc.is_empty() {
                &node.name
            } else {
                &node.doc
            })
        );
        if node.initial {
            let _ = writeln!(
                text,
                "    \"(start)\" [shape=point];\n    \"(start)\" -> {name};"
            );
        }
        if node.role == Role::Finalizer {
            let _ = writeln!(
                text,
                "    \"(deleted)\" [shape=plaintext, style=\"\", label=\"deleted\"];\n    \"(deleted)\" -> {name};\n    \
                 \"(gone)\" [shape=doublecircle, label=\"\", width=0.15];\n    {name} -> \"(gone)\" [label=\"proven gone\"];"
            );
        }
    }
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (graph.nodes.get(edge.from), graph.nodes.get(edge.to)) else {
            continue;
        };
        let mut attributes = Vec::new();
        if edge.implicit {
            attributes.push("style=dashed, color=\"#c53030\"".to_owned());
        }
        if let Some(after) = &edge.after {
            attributes.push(format!("label=\"after {after}\""));
        }
        let attributes = match attributes.is_empty() {
            true => String::new(),
            false => format!(" [{}]", attributes.join(", ")),
        };
        let _ = writeln!(
            text,
            "    {} -> {}{attributes};",
            quoted(&from.name),
            quoted(&to.name)
        );
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
