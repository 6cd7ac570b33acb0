//! JSON text, read and written. Most of what it takes to change an object is this.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a text, which is looked at once for being UTF-8, not string by string.
pub(crate) fn read<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    match std::str::from_utf8(text) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(text),
    }
}

/// Appends the text of a value.
pub(crate) fn write(value: &Value, out: &mut Vec<u8>) {
    // Serialising plain JSON values into memory cannot fail.
    let _ = serde_json::to_writer(out, value);
}

/// Whether the text of a value is sure to be read as the same value: fractions may come back a little different.
pub(crate) fn is_exact(value: &Value) -> bool {
    match value {
        Value::Number(number) => !number.is_f64(),
        Value::Array(list) => list.iter().all(is_exact),
        Value::Object(map) => map.values().all(is_exact),
        _ => true,
    }
}
