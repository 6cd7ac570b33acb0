//! The smallest object that a schema admits.

use serde_json::Value;

use super::{instance::Maker, parse::CrdFile};

/// An object with what is required and nothing else; `spec` is there even if it may be absent, `status` never is.
///
/// Enums, patterns, bounds, formats and constraints made of `required` are kept to. CEL rules are not read: an object that must satisfy one
/// may need a hand.
#[must_use]
pub fn sample(crd: &CrdFile) -> Value {
    Maker::minimal().object_of(crd, "example")
}
