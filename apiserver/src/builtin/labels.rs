//! Label selectors as the built-in kinds hold them.

use serde_json::{Map, Value};

use crate::schema::Cause;

/// Whether a LabelSelector selects the labels. An absent selector selects nothing.
pub(super) fn selects(selector: &Value, labels: &Value) -> bool {
    if !selector.is_object() {
        return false;
    }
    let text = |key: &str| labels.get(key).and_then(Value::as_str);
    let exact = entries(&selector["matchLabels"]).all(|(key, value)| text(key) == value.as_str());
    let expressions = selector["matchExpressions"]
        .as_array()
        .into_iter()
        .flatten();
    exact
        && expressions
            .into_iter()
            .all(|expression| requirement(expression, &text))
}

fn requirement<'a>(expression: &Value, label: &impl Fn(&str) -> Option<&'a str>) -> bool {
    let actual = label(expression["key"].as_str().unwrap_or_default());
    let listed = |text: &str| {
        expression["values"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|value| value.as_str() == Some(text))
    };
    match expression["operator"].as_str() {
        Some("In") => actual.is_some_and(listed),
        Some("NotIn") => !actual.is_some_and(listed),
        Some("Exists") => actual.is_some(),
        Some("DoesNotExist") => actual.is_none(),
        _ => false,
    }
}

/// `a=b,c in (d,e)`.
pub(super) fn format_selector(selector: &Value) -> String {
    let values = |expression: &Value| {
        let list = expression["values"].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).collect::<Vec<_>>().join(",")
    };
    let mut parts: Vec<String> = entries(&selector["matchLabels"])
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    for expression in selector["matchExpressions"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let key = expression["key"].as_str().unwrap_or_default();
        parts.push(match expression["operator"].as_str() {
            Some("In") => format!("{key} in ({})", values(expression)),
            Some("NotIn") => format!("{key} notin ({})", values(expression)),
            Some("DoesNotExist") => format!("!{key}"),
            _ => key.to_owned(),
        });
    }
    parts.sort();
    parts.join(",")
}

/// The causes that a workload has for its selector and template labels.
pub(super) fn check_workload(spec: &Value, causes: &mut Vec<Cause>) {
    let selector = &spec["selector"];
    let labels = &spec["template"]["metadata"]["labels"];
    let empty = Map::new();
    let shown = Value::Object(labels.as_object().unwrap_or(&empty).clone());
    let is_empty = |value: &Value| entries(value).next().is_none();
    if !selector.is_object() {
        causes.push(Cause::required("spec.selector", ""));
    } else if is_empty(&selector["matchLabels"])
        && selector["matchExpressions"]
            .as_array()
            .is_none_or(Vec::is_empty)
    {
        let detail = "empty selector is invalid for deployment";
        causes.push(Cause::invalid("spec.selector", selector, detail));
    }
    if !selects(selector, labels) {
        let shown = if labels.is_object() {
            shown
        } else {
            Value::Null
        };
        let detail = "`selector` does not match template `labels`";
        causes.push(Cause::invalid(
            "spec.template.metadata.labels",
            &shown,
            detail,
        ));
    }
}

/// The entries of a map, none where there is no map.
pub(super) fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
