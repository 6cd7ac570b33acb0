//! `use` lines: paths in, one nested import out, as one would write it.

use std::collections::BTreeMap;

/// A module with what is imported from it.
#[derive(Debug, Default)]
struct Node(BTreeMap<String, Node>);

impl Node {
    fn add(&mut self, path: &str) {
        match path.split_once("::") {
            Some((first, rest)) => self.0.entry(first.to_owned()).or_default().add(rest),
            None => {
                self.0.entry(path.to_owned()).or_default();
            }
        }
    }

    fn text(&self) -> String {
        let parts: Vec<String> = self
            .0
            .iter()
            .map(|(name, inside)| match inside.0.len() {
                0 => name.clone(),
                _ => format!("{name}::{}", inside.text()),
            })
            .collect();
        match parts.as_slice() {
            [one] => one.clone(),
            several => format!("{{{}}}", several.join(", ")),
        }
    }
}

/// One `use` line for each crate. A type may not also be a module.
pub(crate) fn render(paths: impl IntoIterator<Item = String>) -> String {
    let mut root = Node::default();
    for path in paths {
        root.add(&path);
    }
    let lines: Vec<String> = root
        .0
        .iter()
        .map(|(name, inside)| format!("use {name}::{};", inside.text()))
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn paths_are_nested_and_named_once() {
        let paths = ["a::b::C", "a::b::D", "a::e::F", "a::b::C", "x::Y"];
        assert_eq!(
            render(paths.map(str::to_owned)),
            "use a::{b::{C, D}, e::F};\nuse x::Y;"
        );
    }
}
