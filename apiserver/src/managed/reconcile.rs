//! Entries that were recorded before the schema of a custom resource changed.
//!
//! Who owned something in an object or a list that is atomic now owns all of it. The other way round nothing changes:
//! who owned an atomic field as a whole goes on owning that field, and nothing below it.

use serde_json::Value;

use super::element::PathElement;
use super::entries;
use super::prune::Context;
use super::set::{FieldSet, Node};
use super::types::{Atom, TypeRef};

/// Brings the entries up to the schemas of their versions. Those of versions that are gone stay as they are.
pub(super) fn with_schema(context: Context<'_>, entries: &mut [Value]) {
    for entry in entries {
        let Some(schema) = context.schema_of(entries::text(entry, "apiVersion")) else {
            continue;
        };
        let kind = TypeRef::Object(schema);
        if !entry["fieldsV1"].is_object() || !is_outdated(kind, &entry["fieldsV1"]) {
            continue;
        }
        if let Ok(owned) = entries::fields(entry) {
            entries::set_fields(entry, &rewritten(kind, &owned));
        }
    }
}

fn is_atomic(kind: TypeRef<'_>) -> bool {
    match kind.atom(&Value::Null) {
        Atom::Map(map) => map.atomic,
        Atom::List(list) => list.is_atomic(),
        Atom::Scalar(_) => false,
    }
}

/// Whether something is owned below what is atomic. Looks at the written form, which spares most entries the reading.
fn is_outdated(kind: TypeRef<'_>, fields_v1: &Value) -> bool {
    let Some(fields) = fields_v1.as_object() else {
        return false;
    };
    fields.iter().any(|(key, below)| {
        if below.as_object().is_none_or(serde_json::Map::is_empty) {
            return false;
        }
        let kind = match key.strip_prefix("f:") {
            Some(name) => kind.field(name).map(|(kind, _)| kind),
            None => Some(kind.item()),
        };
        kind.is_some_and(|kind| is_atomic(kind) || is_outdated(kind, below))
    })
}

fn rewritten(kind: TypeRef<'_>, owned: &FieldSet) -> FieldSet {
    let mut set = FieldSet::new();
    for node in owned.nodes() {
        let below = match &node.element {
            PathElement::Field(name) => kind.field(name).map(|(kind, _)| kind),
            _ => Some(kind.item()),
        };
        set.put(match below {
            Some(below) if !node.children.is_empty() && is_atomic(below) => Node {
                element: node.element.clone(),
                member: true,
                children: FieldSet::new(),
            },
            Some(below) => Node {
                element: node.element.clone(),
                member: node.member,
                children: rewritten(below, &node.children),
            },
            // Not in the schema: nobody knows what it is.
            None => node.clone(),
        });
    }
    set
}
