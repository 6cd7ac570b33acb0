//! Request bodies: media types, JSON and YAML, and whether they are what the resource expects.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::call::{Call, FieldValidation};
use crate::error::{ApiError, ApiResult, Cause};
use crate::json;
use crate::object;
use crate::patch::go_kind;
use crate::resource::Resource;

/// How long a request waits for a revision of the future.
pub(crate) fn sync_await_limit() -> Duration {
    Duration::from_secs(3)
}

const ACCEPTED: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// The body of a create or update as an object of this resource, pruned and defaulted.
pub(super) fn object(call: &mut Call, resource: &Resource) -> ApiResult<Value> {
    let (value, twice) = raw(call, resource)?;
    typed(call, resource, value, twice)
}

fn raw(call: &Call, resource: &Resource) -> ApiResult<(Value, Vec<String>)> {
    let yaml = match call.content_type() {
        "" | "application/json" => false,
        "application/yaml" => true,
        _ => {
            return Err(ApiError::new(
                415,
                "UnsupportedMediaType",
                format!(
                    "the body of the request was in an unknown format - accepted media types include: {ACCEPTED}"
                ),
            ));
        }
    };
    let unrecognized = |why: String| {
        ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): {why} ({})",
            resource.kind,
            summary(&call.body)
        ))
    };
    let (mut value, twice) = parse(&call.body, yaml).map_err(|error| {
        unrecognized(format!(
            "couldn't get version/kind; json parse error: {error}"
        ))
    })?;
    if resource.is_custom() {
        if value["kind"].as_str().unwrap_or_default().is_empty() {
            let text = String::from_utf8_lossy(&call.body);
            return Err(unrecognized(format!(
                "Object 'Kind' is missing in '{text}'"
            )));
        }
    } else if value.is_object() {
        let top = object::top(&mut value);
        top.entry("apiVersion")
            .or_insert_with(|| resource.api_version.clone().into());
        top.entry("kind")
            .or_insert_with(|| resource.kind.clone().into());
    }
    Ok((value, twice))
}

/// The value, and the paths of fields that are given twice.
fn parse(body: &[u8], yaml: bool) -> Result<(Value, Vec<String>), String> {
    if yaml {
        let text = std::str::from_utf8(body).map_err(|e| e.to_string())?;
        return serde_saphyr::from_str(text)
            .map(|value| (value, Vec::new()))
            .map_err(|e| e.to_string());
    }
    super::duplicates::parse(body).map_err(|error| go_error(body, &error))
}

/// Parses JSON; the error is worded as Go's.
pub(super) fn json_value(body: &[u8]) -> Result<Value, String> {
    json::read(body).map_err(|error| go_error(body, &error))
}

fn go_error(body: &[u8], error: &serde_json::Error) -> String {
    if error.is_eof() || body.is_empty() {
        return "unexpected end of JSON input".into();
    }
    let line_start: usize = body
        .split_inclusive(|c| *c == b'\n')
        .take(error.line().saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    let at = (line_start + error.column()).saturating_sub(1);
    let text = String::from_utf8_lossy(&body[at.min(body.len())..]);
    match text.chars().next() {
        Some(c) => format!("invalid character '{c}' looking for beginning of value"),
        None => "unexpected end of JSON input".into(),
    }
}

fn summary(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    if text.is_empty() {
        return "<empty>".into();
    }
    match text.char_indices().nth(30) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text.into_owned(),
    }
}

/// Checks version and kind, prunes, defaults, and reports unknown fields as asked.
fn typed(
    call: &mut Call,
    resource: &Resource,
    mut value: Value,
    twice: Vec<String>,
) -> ApiResult<Value> {
    let api_version = value["apiVersion"].as_str().unwrap_or_default().to_owned();
    let expected = resource.api_version.as_str();
    let kind = value["kind"].as_str().unwrap_or_default().to_owned();
    if resource.is_custom() {
        if api_version != expected {
            if call.method == "POST" {
                call.warn_unknown_version(&value);
            }
            return Err(ApiError::bad_request(format!(
                "the API version in the data ({api_version}) does not match the expected API version ({expected})"
            )));
        }
    } else if api_version != expected || kind != resource.kind {
        return Err(foreign_builtin(resource, &api_version, &kind));
    }
    let unknown = resource
        .model
        .decode(&mut value)
        .map_err(|why| unhandled(resource, &why))?;
    let twice = twice
        .into_iter()
        .map(|field| format!("duplicate field \"{field}\""));
    let faults = twice.chain(unknown_fields(unknown)).collect();
    report(call, resource, faults)?;
    resource.model.default(&mut value);
    if resource.is_custom() && kind != resource.kind {
        let cause = Cause::invalid(
            "kind",
            &kind.as_str().into(),
            &format!("must be {}", resource.kind),
        );
        let name = object::meta(&value, "name");
        return Err(ApiError::invalid(&resource.group, &kind, name, &[cause]));
    }
    Ok(value)
}

fn foreign_builtin(resource: &Resource, api_version: &str, kind: &str) -> ApiError {
    let (group, version) = object::split_api_version(api_version);
    let internal = if group.is_empty() {
        "core"
    } else {
        group.split('.').next().unwrap_or(group)
    };
    if api_version != resource.api_version {
        return ApiError::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({})",
            resource.api_version
        ));
    }
    ApiError::bad_request(format!(
        "{kind} in version \"{version}\" cannot be handled as a {}: converting ({version}.{kind}) to ({internal}.{}): unknown conversion",
        resource.kind, resource.kind
    ))
}

