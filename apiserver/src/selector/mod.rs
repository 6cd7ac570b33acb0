//! Label and field selectors: their grammar, the real server's messages, and matching.

mod fields;
mod labels;

use serde_json::Value;

use crate::error::ApiResult;
use crate::object;

/// One requirement on labels.
#[derive(Clone, Debug, PartialEq)]
struct LabelRule {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    In,
    NotIn,
    Exists,
    Absent,
    Greater,
    Less,
}

/// One requirement on a field: path, wanted value, and whether it must differ.
#[derive(Clone, Debug, PartialEq)]
struct FieldRule {
    path: String,
    value: String,
    differs: bool,
}

/// The selection of a list or a watch.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selector {
    labels: Vec<LabelRule>,
    fields: Vec<FieldRule>,
}

impl Selector {
    pub(crate) fn parse(labels: &str, fields: &str) -> ApiResult<Self> {
        Ok(Self {
            labels: labels::parse(labels)?,
            fields: fields::parse(fields)?,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Paths that the field part names.
    pub(crate) fn field_paths(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|rule| rule.path.as_str())
    }

    /// Lets the field part look elsewhere: where the stored form has another name for a field.
    pub(crate) fn rename_fields(&mut self, rename: impl Fn(&str) -> Option<&str>) {
        for rule in &mut self.fields {
            if let Some(path) = rename(&rule.path) {
                rule.path = path.to_owned();
            }
        }
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        self.labels
            .iter()
            .all(|rule| rule.matches(labels[&rule.key].as_str()))
            && self
                .fields
                .iter()
                .all(|rule| (field_text(object, &rule.path) == rule.value) != rule.differs)
    }
}

impl LabelRule {
    fn matches(&self, label: Option<&str>) -> bool {
        match self.operator {
            Operator::Exists => label.is_some(),
            Operator::Absent => label.is_none(),
            Operator::In => label.is_some_and(|l| self.values.iter().any(|v| v == l)),
            Operator::NotIn => label.is_none_or(|l| self.values.iter().all(|v| v != l)),
            Operator::Greater | Operator::Less => {
                let number = |text: &str| text.parse::<i64>().ok();
                let (Some(have), Some(limit)) = (
                    label.and_then(number),
                    self.values.first().and_then(|v| number(v)),
                ) else {
                    return false;
                };
                if self.operator == Operator::Greater {
                    have > limit
                } else {
                    have < limit
                }
            }
        }
    }
}

/// The text that a field selector compares; absent fields are empty.
fn field_text(object: &Value, path: &str) -> String {
    match path {
        "metadata.name" => return object::meta(object, "name").to_owned(),
        "metadata.namespace" => return object::meta(object, "namespace").to_owned(),
        _ => {}
    }
    let mut value = object;
    for segment in path.trim_start_matches('.').split('.') {
        value = &value[segment];
    }
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
