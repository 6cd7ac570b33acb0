//! Takes paths out of a value.

use serde_json::{Map, Value};

use super::element::PathElement;
use super::set::FieldSet;
use super::types::{Atom, TypeRef};

/// The value without the paths of `gone`. A list or object that becomes empty is `null`.
pub(super) fn remove(kind: TypeRef<'_>, value: Value, gone: &FieldSet) -> Value {
    if gone.is_empty() {
        return value;
    }
    match (kind.atom(&value), value) {
        (Atom::Map(map), Value::Object(fields)) if !map.atomic => {
            let mut kept = Map::new();
            for (name, below) in fields {
                match gone.get_field(&name) {
                    None => {
                        kept.insert(name, below);
                    }
                    Some(node) if node.member => {}
                    Some(node) => {
                        let kind = map.field(&name).unwrap_or(TypeRef::Deduced);
                        kept.insert(name, remove(kind, below, &node.children));
                    }
                }
            }
            if kept.is_empty() {
                Value::Null
            } else {
                Value::Object(kept)
            }
        }
        (Atom::List(list), Value::Array(items)) if !list.is_atomic() => {
            let mut kept = Vec::with_capacity(items.len());
            for item in items {
                let element: Option<PathElement> = list.element(&item).ok();
                match element.and_then(|element| gone.get(&element)) {
                    None => kept.push(item),
                    Some(node) if node.member => {}
                    Some(node) => kept.push(remove(list.item(), item, &node.children)),
                }
            }
            if kept.is_empty() {
                Value::Null
            } else {
                Value::Array(kept)
            }
        }
        (_, value) => value,
    }
}
