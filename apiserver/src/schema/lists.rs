//! Sets and maps written as lists: duplicates, and which old item a new one continues.

use serde_json::{Map, Value};

use super::cause::Cause;
use super::model::{ListType, Schema};
use super::validation::child_path;

/// Reports duplicates in `x-kubernetes-list-type: set` and `map`, unless the old object had such faults already.
pub(super) fn check(schema: &Schema, new: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let mut found = Vec::new();
    walk(schema, new, "", &mut found);
    if let (false, Some(old)) = (found.is_empty(), old) {
        let mut before = Vec::new();
        walk(schema, old, "", &mut before);
        if !before.is_empty() {
            return;
        }
    }
    causes.extend(found);
}

fn walk(schema: &Schema, value: &Value, path: &str, causes: &mut Vec<Cause>) {
    match value {
        Value::Array(items) => {
            match schema.list_type() {
                ListType::Set => duplicates(items.iter().cloned(), path, causes),
                ListType::Map => {
                    // Items without keys are the business of `required`.
                    let keys = items.iter().map(|item| Value::Object(key_of(schema, item)));
                    duplicates(keys, path, causes);
                }
                ListType::Atomic => {}
            }
            if let Some(item_schema) = schema.item() {
                for (index, item) in items.iter().enumerate() {
                    walk(item_schema, item, &format!("{path}[{index}]"), causes);
                }
            }
        }
        Value::Object(map) => {
            for (name, child) in map {
                if let Some(field) = schema.properties.get(name) {
                    walk(field, child, &child_path(path, name), causes);
                } else if let Some(values) = schema.field(name) {
                    walk(values, child, &format!("{path}[{name}]"), causes);
                }
            }
        }
        _ => {}
    }
}

fn duplicates(keys: impl Iterator<Item = Value>, path: &str, causes: &mut Vec<Cause>) {
    let mut seen: Vec<Value> = Vec::new();
    for (index, key) in keys.enumerate() {
        if seen.contains(&key) {
            causes.push(Cause::duplicate(format!("{path}[{index}]"), &key));
        } else {
            seen.push(key);
        }
    }
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
    let key = key_of(schema, item);
    old?.as_array()?
        .iter()
        .find(|candidate| key_of(schema, candidate) == key)
}
