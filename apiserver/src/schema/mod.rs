//! Structural schemas: parsing, pruning, defaulting, validation.
//!
//! Pure functions over [`serde_json::Value`], equal to those of the real server down to the texts. Nothing here knows
//! of storage, HTTP or time.
//!
//! The order in which a write passes through: [`prune`], [`default`], [`validate`].

mod alternatives;
mod bounds;
mod cause;
mod check;
mod convert;
mod cost;
mod defaulting;
mod evaluate;
mod format;
mod list_rules;
mod lists;
mod model;
mod nested;
pub(crate) mod parse;
mod path;
mod pruning;
mod resource;
mod rule;
mod structural;
mod validation;

pub use cause::{Cause, causes_text};
pub(crate) use cost::cost_causes;
pub use defaulting::default;
pub(crate) use evaluate::holds;
pub use model::{Additional, Coding, ListType, MapType, PatchStrategy, Pattern, Schema, Type};
pub use pruning::{drop_invalid_metadata, prune};
pub(crate) use rule::condition_causes;
pub use rule::{NOT_IMPLEMENTED, Rule};
pub use structural::structural_causes;
pub use validation::{validate, validate_status};
