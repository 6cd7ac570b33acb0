//! JSON merge patch (RFC 7386).

use serde_json::{Map, Value};

use super::{PatchError, go_kind};

/// The document with `patch` merged into it: objects merge, `null` removes, all else replaces.
pub fn apply(doc: &Value, patch: &Value) -> Value {
    let mut merged = doc.clone();
    merge(&mut merged, patch.clone());
    merged
}

/// The same, for a document that is at hand to be changed, and a patch that is not needed any more.
///
/// Beyond the RFC, and as the real server has it, `null` fields of objects in a list that comes new are dropped, too.
pub fn merge(doc: &mut Value, patch: Value) {
    let fields = match patch {
        Value::Object(fields) => fields,
        patch => {
            *doc = if doc.is_object() {
                patch
            } else {
                without_nulls(patch)
            };
            return;
        }
    };
    if !doc.is_object() {
        *doc = Value::Object(Map::new());
    }
    let Value::Object(target) = doc else { return };
    for (key, value) in fields {
        if value.is_null() {
            target.remove(&key);
        } else if let Some(present) = target.get_mut(&key) {
            merge(present, value);
        } else {
            target.insert(key, without_nulls(value));
        }
    }
}

/// The value without `null` fields; `null` items of lists stay.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(
                kept.map(|(name, value)| (name, without_nulls(value)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
}

/// Refuses, in the words of the real server, a patch document that is not an object.
///
/// # Errors
/// 400 for everything but an object or `null`.
pub fn check(patch: &Value) -> Result<(), PatchError> {
    match patch {
        Value::Object(_) | Value::Null => Ok(()),
        other => Err(PatchError::BadRequest(format!(
            "error decoding patch: json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            go_kind(other)
        ))),
    }
}
