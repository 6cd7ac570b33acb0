//! Validation of values against a schema, with the texts of the real server.
//!
//! The order and wording follow `kube-openapi/pkg/validation/validate`, and the translation of its errors into causes
//! follows `apiextensions-apiserver/pkg/apiserver/validation`.

use serde_json::Value;

use super::cause::Cause;
use super::model::{Additional, Schema, Type};
use super::path::Path;
use super::pruning::push_field;
use super::{alternatives, bounds, evaluate, format, lists, resource};

/// Causes of these reasons keep rules from being evaluated.
const BLOCKING: &[&str] = &[
    "FieldValueNotSupported",
    "FieldValueRequired",
    "FieldValueTooLong",
    "FieldValueTooMany",
    "FieldValueTypeInvalid",
];

/// Checks a whole object; `old` is the stored one on update.
///
/// On update, what was wrong before and did not change is let pass (ratcheting), and rules that look at `oldSelf` run.
/// Returns the causes in no particular order; none means valid.
pub fn validate(schema: &Schema, new: &Value, old: Option<&Value>) -> Vec<Cause> {
    finish(schema, new, old, node(schema, new, old, &Path::Root).causes)
}

/// [`validate`] for an update of the status subresource: of the values only `status` is checked, but every rule runs.
pub fn validate_status(schema: &Schema, new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = Vec::new();
    if let (Some(part), Some(status)) = (schema.properties.get("status"), new.get("status")) {
        // The messages do not name the field, the causes do.
        let old = old.and_then(|old| old.get("status"));
        causes = node(part, status, old, &Path::Root).causes;
        for cause in &mut causes {
            cause.field = match cause.field.as_str() {
                "" => "status".to_owned(),
                "<nil>" => continue,
                field if field.starts_with('[') => format!("status{field}"),
                field => child_path("status", field),
            };
        }
    }
    finish(schema, new, old, causes)
}

/// What goes beyond single values: embedded resources, list keys, rules.
fn finish(schema: &Schema, new: &Value, old: Option<&Value>, mut causes: Vec<Cause>) -> Vec<Cause> {
    resource::check_embedded(schema, new, &Path::Root, &mut causes);
    lists::check(schema, new, old, &mut causes);
    if schema.has_rules {
        if causes.iter().any(|cause| BLOCKING.contains(&cause.reason)) {
            causes.push(Cause::invalid(
                "<nil>",
                &Value::Null,
                "some validation rules were not checked because the object was invalid; correct the existing errors \
                 to complete validation",
            ));
        } else {
            evaluate::rules(schema, new, old, &mut causes);
        }
    }
    causes
}

/// Checks a default against its own node; the path in the messages is empty.
pub(super) fn validate_default(schema: &Schema, value: &Value) -> Vec<Cause> {
    node(schema, value, None, &Path::Root).causes
}

/// What validating a node gave.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) causes: Vec<Cause>,
    /// How many nodes were looked at: among failed alternatives the one that got furthest is reported.
    pub(super) matched: usize,
}

impl Outcome {
    pub(super) fn merge(&mut self, other: Outcome) {
        self.causes.extend(other.causes);
        self.matched += other.matched;
    }
}

