//! The patch formats other than server-side apply, as pure functions over JSON.

pub mod json;
pub mod merge;
mod operation;
mod order;
pub mod strategic;

#[cfg(test)]
mod tests;

use serde_json::Value;

/// Why a patch was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// 400: the patch is malformed.
    #[error("{0}")]
    BadRequest(String),
    /// 422: the patch is well formed but does not fit the object. Clients never see the text.
    #[error("{0}")]
    Unprocessable(String),
    /// 413: too many operations.
    #[error("{0}")]
    TooLarge(String),
    /// 500: what the real server reports without a reason.
    #[error("{0}")]
    Internal(String),
}

impl PatchError {
    /// The HTTP status code that belongs to the error.
    pub fn code(&self) -> u16 {
        match self {
            Self::BadRequest(_) => 400,
            Self::Unprocessable(_) => 422,
            Self::TooLarge(_) => 413,
            Self::Internal(_) => 500,
        }
    }
}

/// The name of a value's type in the messages of Go's JSON decoder.
pub(crate) fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
