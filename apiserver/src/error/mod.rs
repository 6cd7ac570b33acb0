//! The `Status` objects that the server answers with when something is wrong.

mod refusals;

use serde_json::{Map, Value, json};

pub use crate::cause::Cause;
pub(crate) use refusals::qualified;

/// A refusal of the server: an HTTP code and the `Status` that goes with it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub struct ApiError(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    code: u16,
    reason: &'static str,
    message: String,
    details: Option<Value>,
    metadata: Option<Value>,
    retry_after: Option<u32>,
    plain: bool,
}

/// The result of everything that may be refused with a `Status`.
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// A status with this code, reason (may be empty) and message, without details.
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            code,
            reason,
            message: message.into(),
            details: None,
            metadata: None,
            retry_after: None,
            plain: false,
        }))
    }

    fn details(mut self, details: Value) -> Self {
        self.0.details = Some(details);
        self
    }

    /// Replaces the `metadata` of the status (a continue token of an expired list).
    pub(crate) fn metadata(mut self, metadata: Value) -> Self {
        self.0.metadata = Some(metadata);
        self
    }

    /// HTTP status code.
    pub fn code(&self) -> u16 {
        self.0.code
    }

    /// Reason of the status, empty if it has none.
    pub fn reason(&self) -> &'static str {
        self.0.reason
    }

    /// The message of the status.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Seconds for the `Retry-After` header.
    pub fn retry_after(&self) -> Option<u32> {
        self.0.retry_after
    }

    /// Whether the answer is plain text instead of a `Status`.
    pub fn is_plain(&self) -> bool {
        self.0.plain
    }

    /// The `Status` object.
    pub fn to_value(&self) -> Value {
        let inner = &self.0;
        let mut status = Map::new();
        status.insert("kind".into(), "Status".into());
        status.insert("apiVersion".into(), "v1".into());
        status.insert(
            "metadata".into(),
            inner.metadata.clone().unwrap_or_else(|| json!({})),
        );
        status.insert("status".into(), "Failure".into());
        status.insert("message".into(), inner.message.clone().into());
        if !inner.reason.is_empty() {
            status.insert("reason".into(), inner.reason.into());
        }
        if let Some(details) = &inner.details {
            status.insert("details".into(), details.clone());
        }
        status.insert("code".into(), inner.code.into());
        Value::Object(status)
    }
}
