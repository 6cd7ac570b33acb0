//! Whether an `openAPIV3Schema` is one that the server accepts: structural, with sane keywords and valid defaults.
//!
//! Rules and texts follow `apiextensions-apiserver/pkg/apiserver/schema` and `.../apis/apiextensions/validation`.

use serde_json::{Map, Value};

use super::cause::Cause;
use super::list_rules::{lists, must_be};
use super::model::Schema;
use super::nested;
use super::validation::{child_path, validate_default};

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Field,
    Item,
}

/// Everything that is wrong with `schema`, which stands at `path`; patterns and rules apart, which
/// [`Schema::parse_at`] reports.
pub fn structural_causes(schema: &Value, path: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    let Some(map) = schema.as_object() else {
        return vec![Cause::required(path, "")];
    };
    if map.get("nullable") == Some(&Value::Bool(true)) {
        causes.push(Cause::forbidden(
            format!("{path}.nullable"),
            "nullable cannot be true at the root",
        ));
    }
    node(map, Level::Root, path, &mut causes);
    causes
}

fn node(map: &Map<String, Value>, level: Level, path: &str, causes: &mut Vec<Cause>) {
    keywords(map, level, path, causes);
    type_of(map, level, path, causes);
    lists(map, path, causes);
    maps(map, path, causes);
    metadata(map, level, path, causes);
    defaults(map, level, path, causes);
    for (keyword, list) in value_validations(map) {
        for (index, validation) in list.into_iter().enumerate() {
            let at = if keyword == "not" {
                format!("{path}.not")
            } else {
                format!("{path}.{keyword}[{index}]")
            };
            let exempt = nested::int_or_string_pattern(map, keyword);
            nested::check(validation, map, &at, path, exempt, causes);
        }
    }
    if let Some(Value::Object(properties)) = map.get("properties") {
        for (name, property) in properties {
            if let Some(property) = property.as_object() {
                node(
                    property,
                    Level::Field,
                    &format!("{path}.properties[{name}]"),
                    causes,
                );
            }
        }
    }
    if let Some(Value::Object(items)) = map.get("items") {
        node(items, Level::Item, &format!("{path}.items"), causes);
    }
    if let Some(Value::Object(values)) = map.get("additionalProperties") {
        node(
            values,
            Level::Field,
            &format!("{path}.additionalProperties"),
            causes,
        );
    }
}

pub(super) fn text<'a>(map: &'a Map<String, Value>, key: &str) -> &'a str {
    map.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn flag(map: &Map<String, Value>, key: &str) -> bool {
    map.get(key) == Some(&Value::Bool(true))
}

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

fn keywords(map: &Map<String, Value>, level: Level, path: &str, causes: &mut Vec<Cause>) {
    for keyword in [
        "$ref",
        "additionalItems",
        "definitions",
        "dependencies",
        "id",
        "patternProperties",
    ] {
        if map.get(keyword).is_some_and(|value| !value.is_null()) {
            causes.push(Cause::forbidden(
                format!("{path}.{keyword}"),
                format!("{keyword} is not supported"),
            ));
        }
    }
    if flag(map, "uniqueItems") {
        let detail =
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        causes.push(Cause::forbidden(format!("{path}.uniqueItems"), detail));
    }
    let additional = format!("{path}.additionalProperties");
    match map.get("additionalProperties") {
        Some(Value::Bool(false)) => {
            causes.push(Cause::forbidden(
                additional,
                "additionalProperties cannot be set to false",
            ));
        }
        Some(Value::Null) | None => {}
        Some(_) if level == Level::Root => {
            causes.push(Cause::forbidden(additional, "must not be used at the root"));
        }
        Some(_)
            if map
                .get("properties")
                .and_then(Value::as_object)
                .is_some_and(|map| !map.is_empty()) =>
        {
            causes.push(Cause::forbidden(
                additional,
                "additionalProperties and properties are mutual exclusive",
            ));
        }
        Some(_) if flag(map, "x-kubernetes-embedded-resource") => {
            let detail = "must not be used if x-kubernetes-embedded-resource is set";
            causes.push(Cause::forbidden(additional, detail));
        }
        Some(_) => {}
    }
    if map.get("items").is_some_and(Value::is_array) {
        let detail = "items must be a schema object and not an array";
        causes.push(Cause::forbidden(format!("{path}.items"), detail));
    }
    if map.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
        let detail = "must be true or undefined";
        let at = format!("{path}.x-kubernetes-preserve-unknown-fields");
        causes.push(Cause::invalid(at, &Value::Bool(false), detail));
    }
    if flag(map, "x-kubernetes-int-or-string") && !text(map, "type").is_empty() {
        let detail = "must be empty if x-kubernetes-int-or-string is true";
        causes.push(Cause::invalid(format!("{path}.type"), &map["type"], detail));
    }
}

