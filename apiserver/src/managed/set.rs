//! Sets of paths, as `managedFields` holds them.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::element::PathElement;

/// A set of paths: a tree in which each node may be a member itself.
///
/// Nodes are sorted, so that union and intersection are merges in linear time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet {
    nodes: Vec<Node>,
}

/// A node of a set: in it (`member`), above something in it (`children`), or both; never neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) element: PathElement,
    pub(super) member: bool,
    pub(super) children: FieldSet,
}

impl Node {
    fn is_vain(&self) -> bool {
        !self.member && self.children.is_empty()
    }
}

/// What becomes of a node that is in one set or both.
type Rule<'a> = &'a dyn Fn(Option<&Node>, Option<&Node>) -> Option<Node>;

/// Why a `fieldsV1` value could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("fieldsV1 holds {0}, which is no path element; elements start with f:, k:, v: or i:")]
pub struct ParseError(pub String);

impl FieldSet {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing, with room for so many nodes.
    pub(super) fn with_room(nodes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(nodes),
        }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(super) fn get(&self, element: &PathElement) -> Option<&Node> {
        let place = self
            .nodes
            .binary_search_by(|node| node.element.cmp(element))
            .ok()?;
        self.nodes.get(place)
    }

    pub(super) fn get_field(&self, name: &str) -> Option<&Node> {
        let order = |node: &Node| match &node.element {
            PathElement::Field(field) => (**field).cmp(name),
            _ => Ordering::Greater,
        };
        let place = self.nodes.binary_search_by(order).ok()?;
        self.nodes.get(place)
    }

    /// Adds a node; one that is there already is joined with it.
    pub(super) fn put(&mut self, node: Node) {
        if node.is_vain() {
            return;
        }
        // Walkers come in order most of the time: the end is tried first.
        let place = match self.nodes.last() {
            Some(last) if last.element < node.element => Err(self.nodes.len()),
            None => Err(0),
            _ => self
                .nodes
                .binary_search_by(|present| present.element.cmp(&node.element)),
        };
        match place {
            Err(place) => self.nodes.insert(place, node),
            Ok(place) => {
                let present = &mut self.nodes[place];
                present.member |= node.member;
                present.children = std::mem::take(&mut present.children).joined(node.children);
            }
        }
    }

    /// Adds a path.
    pub fn insert(&mut self, path: &[PathElement]) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        let mut node = Node {
            element: first.clone(),
            member: rest.is_empty(),
            children: Self::new(),
        };
        node.children.insert(rest);
        self.put(node);
    }

    /// The set of one path made of field names.
    pub fn of_fields(names: &[&str]) -> Self {
        let path: Vec<PathElement> = names.iter().map(|name| PathElement::field(name)).collect();
        let mut set = Self::new();
        set.insert(&path);
        set
    }

    /// Whether the path is in it (not only something below).
    pub fn has(&self, path: &[PathElement]) -> bool {
        let Some((first, rest)) = path.split_first() else {
            return false;
        };
        self.get(first).is_some_and(|node| {
            if rest.is_empty() {
                node.member
            } else {
                node.children.has(rest)
            }
        })
    }

    /// What is in either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.combine(other, &|mine, others| match (mine, others) {
            (Some(node), None) | (None, Some(node)) => Some(node.clone()),
            (Some(mine), Some(others)) => Some(Node {
                element: mine.element.clone(),
                member: mine.member || others.member,
                children: mine.children.union(&others.children),
            }),
            (None, None) => None,
        })
    }

    /// As [`FieldSet::union`], of sets that are not needed any more.
    #[must_use]
    pub(super) fn joined(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        other.nodes.into_iter().fold(self, |mut all, node| {
            all.put(node);
            all
        })
    }

    /// What is here and not in `other`. What is below a path of `other` stays.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut left = self.clone();
        left.subtract(other);
        left
    }

    /// Takes `other` away, as [`FieldSet::difference`] does.
    pub(super) fn subtract(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        self.nodes.retain_mut(|node| {
            if let Some(others) = other.get(&node.element) {
                node.member &= !others.member;
                node.children.subtract(&others.children);
            }
            !node.is_vain()
        });
    }

    /// What is in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.combine(other, &|mine, others| match (mine, others) {
            (Some(mine), Some(others)) => Some(Node {
                element: mine.element.clone(),
                member: mine.member && others.member,
                children: mine.children.intersection(&others.children),
            }),
            _ => None,
        })
    }

    fn combine(&self, other: &Self, rule: Rule<'_>) -> Self {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let (mut mine, mut others) = (self.nodes.iter().peekable(), other.nodes.iter().peekable());
        loop {
            let order = match (mine.peek(), others.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(mine), Some(others)) => mine.element.cmp(&others.element),
            };
            let left = if order.is_le() { mine.next() } else { None };
            let right = if order.is_ge() { others.next() } else { None };
            nodes.extend(rule(left, right).filter(|node| !node.is_vain()));
        }
        Self { nodes }
    }

    /// Only what is at or below the top-level field `name`.
    pub(super) fn keep_field(&mut self, name: &str) {
        self.nodes.retain(|node| is_field(node, name));
    }

    /// Without what is at or below the top-level field `name`.
    pub(super) fn drop_field(&mut self, name: &str) {
        self.nodes.retain(|node| !is_field(node, name));
    }

    /// All paths in the order of the real server: the members of a node first, then what is below.
    pub fn paths(&self) -> Vec<Vec<PathElement>> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, prefix: &mut Vec<PathElement>, found: &mut Vec<Vec<PathElement>>) {
        for node in self.nodes.iter().filter(|node| node.member) {
            let mut path = prefix.clone();
            path.push(node.element.clone());
            found.push(path);
        }
        for node in &self.nodes {
            prefix.push(node.element.clone());
            node.children.collect(prefix, found);
            prefix.pop();
        }
    }
}

