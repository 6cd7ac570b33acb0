//! Dropping of fields that the schema does not have, with their paths.

use serde_json::Value;

use super::model::{Additional, Schema};
use crate::builtin::object_meta;

/// Removes what `schema` does not know from a whole object, and names it: `spec.foo`, `spec.list[0].bar`, sorted.
///
/// `apiVersion`, `kind` and the known fields of `metadata` stay, at the root and in embedded resources. The caller
/// makes `unknown field "…"` of each path, for warnings or a strict refusal.
pub fn prune(schema: &Schema, object: &mut Value) -> Vec<String> {
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
        let resource = resource || schema.is_some_and(|schema| schema.embedded_resource);
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
                let preserved = schema.is_some_and(|schema| schema.preserve_unknown);
                let item_schema = schema.and_then(Schema::item);
                if preserved && item_schema.is_none() {
                    return;
                }
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
        if resource {
            match name {
                "apiVersion" | "kind" => return true,
                "metadata" => {
                    self.value(child, Some(object_meta()), false, path);
                    return true;
                }
                _ => {}
            }
        }
        let Some(schema) = schema else { return false };
        if let Some(property) = schema.properties.get(name) {
            self.value(child, Some(property), false, path);
            return true;
        }
        match &schema.additional {
            Some(Additional::Schema(values)) => self.value(child, Some(values), false, path),
            Some(Additional::Any) => self.value(child, None, false, path),
            _ => return schema.preserve_unknown,
        }
        true
    }
}

/// Appends `.name`, or `name` at the start.
pub(super) fn push_field(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}
