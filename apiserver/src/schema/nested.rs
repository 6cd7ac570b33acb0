//! Value validations (`allOf`, `anyOf`, `oneOf`, `not`) of a structural schema: what they may not say.

use serde_json::{Map, Value};

use super::cause::Cause;
use super::structural::{flag, text, value_validations};

/// int-or-string may repeat its two types in `anyOf`, alone or as the first of `allOf`.
pub(super) fn int_or_string_pattern(map: &Map<String, Value>, keyword: &str) -> bool {
    flag(map, "x-kubernetes-int-or-string") && matches!(keyword, "anyOf" | "allOf")
}

/// Inside of value validations nothing may be declared: no types, no defaults, no fields that the outside lacks.
pub(super) fn check(
    validation: &Map<String, Value>,
    outside: &Map<String, Value>,
    at: &str,
    outside_path: &str,
    exempt: bool,
    causes: &mut Vec<Cause>,
) {
    if !exempt && !text(validation, "type").is_empty() {
        causes.push(Cause::forbidden(
            format!("{at}.type"),
            "must be empty to be structural",
        ));
    }
    for keyword in ["default", "additionalProperties"] {
        if validation
            .get(keyword)
            .is_some_and(|value| !value.is_null())
        {
            causes.push(Cause::forbidden(
                format!("{at}.{keyword}"),
                "must be undefined to be structural",
            ));
        }
    }
    for keyword in [
        "nullable",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
    ] {
        if flag(validation, keyword) {
            causes.push(Cause::forbidden(
                format!("{at}.{keyword}"),
                "must be false to be structural",
            ));
        }
    }
    for keyword in ["title", "description"] {
        if !text(validation, keyword).is_empty() {
            causes.push(Cause::forbidden(
                format!("{at}.{keyword}"),
                "must be empty to be structural",
            ));
        }
    }
    for (keyword, list) in value_validations(validation) {
        for (index, inner) in list.into_iter().enumerate() {
            let inner_at = if keyword == "not" {
                format!("{at}.not")
            } else {
                format!("{at}.{keyword}[{index}]")
            };
            check(inner, outside, &inner_at, outside_path, exempt, causes);
        }
    }
    fields(validation, outside, at, outside_path, causes);
}

fn fields(
    validation: &Map<String, Value>,
    outside: &Map<String, Value>,
    at: &str,
    outside_path: &str,
    causes: &mut Vec<Cause>,
) {
    let because = || format!("because it is defined in {at}");
    for (name, inner) in validation
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let Some(inner) = inner.as_object() else {
            continue;
        };
        let inner_at = format!("{at}.properties[{name}]");
        let declared = outside
            .get("properties")
            .and_then(|properties| properties.get(name));
        let path = format!("{outside_path}.properties[{name}]");
        match declared.and_then(Value::as_object) {
            Some(declared) => check(inner, declared, &inner_at, &path, false, causes),
            None => causes.push(Cause::required(
                path,
                format!("because it is defined in {inner_at}"),
            )),
        }
    }
    if let Some(items) = validation.get("items").and_then(Value::as_object) {
        match outside.get("items").and_then(Value::as_object) {
            Some(declared) => {
                check(
                    items,
                    declared,
                    &format!("{at}.items"),
                    &format!("{outside_path}.items"),
                    false,
                    causes,
                );
            }
            None => causes.push(Cause::required(format!("{outside_path}.items"), because())),
        }
    }
}
