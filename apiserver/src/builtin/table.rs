//! Columns and cells of the table form of built-in kinds.

use serde_json::Value;

use super::dsl::ColumnText;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// `string`, `integer`, ...
    pub kind: &'static str,
    /// `name` for the name column.
    pub format: &'static str,
    /// 1 for columns that only `-o wide` shows.
    pub priority: i64,
    source: &'static str,
}

impl Column {
    pub(super) fn new(text: &ColumnText) -> Self {
        let format = if text.name == "Name" { "name" } else { "" };
        let priority = i64::from(text.wide);
        Self {
            name: text.name.clone(),
            kind: text.kind,
            format,
            priority,
            source: text.source,
        }
    }
}

/// One cell.
pub(super) fn cell(
    column: &Column,
    object: &Value,
    now: jiff::Timestamp,
    computed: &dyn Fn(&Column) -> Value,
) -> Value {
    match column.source {
        "" => computed(column),
        "age" => age(&object["metadata"]["creationTimestamp"], now),
        path => at(object, path)
            .cloned()
            .unwrap_or_else(|| match column.kind {
                "integer" => Value::from(0),
                _ => Value::from(""),
            }),
    }
}

/// The value at a path such as `.spec.replicas`; a name may have escaped dots.
pub(super) fn at<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.')
        .filter(|name| !name.is_empty())
        .try_fold(object, |value, name| value.get(name))
}

/// How long ago, as kubectl writes it: `5s`, `3m20s`, `5h`, `12d`.
pub(super) fn age(timestamp: &Value, now: jiff::Timestamp) -> Value {
    let Some(then) = timestamp
        .as_str()
        .and_then(|text| text.parse::<jiff::Timestamp>().ok())
    else {
        return Value::from("<unknown>");
    };
    Value::from(crate::table::age(now.as_second() - then.as_second()))
}

/// `a=b,c=d` of a label selector, or `<none>`.
pub(super) fn selector_text(selector: &Value) -> Value {
    let text = super::labels::format_selector(selector);
    Value::from(if text.is_empty() {
        "<none>".to_owned()
    } else {
        text
    })
}

/// Names or images of containers, with commas.
pub(super) fn containers(template_spec: &Value, field: &str) -> Value {
    let list = template_spec["containers"].as_array().into_iter().flatten();
    let texts: Vec<&str> = list
        .filter_map(|container| container[field].as_str())
        .collect();
    Value::from(texts.join(","))
}
