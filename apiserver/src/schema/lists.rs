//! Sets and maps written as lists: duplicates, and which old item a new one continues.

use serde_json::{Map, Value};

use super::cause::Cause;
use super::model::{ListType, Schema};
use super::path::Path;

/// Reports duplicates in `x-kubernetes-list-type: set` and `map`, unless the old object had such faults already.
pub(super) fn check(schema: &Schema, new: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let mut found = Vec::new();
    walk(schema, new, &Path::Root, &mut found);
    if let (false, Some(old)) = (found.is_empty(), old) {
        let mut before = Vec::new();
        walk(schema, old, &Path::Root, &mut before);
        if !before.is_empty() {
            return;
        }
    }
    causes.extend(found);
}

fn walk(schema: &Schema, value: &Value, path: &Path<'_>, causes: &mut Vec<Cause>) {
    if !schema.has_keyed_lists {
        return;
    }
    match value {
        Value::Array(items) => {
            match schema.list_type() {
                ListType::Set => duplicates(items, path, causes, |a, b| a == b, Value::clone),
                // Items without keys are the business of `required`.
                ListType::Map => duplicates(
                    items,
                    path,
                    causes,
                    |a, b| same_keys(schema, a, b),
                    |item| key_of(schema, item).into(),
                ),
                ListType::Atomic => {}
            }
            if let Some(item_schema) = schema.item() {
                for (index, item) in items.iter().enumerate() {
                    walk(item_schema, item, &Path::Index(path, index), causes);
                }
            }
        }
        Value::Object(map) => {
            for (name, child) in map {
                if let Some(field) = schema.properties.get(name) {
                    walk(field, child, &Path::Field(path, name), causes);
                } else if let Some(values) = schema.field(name) {
                    walk(values, child, &Path::Key(path, name), causes);
                }
            }
        }
        _ => {}
    }
}

fn duplicates(
    items: &[Value],
    path: &Path<'_>,
    causes: &mut Vec<Cause>,
    same: impl Fn(&Value, &Value) -> bool,
    key: impl Fn(&Value) -> Value,
) {
    for (index, item) in items.iter().enumerate() {
        if items[..index].iter().any(|earlier| same(earlier, item)) {
            causes.push(Cause::duplicate(&Path::Index(path, index), &key(item)));
        }
    }
}

/// Whether two items of a list-map have the same key fields, defaults filled in.
fn same_keys(schema: &Schema, a: &Value, b: &Value) -> bool {
    schema.list_map_keys.iter().all(|name| {
        let default = schema.key_default(name);
        a.get(name).or(default) == b.get(name).or(default)
    })
}

/// The key fields of a list-map item, defaults filled in.
fn key_of(schema: &Schema, item: &Value) -> Map<String, Value> {
    let mut key = Map::new();
    let mut names: Vec<&String> = schema.list_map_keys.iter().collect();
    // Messages show the key with its fields in order.
    names.sort();
    for name in names {
        if let Some(value) = item.get(name).or_else(|| schema.key_default(name)) {
            key.insert(name.clone(), value.clone());
        }
    }
    key
}

/// The item of the old list that `item` continues: known for list-maps only.
pub(super) fn counterpart<'a>(
    schema: &Schema,
    item: &Value,
    old: Option<&'a Value>,
) -> Option<&'a Value> {
    if schema.list_type() != ListType::Map {
        return None;
    }
    let mut candidates = old?.as_array()?.iter();
    candidates.find(|candidate| same_keys(schema, candidate, item))
}
