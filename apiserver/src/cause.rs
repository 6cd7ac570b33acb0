//! Causes: what is wrong with which field, in the words of the API.

use serde_json::{Map, Value};

/// One entry of `details.causes` of an `Invalid` status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Machine-readable class, such as `FieldValueInvalid`.
    pub reason: String,
    /// What is wrong with the field.
    pub message: String,
    /// Path of the field, such as `spec.replicas`.
    pub field: String,
}

impl Cause {
    /// A cause for `field`; `reason` is the API's name of the class.
    pub fn new(reason: &str, field: &str, message: impl Into<String>) -> Self {
        Self {
            reason: reason.to_owned(),
            message: message.into(),
            field: field.to_owned(),
        }
    }

    /// `Required value`, with a detail if there is one.
    pub fn required(field: &str, detail: &str) -> Self {
        Self::new(
            "FieldValueRequired",
            field,
            with_detail("Required value", detail),
        )
    }

    /// `Invalid value: <value>: <detail>`; the value is printed as JSON.
    pub fn invalid(field: &str, value: &Value, detail: &str) -> Self {
        Self::new(
            "FieldValueInvalid",
            field,
            with_detail(&format!("Invalid value: {value}"), detail),
        )
    }

    /// `Forbidden: <detail>`.
    pub fn forbidden(field: &str, detail: &str) -> Self {
        Self::new(
            "FieldValueForbidden",
            field,
            with_detail("Forbidden", detail),
        )
    }

    /// `Unsupported value: <value>: supported values: ...`.
    pub fn unsupported(field: &str, value: &Value, supported: &[&str]) -> Self {
        let list: Vec<String> = supported.iter().map(|s| format!("\"{s}\"")).collect();
        Self::new(
            "FieldValueNotSupported",
            field,
            format!(
                "Unsupported value: {value}: supported values: {}",
                list.join(", ")
            ),
        )
    }

    /// As it stands in the status.
    pub(crate) fn to_value(&self) -> Value {
        let mut cause = Map::new();
        if !self.reason.is_empty() {
            cause.insert("reason".into(), self.reason.clone().into());
        }
        cause.insert("message".into(), self.message.clone().into());
        if !self.field.is_empty() {
            cause.insert("field".into(), self.field.clone().into());
        }
        Value::Object(cause)
    }
}

fn with_detail(head: &str, detail: &str) -> String {
    if detail.is_empty() {
        head.to_owned()
    } else {
        format!("{head}: {detail}")
    }
}
