//! Where things are in a YAML text: the documents of a stream, and the lines of the nodes of one.

use std::collections::BTreeMap;

use serde_saphyr::granit_parser::{Event, Parser, StructureStyle};

/// One node of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// Line of the key (or the list item), from 1.
    pub(super) line: usize,
    /// Column of the key (or the item), from 0.
    pub(super) column: usize,
    /// How its value is written.
    pub(super) style: Style,
    /// The keys of a mapping with the lines they are on, in the order of the text.
    pub(super) keys: Vec<(String, usize)>,
    /// Column of the keys of a block mapping.
    pub(super) key_column: usize,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// A mapping with a key per line.
    BlockMapping,
    /// A list with a dash per item.
    BlockList,
    /// `{..}` or `[..]`.
    Flow,
    /// A scalar.
    Scalar,
    /// `*name`, or a value that `&name` shares with others.
    Shared,
}

/// The nodes of one document by JSON pointer.
pub(super) type Nodes = BTreeMap<String, Node>;

/// The line of the node at `pointer`, or of the nearest one above it that exists.
pub(super) fn line_of(nodes: &Nodes, pointer: &str) -> Option<usize> {
    let mut pointer = pointer;
    loop {
        if let Some(node) = nodes.get(pointer) {
            return Some(node.line);
        }
        pointer = &pointer[..pointer.rfind('/')?];
    }
}

/// One level of JSON pointer, escaped.
pub(super) fn escape(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// The documents of a YAML stream as (first line, text), split where a parser sees `---`. `None` if it is not YAML.
pub(super) fn split(text: &str) -> Option<Vec<(usize, String)>> {
    let mut starts: Vec<usize> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        if let Event::DocumentStart(explicit, _) = event {
            starts.push(if explicit { span.start.line() } else { 1 });
        }
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut documents = Vec::new();
    for (index, start) in starts.iter().enumerate() {
        // What stands before the first document, such as a licence, belongs to it.
        let from = if index == 0 { 0 } else { start - 1 };
        let to = starts.get(index + 1).map_or(lines.len(), |next| next - 1);
        documents.push((from + 1, lines.get(from..to)?.concat()));
    }
    Some(documents)
}

/// The nodes of a text with one document. `None` if it cannot be read.
pub(super) fn nodes(text: &str) -> Option<Nodes> {
    let mut walk = Walk::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        let place = (span.start.line(), span.start.col());
        match event {
            Event::MappingStart(style, anchor, _) => {
                walk.open(true, Walk::style(style, anchor, true), place)
            }
            Event::SequenceStart(style, anchor, _) => {
                walk.open(false, Walk::style(style, anchor, false), place)
            }
            Event::MappingEnd | Event::SequenceEnd => walk.close(),
            Event::Scalar(value, ..) => walk.scalar(&value, place),
            Event::Alias(_) => walk.leaf(Style::Shared, place),
            _ => {}
        }
    }
    Some(walk.nodes)
}

/// The way down to the node that is being read.
#[derive(Default)]
struct Walk {
    nodes: Nodes,
    open: Vec<Open>,
}

struct Open {
    pointer: String,
    /// A mapping's key that still waits for its value, with its place.
    key: Option<(String, (usize, usize))>,
    is_mapping: bool,
    items: usize,
}

impl Walk {
    fn style(style: StructureStyle, anchor: usize, is_mapping: bool) -> Style {
        match (anchor, style) {
            (1.., _) => Style::Shared,
            (_, StructureStyle::Flow) => Style::Flow,
            _ if is_mapping => Style::BlockMapping,
            _ => Style::BlockList,
        }
    }

    /// The pointer and place of the value that starts now.
    fn here(&mut self, place: (usize, usize)) -> (String, (usize, usize)) {
        let Some(open) = self.open.last_mut() else {
            return (String::new(), place);
        };
        if open.is_mapping {
            let (key, key_place) = open.key.take().unwrap_or_default();
            return (format!("{}/{}", open.pointer, escape(&key)), key_place);
        }
        let pointer = format!("{}/{}", open.pointer, open.items);
        open.items += 1;
        (pointer, place)
    }

    fn insert(&mut self, style: Style, place: (usize, usize)) -> String {
        let (pointer, (line, column)) = self.here(place);
        self.nodes.insert(
            pointer.clone(),
            Node {
                line,
                column,
                style,
                keys: Vec::new(),
                key_column: 0,
            },
        );
        pointer
    }

    fn open(&mut self, is_mapping: bool, style: Style, place: (usize, usize)) {
        let pointer = self.insert(style, place);
        self.open.push(Open {
            pointer,
            key: None,
            is_mapping,
            items: 0,
        });
    }

    fn close(&mut self) {
        self.open.pop();
    }

    fn leaf(&mut self, style: Style, place: (usize, usize)) {
        self.insert(style, place);
    }

    fn scalar(&mut self, value: &str, place: (usize, usize)) {
        let Some(open) = self
            .open
            .last_mut()
            .filter(|open| open.is_mapping && open.key.is_none())
        else {
            return self.leaf(Style::Scalar, place);
        };
        open.key = Some((value.to_owned(), place));
        if let Some(node) = self.nodes.get_mut(&open.pointer) {
            node.keys.push((value.to_owned(), place.0));
            node.key_column = place.1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_by_pointer() {
        let nodes = nodes("# head\na:\n  b/c: &z 1\n  d:\n  - x: {}\n    y: *z\n").expect("yaml");
        assert_eq!(nodes["/a/b~1c"].line, 3);
        assert_eq!(
            (nodes["/a/d/0/x"].style, nodes["/a/d/0/x"].column),
            (Style::Flow, 4)
        );
        assert_eq!(
            nodes["/a/d/0"].keys,
            [("x".to_owned(), 5), ("y".to_owned(), 6)]
        );
        assert_eq!(nodes["/a"].key_column, 2);
        assert_eq!(line_of(&nodes, "/a/nothing/here"), Some(2));
    }

    #[test]
    fn documents_keep_what_stands_before_the_first() {
        let documents = split("# licence\n---\na: 1\n---\nb: |\n  --- no\n").expect("yaml");
        assert_eq!(
            documents,
            [
                (1, "# licence\n---\na: 1\n".to_owned()),
                (4, "---\nb: |\n  --- no\n".to_owned())
            ]
        );
    }
}
