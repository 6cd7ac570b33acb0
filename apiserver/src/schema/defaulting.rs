//! Defaults, and nulls where none may be.

use serde_json::Value;

use super::model::{Additional, Schema};

/// Fills in defaults below `object`, and drops nulls that are neither allowed nor replaced by a default.
///
/// A null item of a list stays: validation refuses it.
pub fn default(schema: &Schema, object: &mut Value) {
    if schema.has_defaults {
        fill(schema, object);
    }
    if has_null(schema, object) {
        drop_nulls(schema, object);
    }
}

/// Whether there is a null where the schema has a field.
fn has_null(schema: &Schema, value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(name, child)| match child {
            Value::Null => true,
            Value::Object(_) | Value::Array(_) => {
                schema.field(name).is_some_and(|node| has_null(node, child))
            }
            _ => false,
        }),
        Value::Array(list) => schema
            .item()
            .is_some_and(|items| list.iter().any(|item| has_null(items, item))),
        _ => false,
    }
}

fn fill(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, property) in &schema.properties {
                let Some(default) = &property.default else {
                    continue;
                };
                if map
                    .get(name)
                    .is_none_or(|value| value.is_null() && !property.nullable)
                {
                    map.insert(name.clone(), default.clone());
                }
            }
            for (name, child) in map.iter_mut() {
                let Some(node) = schema.field(name) else {
                    continue;
                };
                fill_null(node, child);
                if node.has_defaults {
                    fill(node, child);
                }
            }
        }
        Value::Array(list) => {
            let Some(items) = schema.item() else { return };
            for item in list {
                fill_null(items, item);
                if items.has_defaults {
                    fill(items, item);
                }
            }
        }
        _ => {}
    }
}

fn fill_null(schema: &Schema, value: &mut Value) {
    if let (Value::Null, false, Some(default)) = (&*value, schema.nullable, &schema.default) {
        *value = default.clone();
    }
}

fn drop_nulls(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(map) => map.retain(|name, child| {
            let node = schema.properties.get(name).or(match &schema.additional {
                Some(Additional::Schema(values)) => Some(values),
                _ => None,
            });
            let Some(node) = node else { return true };
            if child.is_null() {
                return node.nullable;
            }
            drop_nulls(node, child);
            true
        }),
        Value::Array(list) => {
            let Some(items) = schema.item() else { return };
            list.iter_mut().for_each(|item| drop_nulls(items, item));
        }
        _ => {}
    }
}
