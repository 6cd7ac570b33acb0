//! Embedded resources: whole objects inside of an object.

use serde_json::Value;

use super::cause::Cause;
use super::model::Schema;
use super::path::Path;

/// Reports embedded resources without `apiVersion` or `kind`.
pub(super) fn check_embedded(
    schema: &Schema,
    value: &Value,
    path: &Path<'_>,
    causes: &mut Vec<Cause>,
) {
    if !schema.has_embedded {
        return;
    }
    match value {
        Value::Object(map) => {
            if schema.embedded_resource {
                check_identity(map, path, causes);
            }
            for (name, child) in map {
                if let Some(field) = schema.field(name) {
                    check_embedded(field, child, &Path::Field(path, name), causes);
                }
            }
        }
        Value::Array(items) => {
            let Some(item_schema) = schema.item() else {
                return;
            };
            for (index, item) in items.iter().enumerate() {
                check_embedded(item_schema, item, &Path::Index(path, index), causes);
            }
        }
        _ => {}
    }
}

fn check_identity(map: &serde_json::Map<String, Value>, path: &Path<'_>, causes: &mut Vec<Cause>) {
    for name in ["apiVersion", "kind"] {
        let at = Path::Field(path, name);
        match map.get(name) {
            None => causes.push(Cause::required(&at, "")),
            Some(Value::String(text)) if text.is_empty() => {
                causes.push(Cause::invalid(&at, &Value::from(""), "must not be empty"));
            }
            Some(Value::String(_)) => {}
            Some(other) => causes.push(Cause::invalid(&at, other, "must be a string")),
        }
    }
}
