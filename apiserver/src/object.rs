//! Reading and writing the metadata of objects that are plain JSON.

use serde_json::{Map, Value};

/// A string field of `metadata`, empty if absent.
pub(crate) fn meta<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// `metadata` for writing; made if it is not there.
pub(crate) fn meta_mut(object: &mut Value) -> &mut Map<String, Value> {
    static_object(field_mut(object, "metadata"))
}

fn field_mut<'a>(object: &'a mut Value, field: &str) -> &'a mut Value {
    static_object(object).entry(field).or_insert(Value::Null)
}

fn static_object(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("made an object above"),
    }
}

/// Top level of an object; made if it is not one.
pub(crate) fn top(object: &mut Value) -> &mut Map<String, Value> {
    static_object(object)
}

/// `metadata.generation`, 0 if absent.
pub(crate) fn generation(object: &Value) -> i64 {
    object["metadata"]["generation"].as_i64().unwrap_or(0)
}

/// `metadata.finalizers`.
pub(crate) fn finalizers(object: &Value) -> Vec<&str> {
    object["metadata"]["finalizers"]
        .as_array()
        .map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

/// Whether the object waits for its finalizers.
pub(crate) fn is_terminating(object: &Value) -> bool {
    !meta(object, "deletionTimestamp").is_empty()
}

/// Group and version of an `apiVersion`.
pub(crate) fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// Whether anything outside of `metadata` (and `status`, if asked) differs.
pub(crate) fn content_differs(old: &Value, new: &Value, ignore_status: bool) -> bool {
    let skip = |key: &str| {
        matches!(key, "metadata" | "apiVersion" | "kind") || (ignore_status && key == "status")
    };
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
        return old != new;
    };
    old.iter()
        .any(|(key, value)| !skip(key) && new.get(key) != Some(value))
        || new.keys().any(|key| !skip(key) && !old.contains_key(key))
}