/// Unknown fields in words, in the order of their paths.
pub(super) fn unknown_fields(mut paths: Vec<String>) -> Vec<String> {
    paths.sort();
    paths
        .into_iter()
        .map(|field| format!("unknown field \"{field}\""))
        .collect()
}

/// Reports what strict decoding would refuse, as `fieldValidation` asks.
pub(super) fn report(call: &mut Call, resource: &Resource, faults: Vec<String>) -> ApiResult<()> {
    if faults.is_empty() {
        return Ok(());
    }
    match call.field_validation() {
        FieldValidation::Ignore => Ok(()),
        FieldValidation::Warn => {
            for fault in faults {
                call.warn(fault);
            }
            Ok(())
        }
        FieldValidation::Strict => Err(unhandled(
            resource,
            &format!("strict decoding error: {}", faults.join(", ")),
        )),
    }
}

const METADATA_FIELDS: [(&str, Shape); 16] = [
    ("name", Shape::Text),
    ("generateName", Shape::Text),
    ("namespace", Shape::Text),
    ("selfLink", Shape::Text),
    ("uid", Shape::Text),
    ("resourceVersion", Shape::Text),
    ("generation", Shape::Number),
    ("creationTimestamp", Shape::Time),
    ("deletionTimestamp", Shape::Time),
    ("deletionGracePeriodSeconds", Shape::Number),
    ("labels", Shape::TextMap),
    ("annotations", Shape::TextMap),
    ("ownerReferences", Shape::List),
    ("finalizers", Shape::TextList),
    ("managedFields", Shape::List),
    ("clusterName", Shape::Text),
];

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Text,
    Number,
    Time,
    TextMap,
    TextList,
    List,
}

fn unhandled(resource: &Resource, why: &str) -> ApiError {
    ApiError::bad_request(format!(
        "{} in version \"{}\" cannot be handled as a {}: {why}",
        resource.kind, resource.version, resource.kind
    ))
}

/// Checks `metadata` against ObjectMeta, drops what it does not know and what is empty; returns the unknown paths.
pub(crate) fn metadata_types(value: &mut Value) -> Result<Vec<String>, String> {
    let mut unknown = Vec::new();
    if !value.is_object() {
        return Err(format!(
            "json: cannot unmarshal {} into Go value",
            go_kind(value)
        ));
    }
    let Some(metadata) = object::top(value).get_mut("metadata") else {
        object::meta_mut(value);
        return Ok(unknown);
    };
    if metadata.is_null() {
        *metadata = Value::Object(Map::new());
    }
    let Value::Object(map) = metadata else {
        return Err(wrong_type("metadata", metadata, "v1.ObjectMeta"));
    };
    let mut wrong = None;
    map.retain(|key, field| {
        let Some((_, shape)) = METADATA_FIELDS.iter().find(|(name, _)| name == key) else {
            unknown.push(format!("metadata.{key}"));
            return false;
        };
        match fits(*shape, field) {
            Ok(keep) => keep,
            Err(expected) => {
                wrong.get_or_insert_with(|| wrong_type(key, field, expected));
                false
            }
        }
    });
    match wrong {
        Some(text) => Err(text),
        None => Ok(unknown),
    }
}

/// Whether a field of ObjectMeta is of its type, and whether it stays (an empty one does not).
fn fits(shape: Shape, value: &mut Value) -> Result<bool, &'static str> {
    match (shape, value) {
        (_, Value::Null) => Ok(false),
        (Shape::Text | Shape::Time, Value::String(text)) => Ok(!text.is_empty()),
        (Shape::Number, Value::Number(number)) if number.is_i64() => Ok(true),
        (Shape::TextMap, Value::Object(map)) => {
            for text in map.values_mut() {
                if text.is_null() {
                    *text = "".into();
                }
            }
            let strings = map.values().all(Value::is_string);
            if strings {
                Ok(!map.is_empty())
            } else {
                Err("string")
            }
        }
        (Shape::TextList, Value::Array(list)) => {
            if list.iter().all(Value::is_string) {
                Ok(!list.is_empty())
            } else {
                Err("string")
            }
        }
        // An empty list of managers is a request to forget them, so it stays.
        (Shape::List, Value::Array(_)) => Ok(true),
        (Shape::Text, _) => Err("string"),
        (Shape::Time, _) => Err("v1.Time"),
        (Shape::Number, _) => Err("int64"),
        (Shape::TextMap, _) => Err("map[string]string"),
        (Shape::TextList, _) => Err("[]string"),
        (Shape::List, _) => Err("list"),
    }
}

fn wrong_type(field: &str, value: &Value, expected: &str) -> String {
    let inner = match value {
        Value::Object(map) => map.values().find(|v| !v.is_string()).unwrap_or(value),
        Value::Array(list) => list.iter().find(|v| !v.is_string()).unwrap_or(value),
        other => other,
    };
    format!(
        "json: cannot unmarshal {} into Go struct field ObjectMeta.metadata.{field} of type {expected}",
        go_kind(inner)
    )
}
