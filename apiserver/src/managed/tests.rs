//! The cases of the real server, in words of [`apply`] and [`update`].

#![allow(clippy::unwrap_used)]

mod applying;
mod merging;
mod properties;
mod schema_changes;
mod sets;
mod updating;

use serde_json::{Value, json};

use super::{ApplyError, ApplyOptions, Reset, UpdateOptions, apply, update};
use crate::schema::{Additional, ListType, MapType, Schema, Type};

const NOW: &str = "2024-01-01T00:00:01Z";
const LATER: &str = "2024-01-01T00:00:02Z";
const API: &str = "example.com/v1";

/// A schema from the notation of a CRD, as far as merging looks at it.
pub(super) fn schema(value: &Value) -> Schema {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let flag = |name: &str| value.get(name) == Some(&json!(true));
    Schema {
        kind: text("type").and_then(Type::from_name),
        properties: value["properties"]
            .as_object()
            .map_or_else(Default::default, |fields| {
                fields
                    .iter()
                    .map(|(name, value)| (name.clone(), schema(value)))
                    .collect()
            }),
        additional: value
            .get("additionalProperties")
            .map(|value| Additional::Schema(Box::new(schema(value)))),
        items: value.get("items").map(|value| Box::new(schema(value))),
        default: value.get("default").cloned(),
        int_or_string: flag("x-kubernetes-int-or-string"),
        preserve_unknown: flag("x-kubernetes-preserve-unknown-fields"),
        list_type: text("x-kubernetes-list-type").map(|how| match how {
            "map" => ListType::Map,
            "set" => ListType::Set,
            _ => ListType::Atomic,
        }),
        list_map_keys: serde_json::from_value(value["x-kubernetes-list-map-keys"].clone())
            .unwrap_or_default(),
        map_type: (text("x-kubernetes-map-type") == Some("atomic")).then_some(MapType::Atomic),
        ..Schema::default()
    }
}

fn widget() -> Schema {
    schema(&json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
            "replicas": {"type": "integer"},
            "color": {"type": "string", "default": "red"},
            "name": {"type": "string"},
            "on": {"type": "boolean"},
            "either": {"x-kubernetes-int-or-string": true},
            "tags": {"type": "array", "items": {"type": "string"}},
            "groups": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "items": {"type": "object", "properties": {
                    "name": {"type": "string"}, "port": {"type": "integer"}, "protocol": {"type": "string"}}}},
            "sockets": {"type": "array", "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["port", "protocol"],
                "items": {"type": "object", "properties": {
                    "port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"},
                    "name": {"type": "string"}}}},
            "opts": {"type": "object", "properties": {
                "a": {"type": "string"}, "b": {"type": "string"},
                "deep": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}}},
            "selector": {"type": "object", "x-kubernetes-map-type": "atomic",
                "additionalProperties": {"type": "string"}},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}},
        "status": {"type": "object", "properties": {
            "phase": {"type": "string"},
            "conditions": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
                "items": {"type": "object", "properties": {
                    "type": {"type": "string"}, "status": {"type": "string"}, "reason": {"type": "string"}}}}}}}}))
}

/// An applied configuration with this spec.
fn config(spec: Value) -> Value {
    json!({"apiVersion": API, "kind": "Widget", "metadata": {"name": "a"}, "spec": spec})
}

fn options(manager: &str) -> ApplyOptions<'_> {
    ApplyOptions {
        manager,
        force: false,
        api_version: API,
        kind: "Widget",
        subresource: "",
        now: NOW,
        reset: Reset::Status,
        versions: None,
    }
}

fn updater(manager: &str) -> UpdateOptions<'_> {
    UpdateOptions {
        manager,
        api_version: API,
        subresource: "",
        now: NOW,
        reset: Reset::Status,
        versions: None,
    }
}

/// Applies a spec, as the manager.
fn applied(live: Option<&Value>, manager: &str, spec: Value) -> Result<Value, ApplyError> {
    apply(&widget(), live, &config(spec), &options(manager))
}

/// Replaces the spec, as the updater.
fn updated(live: &Value, manager: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut new = live.clone();
    change(&mut new);
    update(&widget(), Some(live), &mut new, &updater(manager));
    new
}

/// What a manager owns; null without an entry.
fn owned(object: &Value, manager: &str) -> Value {
    entry(object, manager)["fieldsV1"].clone()
}

fn entry(object: &Value, manager: &str) -> Value {
    let entries = object["metadata"]["managedFields"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    entries
        .into_iter()
        .find(|entry| entry["manager"] == manager)
        .unwrap_or_default()
}

fn spec_of(object: &Value) -> &Value {
    &object["spec"]
}

fn message(result: Result<Value, ApplyError>) -> String {
    result.unwrap_err().to_string()
}

fn force<'a>(manager: &'a str) -> ApplyOptions<'a> {
    ApplyOptions {
        force: true,
        now: LATER,
        ..options(manager)
    }
}
