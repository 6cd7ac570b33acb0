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

/// Appends the text of a value. Tells whether it is sure to be read as the same value: fractions may come back a
/// little different.
pub(crate) fn write(value: &Value, out: &mut Vec<u8>) -> bool {
    let mut exact = true;
    match value {
        Value::String(text) => write_string(text, out),
        Value::Object(fields) => {
            out.push(b'{');
            for (place, (name, value)) in fields.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_string(name, out);
                out.push(b':');
                exact &= write(value, out);
            }
            out.push(b'}');
        }
        Value::Array(items) => {
            out.push(b'[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                exact &= write(item, out);
            }
            out.push(b']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            exact = !value.is_f64();
            write_plainly(value, out);
        }
    }
    exact
}

/// 1 for the bytes that do not stand for themselves in a string.
const SPECIAL: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = 1;
        byte += 1;
    }
    table[b'"' as usize] = 1;
    table[b'\\' as usize] = 1;
    table
};

fn write_string(text: &str, out: &mut Vec<u8>) {
    // Without a branch for each byte.
    let specials = |sum: u8, byte: u8| sum | SPECIAL[usize::from(byte)];
    if text.bytes().fold(0, specials) == 0 {
        out.reserve(text.len() + 2);
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        write_plainly(text, out);
    }
}

fn write_plainly(value: &(impl serde::Serialize + ?Sized), out: &mut Vec<u8>) {
    // Serialising plain JSON values into memory cannot fail.
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[a-z\"\\\\\u{0}-\u{20}\u{7f}é]{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_text_is_that_of_the_library(value in any_value()) {
            let mut text = Vec::new();
            write(&value, &mut text);
            prop_assert_eq!(String::from_utf8(text).unwrap(), value.to_string());
        }
    }

    #[test]
    fn fractions_are_told() {
        let exact = |value: Value| write(&value, &mut Vec::new());
        assert!(exact(json!({ "a": [1, -1, "1.5", null, true] })));
        assert!(!exact(json!({ "a": [{ "b": 1.5 }, 1] })));
    }
}
