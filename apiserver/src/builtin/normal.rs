//! Reading a body the way a typed server does: types, base64, times, quantities, and no empty fields.

use serde_json::Value;

use super::quantity;
use crate::schema::{Coding, Schema, Type};

/// Checks the JSON types below `object` and brings coded strings to their normal form.
pub(super) fn decode(schema: &Schema, object: &mut Value) -> Result<(), String> {
    let at = Place {
        structure: schema.type_name.unwrap_or_default(),
        path: String::new(),
    };
    value(schema, object, &at)
}

/// Where a decoding error is said to be: the innermost structure, and the path from the root without indices.
struct Place {
    structure: &'static str,
    path: String,
}

impl Place {
    fn mismatch(&self, value: &Value, schema: &Schema) -> String {
        let given = match value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let (structure, path, kind) = (self.structure, &self.path, go_type(schema));
        format!(
            "json: cannot unmarshal {given} into Go struct field {structure}.{path} of type {kind}"
        )
    }
}

fn go_type(schema: &Schema) -> String {
    match (schema.type_name, schema.kind) {
        (Some(name), Some(Type::Object)) => format!("v1.{name}"),
        (Some(name), _) => name.to_owned(),
        (None, Some(Type::Array)) => {
            format!("[]{}", schema.item().map(go_type).unwrap_or_default())
        }
        (None, Some(Type::Object)) => {
            format!(
                "map[string]{}",
                schema.field("").map(go_type).unwrap_or_default()
            )
        }
        (None, _) => "intstr.IntOrString".to_owned(),
    }
}

fn value(schema: &Schema, value: &mut Value, at: &Place) -> Result<(), String> {
    match (&mut *value, schema.kind) {
        (Value::Null, _) | (_, None) if schema.coding == Coding::Plain => Ok(()),
        (Value::Null, _) => Ok(()),
        (_, Some(Type::String)) => string(schema, value, at),
        (Value::Number(number), Some(Type::Integer)) => {
            let fits = match schema.format.as_deref() {
                Some("int32") => number
                    .as_i64()
                    .is_some_and(|value| i32::try_from(value).is_ok()),
                _ => number.as_i64().is_some(),
            };
            if fits {
                return Ok(());
            }
            let (structure, path, kind) = (at.structure, &at.path, go_type(schema));
            Err(format!(
                "json: cannot unmarshal number {number} into Go struct field {structure}.{path} of type {kind}"
            ))
        }
        (Value::Number(_), Some(Type::Number)) | (Value::Bool(_), Some(Type::Boolean)) => Ok(()),
        (Value::Array(items), Some(Type::Array)) => match schema.item() {
            Some(item_schema) => items
                .iter_mut()
                .try_for_each(|item| self::value(item_schema, item, at)),
            None => Ok(()),
        },
        (Value::Object(map), Some(Type::Object)) => {
            let free = schema.additional.is_some();
            for (name, child) in map.iter_mut() {
                let Some(field) = schema.field(name) else {
                    continue;
                };
                let path = match (free, at.path.as_str()) {
                    (true, path) => path.to_owned(),
                    (false, "") => name.clone(),
                    (false, path) => format!("{path}.{name}"),
                };
                let structure = if free {
                    at.structure
                } else {
                    schema.type_name.unwrap_or(at.structure)
                };
                self::value(field, child, &Place { structure, path })?;
            }
            Ok(())
        }
        _ => Err(at.mismatch(value, schema)),
    }
}

fn string(schema: &Schema, value: &mut Value, at: &Place) -> Result<(), String> {
    match (schema.coding, &*value) {
        (Coding::Plain, Value::String(_)) => Ok(()),
        (Coding::Bytes, Value::String(text)) => base64_fault(text),
        (Coding::Time, Value::String(text)) => {
            let time: jiff::Timestamp = text
                .parse()
                .map_err(|_| time_fault(text, "2006-01-02T15:04:05Z07:00"))?;
            *value = Value::from(time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
            Ok(())
        }
        (Coding::MicroTime, Value::String(text)) => {
            let layout = "2006-01-02T15:04:05.000000Z07:00";
            let digits = text
                .split_once('.')
                .map(|(_, rest)| rest.bytes().take_while(u8::is_ascii_digit).count());
            let time: jiff::Timestamp = text.parse().map_err(|_| time_fault(text, layout))?;
            if digits != Some(6) {
                return Err(time_fault(text, layout));
            }
            *value = Value::from(time.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string());
            Ok(())
        }
        (Coding::Quantity, Value::String(_) | Value::Number(_)) => {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            *value =
                Value::from(quantity::canonical(&text).ok_or_else(|| quantity::FAULT.to_owned())?);
            Ok(())
        }
        _ => Err(at.mismatch(value, schema)),
    }
}

fn time_fault(text: &str, layout: &str) -> String {
    format!("parsing time {text:?} as {layout:?}: cannot parse {text:?} as \"2006\"")
}

/// The error of Go's decoder names the first byte that is wrong.
fn base64_fault(text: &str) -> Result<(), String> {
    use base64::Engine as _;
    let clean: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    match base64::engine::general_purpose::STANDARD.decode(&clean) {
        Ok(_) => Ok(()),
        Err(
            base64::DecodeError::InvalidByte(at, _) | base64::DecodeError::InvalidLastSymbol(at, _),
        ) => Err(format!("illegal base64 data at input byte {at}")),
        Err(_) => Err(format!(
            "illegal base64 data at input byte {}",
            clean.len() / 4 * 4
        )),
    }
}

/// Leaves out zero values where the type does not keep them.
pub(super) fn drop_empty(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(map) => map.retain(|name, child| {
            let Some(field) = schema.field(name) else {
                return true;
            };
            drop_empty(field, child);
            !(field.omit_empty && is_zero(child))
        }),
        Value::Array(items) => {
            let Some(item_schema) = schema.item() else {
                return;
            };
            items
                .iter_mut()
                .for_each(|item| drop_empty(item_schema, item));
        }
        _ => {}
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}