fn type_of(map: &Map<String, Value>, level: Level, path: &str, causes: &mut Vec<Cause>) {
    let at = format!("{path}.type");
    let kind = text(map, "type");
    let embedded = flag(map, "x-kubernetes-embedded-resource");
    let free = flag(map, "x-kubernetes-int-or-string")
        || flag(map, "x-kubernetes-preserve-unknown-fields");
    if kind == "null" {
        let detail = "type cannot be set to null, use nullable as an alternative";
        causes.push(Cause::forbidden(at, detail));
    } else if !kind.is_empty() && !TYPES.contains(&kind) {
        causes.push(Cause::unsupported(at, &map["type"], TYPES));
    } else if embedded && kind != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        causes.push(if kind.is_empty() {
            Cause::required(at, detail)
        } else {
            Cause::invalid(at, &map["type"], detail)
        });
    } else if kind.is_empty() && !free {
        causes.push(Cause::required(
            at,
            match level {
                Level::Root => "must not be empty at the root",
                Level::Field => "must not be empty for specified object fields",
                Level::Item => "must not be empty for specified array items",
            },
        ));
    } else if level == Level::Root && !kind.is_empty() && kind != "object" {
        causes.push(Cause::invalid(
            at,
            &map["type"],
            "must be object at the root",
        ));
    }
    if kind == "array" && map.get("items").is_none_or(Value::is_null) {
        causes.push(Cause::required(
            format!("{path}.items"),
            "must be specified",
        ));
    }
}

fn maps(map: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    let map_type = text(map, "x-kubernetes-map-type");
    if map_type.is_empty() {
        return;
    }
    must_be(map, "object", "x-kubernetes-map-type", path, causes);
    if !matches!(map_type, "atomic" | "granular") {
        let at = format!("{path}.x-kubernetes-map-type");
        causes.push(Cause::unsupported(
            at,
            &Value::from(map_type),
            ["atomic", "granular"],
        ));
    }
}

/// Of `apiVersion`, `kind` and `metadata` of a whole object only little may be said.
fn metadata(map: &Map<String, Value>, level: Level, path: &str, causes: &mut Vec<Cause>) {
    if level != Level::Root && !flag(map, "x-kubernetes-embedded-resource") {
        return;
    }
    let Some(properties) = map.get("properties").and_then(Value::as_object) else {
        return;
    };
    for (name, kind) in [
        ("apiVersion", "string"),
        ("kind", "string"),
        ("metadata", "object"),
    ] {
        let Some(property) = properties.get(name).and_then(Value::as_object) else {
            continue;
        };
        if text(property, "type") != kind {
            let at = format!("{path}.properties[{name}].type");
            causes.push(Cause::invalid(
                at,
                &Value::from(text(property, "type")),
                format!("must be {kind}"),
            ));
        }
    }
    let inner = properties
        .get("metadata")
        .and_then(|metadata| metadata["properties"].as_object());
    if level == Level::Root
        && inner.is_some_and(|inner| inner.keys().any(|k| k != "name" && k != "generateName"))
    {
        let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        causes.push(Cause::forbidden(
            format!("{path}.properties[metadata]"),
            detail,
        ));
    }
}

fn defaults(map: &Map<String, Value>, level: Level, path: &str, causes: &mut Vec<Cause>) {
    let Some(default) = map.get("default").filter(|default| !default.is_null()) else {
        return;
    };
    let at = format!("{path}.default");
    if level == Level::Root && default.as_object().is_none_or(|map| !map.is_empty()) {
        causes.push(Cause::forbidden(at, "must not be set at the root"));
        return;
    }
    // Faults of patterns and rules are reported once, by the parser.
    let Ok(schema) = Schema::parse(&Value::Object(map.clone())) else {
        return;
    };
    let mut value = default.clone();
    super::default(&schema, &mut value);
    for cause in validate_default(&schema, &value) {
        let field = if cause.field.is_empty() {
            at.clone()
        } else {
            child_path(&at, &cause.field)
        };
        let field = if cause.field == "<nil>" {
            at.clone()
        } else {
            field
        };
        causes.push(Cause { field, ..cause });
    }
}

pub(super) fn value_validations(
    map: &Map<String, Value>,
) -> Vec<(&'static str, Vec<&Map<String, Value>>)> {
    let mut found = Vec::new();
    for keyword in ["allOf", "anyOf", "oneOf"] {
        if let Some(list) = map.get(keyword).and_then(Value::as_array) {
            found.push((keyword, list.iter().filter_map(Value::as_object).collect()));
        }
    }
    if let Some(not) = map.get("not").and_then(Value::as_object) {
        found.push(("not", vec![not]));
    }
    found
}
