//! The set of fields that a value sets, and the named parents of a set.

use serde_json::{Map, Value};

use super::element::PathElement;
use super::set::{FieldSet, Node};
use super::types::{Atom, ListRef, MapRef, TypeRef};

/// What an applied configuration owns.
pub(super) fn of_value(kind: TypeRef<'_>, value: &Value) -> FieldSet {
    visit(kind, value).1
}

/// Whether the value is owned as a whole, and what is owned below it.
fn visit(kind: TypeRef<'_>, value: &Value) -> (bool, FieldSet) {
    match kind.atom(value) {
        Atom::Scalar(_) => (true, FieldSet::new()),
        Atom::List(list) if list.is_atomic() => (true, FieldSet::new()),
        Atom::Map(map) if map.atomic => (true, FieldSet::new()),
        Atom::List(list) => (
            false,
            value
                .as_array()
                .map_or_else(FieldSet::new, |items| of_items(list, items)),
        ),
        Atom::Map(map) => (
            false,
            value
                .as_object()
                .map_or_else(FieldSet::new, |fields| of_map(map, fields)),
        ),
    }
}

fn of_items(list: ListRef<'_>, items: &[Value]) -> FieldSet {
    let mut counted: std::collections::BTreeMap<PathElement, (usize, &Value)> =
        std::collections::BTreeMap::new();
    for item in items {
        if let Ok(element) = list.element(item) {
            counted.entry(element).or_insert((0, item)).0 += 1;
        }
    }
    let mut set = FieldSet::new();
    for (element, (count, item)) in counted {
        // Of items that share a key only the key is owned.
        let children = if count > 1 {
            FieldSet::new()
        } else {
            visit(list.item(), item).1
        };
        set.put(Node {
            element,
            member: true,
            children,
        });
    }
    set
}

fn of_map(map: MapRef<'_>, fields: &Map<String, Value>) -> FieldSet {
    let mut set = FieldSet::new();
    for (name, value) in fields {
        let kind = map.field(name).unwrap_or(TypeRef::Deduced);
        let (whole, children) = visit(kind, value);
        let empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
        let member = whole || empty || !map.declares(name);
        set.put(Node {
            element: PathElement::field(name),
            member,
            children,
        });
    }
    set
}

/// The set, and all declared fields above its paths: `a.b.c` gives `a` too, but not `a.b` if `b` is a map key.
pub(super) fn with_parents(kind: TypeRef<'_>, set: &FieldSet) -> FieldSet {
    let mut all = FieldSet::new();
    for node in set.nodes() {
        let (below, declared) = match &node.element {
            PathElement::Field(name) => kind.field(name).unwrap_or((TypeRef::Deduced, false)),
            _ => (kind.item(), false),
        };
        all.put(Node {
            element: node.element.clone(),
            member: node.member || (declared && !node.children.is_empty()),
            children: with_parents(below, &node.children),
        });
    }
    all
}
