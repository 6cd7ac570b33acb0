//! One thing that is wrong with an object.

use serde_json::Value;

/// One reason why a value was refused: an entry of `details.causes` of a `Status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// `FieldValueInvalid`, `FieldValueRequired`, ...
    pub reason: &'static str,
    /// The message without the field: `Invalid value: 11: spec.replicas in body should be ...`.
    pub message: String,
    /// The path, or `<nil>`.
    pub field: String,
}

impl Cause {
    fn new(reason: &'static str, field: impl Into<String>, message: String) -> Self {
        Self {
            reason,
            message,
            field: field.into(),
        }
    }

    /// `Invalid value: VALUE: detail`.
    pub fn invalid(field: impl Into<String>, value: &Value, detail: impl AsRef<str>) -> Self {
        Self::new(
            "FieldValueInvalid",
            field,
            with_detail(format!("Invalid value: {}", shown(value)), detail.as_ref()),
        )
    }

    /// `Invalid value: detail`, with no value shown.
    pub fn invalid_without_value(field: impl Into<String>, detail: impl AsRef<str>) -> Self {
        Self::new(
            "FieldValueInvalid",
            field,
            format!("Invalid value: {}", detail.as_ref()),
        )
    }

    /// `Invalid value: VALUE: detail` for a value of the wrong type.
    pub fn type_invalid(field: impl Into<String>, value: &Value, detail: impl AsRef<str>) -> Self {
        let message = with_detail(format!("Invalid value: {}", shown(value)), detail.as_ref());
        Self::new("FieldValueTypeInvalid", field, message)
    }

    /// `Required value`, with a detail unless empty.
    pub fn required(field: impl Into<String>, detail: impl AsRef<str>) -> Self {
        Self::new(
            "FieldValueRequired",
            field,
            with_detail("Required value".to_owned(), detail.as_ref()),
        )
    }

    /// `Forbidden: detail`.
    pub fn forbidden(field: impl Into<String>, detail: impl AsRef<str>) -> Self {
        Self::new(
            "FieldValueForbidden",
            field,
            with_detail("Forbidden".to_owned(), detail.as_ref()),
        )
    }

    /// `Duplicate value: VALUE`.
    pub fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        Self::new(
            "FieldValueDuplicate",
            field,
            format!("Duplicate value: {}", shown(value)),
        )
    }

    /// `Unsupported value: VALUE: supported values: "a", "b"`.
    pub fn unsupported<'a>(
        field: impl Into<String>,
        value: &Value,
        supported: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut message = format!("Unsupported value: {}", shown(value));
        let list: Vec<String> = supported
            .into_iter()
            .map(|value| format!("{value:?}"))
            .collect();
        if !list.is_empty() {
            message.push_str(": supported values: ");
            message.push_str(&list.join(", "));
        }
        Self::new("FieldValueNotSupported", field, message)
    }

    /// `Too long: may not be more than N bytes`.
    pub fn too_long(field: impl Into<String>, max: u64) -> Self {
        Self::new(
            "FieldValueTooLong",
            field,
            format!(
                "Too long: may not be more than {max} {}",
                plural(max, "byte")
            ),
        )
    }

    /// `Too many: N: must have at most M items`.
    pub fn too_many(field: impl Into<String>, actual: u64, max: u64) -> Self {
        let message = format!(
            "Too many: {actual}: must have at most {max} {}",
            plural(max, "item")
        );
        Self::new("FieldValueTooMany", field, message)
    }

    /// `field: message`, as it stands in the message of a `Status`.
    pub fn line(&self) -> String {
        format!("{}: {}", self.field, self.message)
    }
}

/// The text after `is invalid: `: one line, or several in brackets; equal lines once.
pub fn causes_text(causes: &[Cause]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for cause in causes {
        let line = cause.line();
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    match lines.as_slice() {
        [one] => one.clone(),
        _ => format!("[{}]", lines.join(", ")),
    }
}

fn plural(count: u64, noun: &str) -> String {
    if count == 1 {
        noun.to_owned()
    } else {
        format!("{noun}s")
    }
}

fn with_detail(mut text: String, detail: &str) -> String {
    if !detail.is_empty() {
        text.push_str(": ");
        text.push_str(detail);
    }
    text
}

/// A value as an error message shows it: compact JSON.
fn shown(value: &Value) -> String {
    value.to_string()
}