fn is_field(node: &Node, name: &str) -> bool {
    matches!(&node.element, PathElement::Field(field) if **field == *name)
}

/// The form of `fieldsV1`.
impl FieldSet {
    /// Reads a `fieldsV1` value.
    ///
    /// # Errors
    /// If a key is not a path element, or a value not an object.
    pub fn from_value(value: &Value) -> Result<Self, ParseError> {
        let Value::Object(map) = value else {
            return Err(ParseError(value.to_string()));
        };
        let mut set = Self::new();
        for (key, below) in map {
            if key == "." {
                continue;
            }
            let element = PathElement::parse(key).ok_or_else(|| ParseError(key.clone()))?;
            let children = Self::from_value(below)?;
            let member = children.is_empty() || below.get(".").is_some();
            set.put(Node {
                element,
                member,
                children,
            });
        }
        Ok(set)
    }

    /// Writes the `fieldsV1` value.
    pub fn to_value(&self) -> Value {
        Value::Object(self.to_map())
    }

    fn to_map(&self) -> Map<String, Value> {
        let print = |node: &Node| {
            let mut below = node.children.to_map();
            if node.member && !below.is_empty() {
                below.insert(".".to_owned(), Value::Object(Map::new()));
            }
            (node.element.print(), Value::Object(below))
        };
        self.nodes.iter().map(print).collect()
    }

    /// Whether something of this set is in the set that a `fieldsV1` value stands for; spares reading it.
    pub(super) fn meets(&self, fields_v1: &Value, key: &mut String) -> bool {
        self.nodes.iter().any(|node| {
            node.element.print_into(key);
            let Some(below) = fields_v1.get(key.as_str()) else {
                return false;
            };
            (node.member && is_member(below)) || node.children.meets(below, key)
        })
    }

    /// Whether all of this set is in the set that a `fieldsV1` value stands for.
    pub(super) fn is_within(&self, fields_v1: &Value, key: &mut String) -> bool {
        self.nodes.iter().all(|node| {
            node.element.print_into(key);
            let Some(below) = fields_v1.get(key.as_str()) else {
                return false;
            };
            (!node.member || is_member(below)) && node.children.is_within(below, key)
        })
    }
}

/// Whether the node with this value in `fieldsV1` is in the set itself.
fn is_member(below: &Value) -> bool {
    below
        .as_object()
        .is_some_and(|map| map.is_empty() || map.contains_key("."))
}
