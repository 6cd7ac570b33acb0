//! JSON values as CEL values, typed by the schema.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine as _;
use chrono::DateTime;
use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::{Key, Map};
use serde_json::Value;

use super::check::escape;
use super::model::{Additional, Schema, Type};

/// The value that an expression sees as `self`.
///
/// `number` becomes a double even where it is whole; strings of the formats date, date-time, duration and byte become
/// timestamps, durations and bytes; of `metadata` of a whole object only name and generateName are visible.
pub(super) fn to_cel(value: &Value, schema: Option<&Schema>, resource: bool) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(flag) => Cel::Bool(*flag),
        Value::Number(number) => match (number.as_i64(), schema.and_then(|schema| schema.kind)) {
            (Some(int), Some(Type::Number)) => Cel::Float(int as f64),
            (Some(int), _) => Cel::Int(int),
            (None, Some(Type::Integer)) => Cel::Int(number.as_f64().unwrap_or_default() as i64),
            (None, _) => Cel::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => string(text, schema),
        Value::Array(items) => {
            let item_schema = schema.and_then(Schema::item);
            Cel::List(Arc::new(
                items
                    .iter()
                    .map(|item| to_cel(item, item_schema, false))
                    .collect(),
            ))
        }
        Value::Object(map) => object(map, schema, resource),
    }
}

fn object(map: &serde_json::Map<String, Value>, schema: Option<&Schema>, resource: bool) -> Cel {
    let resource = resource || schema.is_some_and(|schema| schema.embedded_resource);
    // Keys of a map are data; only names of declared fields are escaped.
    let free_keys = schema.is_some_and(|schema| {
        matches!(
            schema.additional,
            Some(Additional::Any | Additional::Schema(_))
        )
    });
    let mut fields = HashMap::with_capacity(map.len());
    for (name, value) in map {
        let value = if resource && name == "metadata" {
            visible_metadata(value)
        } else {
            to_cel(value, schema.and_then(|schema| schema.field(name)), false)
        };
        let key = if free_keys {
            name.clone()
        } else {
            escape(name)
        };
        fields.insert(Key::String(Arc::new(key)), value);
    }
    Cel::Map(Map {
        map: Arc::new(fields),
    })
}

fn visible_metadata(metadata: &Value) -> Cel {
    let visible = ["name", "generateName"].into_iter().filter_map(|name| {
        let text = metadata.get(name)?.as_str()?;
        Some((
            Key::String(Arc::new(name.to_owned())),
            Cel::String(Arc::new(text.to_owned())),
        ))
    });
    Cel::Map(Map {
        map: Arc::new(visible.collect()),
    })
}

fn string(text: &str, schema: Option<&Schema>) -> Cel {
    let format = schema
        .filter(|schema| !schema.int_or_string)
        .and_then(|schema| schema.format.as_deref());
    let typed = match format {
        Some("date-time" | "datetime") => DateTime::parse_from_rfc3339(&text.to_ascii_uppercase())
            .ok()
            .map(Cel::Timestamp),
        Some("date") => DateTime::parse_from_rfc3339(&format!("{text}T00:00:00Z"))
            .ok()
            .map(Cel::Timestamp),
        Some("duration") => go_duration(text).map(Cel::Duration),
        Some("byte") => {
            let bytes = base64::engine::general_purpose::STANDARD.decode(text).ok();
            bytes.map(|bytes| Cel::Bytes(Arc::new(bytes)))
        }
        _ => None,
    };
    typed.unwrap_or_else(|| Cel::String(Arc::new(text.to_owned())))
}

/// A duration as Go writes it: `1h30m`, `-1.5s`.
fn go_duration(text: &str) -> Option<chrono::Duration> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.trim_start_matches('+')),
    };
    if rest == "0" {
        return Some(chrono::Duration::zero());
    }
    let mut nanos = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let count: f64 = rest[..end].parse().ok()?;
        rest = &rest[end..];
        let unit = rest
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(rest.len());
        nanos += count
            * match &rest[..unit] {
                "ns" => 1.0,
                "us" | "µs" | "μs" => 1e3,
                "ms" => 1e6,
                "s" => 1e9,
                "m" => 60e9,
                "h" => 3600e9,
                _ => return None,
            };
        rest = &rest[unit..];
    }
    Some(chrono::Duration::nanoseconds(
        if negative { -nanos } else { nanos } as i64,
    ))
}