pub(super) fn node(
    schema: &Schema,
    value: &Value,
    old: Option<&Value>,
    path: &Path<'_>,
) -> Outcome {
    let mut outcome = Outcome {
        matched: 1,
        ..Outcome::default()
    };
    if old == Some(value) {
        return outcome;
    }
    check_type(schema, value, path, &mut outcome.causes);
    if value.is_null() {
        check_enum(schema, value, path, &mut outcome.causes);
        return outcome;
    }
    alternatives::alternatives(schema, value, path, &mut outcome);
    match value {
        Value::String(text) => check_string(schema, value, text, path, &mut outcome.causes),
        Value::Number(number) => bounds::check(schema, number, path, &mut outcome.causes),
        Value::Array(items) => check_list(schema, items, old, path, &mut outcome),
        _ => {}
    }
    check_enum(schema, value, path, &mut outcome.causes);
    if let Value::Object(map) = value {
        check_object(schema, map, old, path, &mut outcome);
    }
    outcome
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn check_type(schema: &Schema, value: &Value, path: &Path<'_>, causes: &mut Vec<Cause>) {
    let expected = match schema.kind {
        _ if schema.int_or_string => "integer,string",
        Some(kind) => kind.as_str(),
        None => return,
    };
    let right = match (value, schema.kind) {
        (Value::Null, _) => schema.nullable,
        (Value::String(_), _) if schema.int_or_string => true,
        (Value::Number(number), kind) if schema.int_or_string || kind == Some(Type::Integer) => {
            is_whole(number)
        }
        (Value::Number(_), Some(Type::Number)) => true,
        (value, Some(kind)) => type_name(value) == kind.as_str(),
        (_, None) => false,
    };
    if !right {
        let given = type_name(value);
        let detail = format!("{path} in body must be of type {expected}: \"{given}\"");
        causes.push(Cause::type_invalid(path, &Value::from(given), detail));
    }
}

fn is_whole(number: &serde_json::Number) -> bool {
    !number.is_f64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

fn check_enum(schema: &Schema, value: &Value, path: &Path<'_>, causes: &mut Vec<Cause>) {
    if schema.enumeration.is_empty() || schema.enumeration.contains(value) {
        return;
    }
    let shown: Vec<String> = schema
        .enumeration
        .iter()
        .map(|allowed| {
            allowed
                .as_str()
                .map_or_else(|| allowed.to_string(), str::to_owned)
        })
        .collect();
    causes.push(Cause::unsupported(
        path,
        value,
        shown.iter().map(String::as_str),
    ));
}

fn check_string(
    schema: &Schema,
    value: &Value,
    text: &str,
    path: &Path<'_>,
    causes: &mut Vec<Cause>,
) {
    // The first of these to fail is the only one reported.
    let length = text.chars().count() as u64;
    if let Some(max) = schema.max_length.filter(|max| length > *max) {
        causes.push(Cause::too_long(path, max));
    } else if let Some(min) = schema.min_length.filter(|min| length < *min) {
        causes.push(Cause::invalid(
            path,
            value,
            format!("{path} in body should be at least {min} chars long"),
        ));
    } else if let Some(pattern) = schema
        .pattern
        .as_ref()
        .filter(|pattern| !pattern.regex.is_match(text))
    {
        causes.push(Cause::invalid(
            path,
            value,
            format!("{path} in body should match '{}'", pattern.source),
        ));
    }
    if let Some(name) = &schema.format
        && format::check(name, text) == Some(false)
    {
        let detail = format!("{path} in body must be of type {name}: {value}");
        causes.push(Cause::type_invalid(path, value, detail));
    }
}

fn check_list(
    schema: &Schema,
    items: &[Value],
    old: Option<&Value>,
    path: &Path<'_>,
    outcome: &mut Outcome,
) {
    if let Some(item_schema) = schema.item() {
        for (index, item) in items.iter().enumerate() {
            let old_item = lists::counterpart(schema, item, old);
            outcome.merge(node(item_schema, item, old_item, &Path::Index(path, index)));
        }
    }
    let count = items.len() as u64;
    if let Some(min) = schema.min_items.filter(|min| count < *min) {
        let detail = format!("{path} in body should have at least {min} items");
        outcome
            .causes
            .push(Cause::invalid(path, &Value::from(count), detail));
    }
    if let Some(max) = schema.max_items.filter(|max| count > *max) {
        outcome.causes.push(Cause::too_many(path, count, max));
    }
    if schema.unique_items && (1..items.len()).any(|index| items[..index].contains(&items[index])) {
        let detail = format!("{path} in body shouldn't contain duplicates");
        outcome
            .causes
            .push(Cause::invalid(path, &Value::from(""), detail));
    }
}

fn check_object(
    schema: &Schema,
    map: &serde_json::Map<String, Value>,
    old: Option<&Value>,
    path: &Path<'_>,
    outcome: &mut Outcome,
) {
    let count = map.len() as u64;
    if let Some(min) = schema.min_properties.filter(|min| count < *min) {
        let detail = format!("{path} in body should have at least {min} properties");
        outcome
            .causes
            .push(Cause::invalid(path, &Value::from(count), detail));
    }
    if let Some(max) = schema.max_properties.filter(|max| count > *max) {
        outcome.causes.push(Cause::too_many(path, count, max));
    }
    for name in schema
        .required
        .iter()
        .filter(|name| !map.contains_key(*name))
    {
        outcome
            .causes
            .push(Cause::required(&Path::Field(path, name), ""));
    }
    for (name, value) in map {
        match (schema.field(name), &schema.additional) {
            (Some(field), _) => {
                let old_value = old.and_then(|old| old.get(name));
                outcome.merge(node(field, value, old_value, &Path::Field(path, name)));
            }
            (None, Some(Additional::None)) => {
                let at = Path::Field(path, name);
                let detail = format!("{at} in body is a forbidden property");
                outcome
                    .causes
                    .push(Cause::invalid(&at, &Value::from(""), detail));
            }
            (None, _) => {}
        }
    }
}

pub(super) fn child_path(path: &str, name: &str) -> String {
    let mut path = path.to_owned();
    push_field(&mut path, name);
    path
}
