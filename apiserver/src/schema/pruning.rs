//! Dropping of fields that the schema does not have, with their paths.

use serde_json::Value;

use super::model::{Additional, Schema};
use crate::builtin::object_meta;

/// Removes what `schema` does not know from a whole object, and names it: `spec.foo`, `spec.list[0].bar`, sorted.
///
/// `apiVersion`, `kind` and the known fields of `metadata` stay, at the root and in embedded resources. The caller
/// makes `unknown field "…"` of each path, for warnings or a strict refusal.
pub fn prune(schema: &Schema, object: &mut Value) -> Vec<String> {
    if is_known(object, Some(schema), true) {
        return Vec::new();
    }
    let mut pruner = Pruner {
        dropped: Vec::new(),
    };
    pruner.value(object, Some(schema), true, &mut String::new());
    pruner.dropped.sort();
    pruner.dropped.dedup();
    pruner.dropped
}

/// Removes unknown fields of `metadata` alone, for objects without a schema.
pub fn drop_invalid_metadata(metadata: &mut Value) -> Vec<String> {
    let mut pruner = Pruner {
        dropped: Vec::new(),
    };
    pruner.value(
        metadata,
        Some(object_meta()),
        false,
        &mut "metadata".to_owned(),
    );
    pruner.dropped
}

/// What becomes of a field.
enum Fate<'a> {
    Dropped,
    Kept,
    /// Kept, and looked into.
    Searched(Option<&'a Schema>),
}

/// The fate of the field `name` of an object. Without a schema nothing is known.
fn fate<'a>(name: &str, schema: Option<&'a Schema>, resource: bool) -> Fate<'a> {
    match name {
        "apiVersion" | "kind" if resource => return Fate::Kept,
        "metadata" if resource => return Fate::Searched(Some(object_meta())),
        _ => {}
    }
    let Some(schema) = schema else {
        return Fate::Dropped;
    };
    match (schema.properties.get(name), &schema.additional) {
        (Some(property), _) => Fate::Searched(Some(property)),
        (None, Some(Additional::Schema(values))) => Fate::Searched(Some(values)),
        (None, Some(Additional::Any)) => Fate::Searched(None),
        _ if schema.preserve_unknown => Fate::Kept,
        _ => Fate::Dropped,
    }
}

fn is_resource(schema: Option<&Schema>) -> bool {
    schema.is_some_and(|schema| schema.embedded_resource)
}

/// The schema of the items of a list; `None`: they are not looked into.
fn item_schema(schema: Option<&Schema>) -> Option<Option<&Schema>> {
    match schema {
        Some(schema) if schema.preserve_unknown => schema.item().map(Some),
        schema => Some(schema.and_then(Schema::item)),
    }
}

/// Whether nothing is to be dropped, which is so most of the time and told without writing a path.
fn is_known(value: &Value, schema: Option<&Schema>, resource: bool) -> bool {
    match value {
        Value::Object(map) => {
            let resource = resource || is_resource(schema);
            map.iter()
                .all(|(name, child)| match fate(name, schema, resource) {
                    Fate::Dropped => false,
                    Fate::Kept => true,
                    Fate::Searched(schema) => is_known(child, schema, false),
                })
        }
        Value::Array(items) => item_schema(schema)
            .is_none_or(|schema| items.iter().all(|item| is_known(item, schema, false))),
        _ => true,
    }
}

struct Pruner {
    dropped: Vec<String>,
}

impl Pruner {
    /// `resource`: whether the value is a whole object. Without a schema nothing below is known.
    fn value(
        &mut self,
        value: &mut Value,
        schema: Option<&Schema>,
        resource: bool,
        path: &mut String,
    ) {
        let resource = resource || is_resource(schema);
        match value {
            Value::Object(map) => {
                map.retain(|name, child| {
                    let length = path.len();
                    push_field(path, name);
                    let keep = self.field(name, child, schema, resource, path);
                    if !keep {
                        self.dropped.push(path.clone());
                    }
                    path.truncate(length);
                    keep
                });
            }
            Value::Array(items) => {
                let Some(item_schema) = item_schema(schema) else {
                    return;
                };
                for (index, item) in items.iter_mut().enumerate() {
                    let length = path.len();
                    path.push_str(&format!("[{index}]"));
                    self.value(item, item_schema, false, path);
                    path.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn field(
        &mut self,
        name: &str,
        child: &mut Value,
        schema: Option<&Schema>,
        resource: bool,
        path: &mut String,
    ) -> bool {
        match fate(name, schema, resource) {
            Fate::Dropped => false,
            Fate::Kept => true,
            Fate::Searched(schema) => {
                self.value(child, schema, false, path);
                true
            }
        }
    }
}

/// Appends `.name`, or `name` at the start.
pub(super) fn push_field(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}
