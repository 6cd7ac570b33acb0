//! Structural schemas: what lists must declare.

use serde_json::{Map, Value};

use super::cause::Cause;
use super::structural::text;

pub(super) fn lists(map: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    let keys: Vec<&str> = map
        .get("x-kubernetes-list-map-keys")
        .and_then(Value::as_array)
        .map(|keys| keys.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let list_type = text(map, "x-kubernetes-list-type");
    let at = format!("{path}.x-kubernetes-list-type");
    if !list_type.is_empty() {
        must_be(map, "array", "x-kubernetes-list-type", path, causes);
        if !matches!(list_type, "atomic" | "set" | "map") {
            let value = Value::from(list_type);
            causes.push(Cause::unsupported(
                at.clone(),
                &value,
                ["atomic", "map", "set"],
            ));
        }
    }
    if !keys.is_empty() && list_type != "map" {
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        causes.push(if list_type.is_empty() {
            Cause::required(at, detail)
        } else {
            Cause::invalid(at, &Value::from(list_type), detail)
        });
    }
    if list_type == "map" {
        list_map(map, &keys, path, causes);
    }
    if list_type == "set"
        && let Some(Value::Object(items)) = map.get("items")
    {
        set_items(items, path, causes);
    }
}

pub(super) fn must_be(
    map: &Map<String, Value>,
    kind: &str,
    keyword: &str,
    path: &str,
    causes: &mut Vec<Cause>,
) {
    let given = text(map, "type");
    if given != kind {
        let (at, detail) = (
            format!("{path}.type"),
            format!("must be {kind} if {keyword} is specified"),
        );
        causes.push(if given.is_empty() {
            Cause::required(at, detail)
        } else {
            Cause::invalid(at, &Value::from(given), detail)
        });
    }
}

fn list_map(map: &Map<String, Value>, keys: &[&str], path: &str, causes: &mut Vec<Cause>) {
    let at = format!("{path}.x-kubernetes-list-map-keys");
    if keys.is_empty() {
        causes.push(Cause::required(
            at,
            "must not be empty if x-kubernetes-list-type is map",
        ));
        return;
    }
    let Some(Value::Object(items)) = map.get("items") else {
        let detail = "must have a schema if x-kubernetes-list-type is map";
        causes.push(Cause::required(format!("{path}.items"), detail));
        return;
    };
    if text(items, "type") != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        let value = Value::from(text(items, "type"));
        causes.push(Cause::invalid(format!("{path}.items.type"), &value, detail));
    }
    let required = items.get("required").and_then(Value::as_array);
    for (index, key) in keys.iter().enumerate() {
        let Some(property) = items
            .get("properties")
            .and_then(|properties| properties.get(key))
        else {
            let detail = "entries must all be names of item properties";
            causes.push(Cause::invalid(
                format!("{at}[{index}]"),
                &Value::from(*key),
                detail,
            ));
            continue;
        };
        let kind = property["type"].as_str().unwrap_or_default();
        let property_path = format!("{path}.items.properties[{key}]");
        if matches!(kind, "array" | "object") {
            let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
            causes.push(Cause::invalid(
                format!("{property_path}.type"),
                &property["type"],
                detail,
            ));
        }
        let is_required = required.is_some_and(|required| required.iter().any(|name| name == key));
        if !is_required && property.get("default").is_none_or(Value::is_null) {
            let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required \
                          property";
            causes.push(Cause::required(format!("{property_path}.default"), detail));
        }
    }
}

fn set_items(items: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    let (keyword, kind) = match text(items, "type") {
        "array" => ("x-kubernetes-list-type", "list"),
        "object" => ("x-kubernetes-map-type", "map"),
        _ => return,
    };
    if text(items, keyword) != "atomic" && !(kind == "list" && text(items, keyword).is_empty()) {
        let at = format!("{path}.items.{keyword}");
        let value = items.get(keyword).cloned().unwrap_or(Value::Null);
        causes.push(Cause::invalid(
            at,
            &value,
            "must be atomic as item of a list with x-kubernetes-list-type=set",
        ));
    }
}
