//! A project as it would be, as text: the phases of each kind, and the tree of files.

use std::collections::BTreeMap;
use std::path::Path;

use crate::model::{Operator, Resource, Role};

/// What `new` shows before it writes.
pub(crate) fn of<'a>(operator: &Operator, files: impl Iterator<Item = &'a Path>) -> String {
    let mut text = String::new();
    for resource in &operator.resources {
        text.push_str(&format!("The life of a {}:\n", resource.kind));
        text.push_str(&life(resource));
        text.push('\n');
    }
    text.push_str(&format!("{}/\n", operator.name));
    text.push_str(&tree(files));
    text.trim_end().to_owned()
}

/// One line per phase: where it leads, and what it means.
fn life(resource: &Resource) -> String {
    let phases = resource.machine.phases();
    let width = |cells: &[String]| {
        cells
            .iter()
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let names: Vec<String> = phases.iter().map(|phase| phase.name.to_string()).collect();
    let arrows: Vec<String> = phases
        .iter()
        .map(|phase| {
            let targets: Vec<&str> = phase.to.iter().map(|target| target.as_str()).collect();
            if targets.is_empty() {
                String::new()
            } else {
                format!("-> {}", targets.join(", "))
            }
        })
        .collect();
    let (first, second) = (width(&names), width(&arrows));
    let mut text = String::new();
    for (index, phase) in phases.iter().enumerate() {
        let mut notes = Vec::new();
        if index == 0 {
            notes.push("where objects start".to_owned());
        }
        match phase.role {
            Role::Moving => {}
            Role::Steady => notes.push("Ready".to_owned()),
            Role::Failed => notes.push("where permanent errors lead, from every phase".to_owned()),
            Role::Finalizer => {
                notes.push("on deletion, until the outside is proven gone".to_owned());
            }
        }
        if let Some(deadline) = &phase.deadline {
            notes.push(format!("after {} to {}", deadline.after, deadline.to));
        }
        if let Some(resync) = phase.resync {
            notes.push(format!("looked at every {resync}"));
        }
        let line = format!(
            "  {:first$}  {:second$}  {}",
            names[index],
            arrows[index],
            notes.join("; ")
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Folders and files, as `tree` draws them.
fn tree<'a>(files: impl Iterator<Item = &'a Path>) -> String {
    #[derive(Default)]
    struct Folder(BTreeMap<String, Folder>);
    fn draw(folder: &Folder, indent: &str, text: &mut String) {
        let last = folder.0.len().saturating_sub(1);
        for (index, (name, inside)) in folder.0.iter().enumerate() {
            let (branch, below) = if index == last {
                ("└── ", "    ")
            } else {
                ("├── ", "│   ")
            };
            let slash = if inside.0.is_empty() { "" } else { "/" };
            text.push_str(&format!("{indent}{branch}{name}{slash}\n"));
            draw(inside, &format!("{indent}{below}"), text);
        }
    }
    let mut root = Folder::default();
    for file in files {
        let mut at = &mut root;
        for part in file.components() {
            let name = part.as_os_str().to_string_lossy().into_owned();
            at = at.0.entry(name).or_default();
        }
    }
    let mut text = String::new();
    draw(&root, "", &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_branches() {
        let files = ["Cargo.toml", "src/api/mod.rs", "src/lib.rs"];
        assert_eq!(
            tree(files.iter().map(Path::new)),
            "├── Cargo.toml\n└── src/\n    ├── api/\n    │   └── mod.rs\n    └── lib.rs\n"
        );
    }
}
