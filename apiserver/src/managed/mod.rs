//! Field ownership: `metadata.managedFields`, server-side apply, and the record of updates.
//!
//! Pure functions over [`serde_json::Value`], equal to those of the real server down to the texts: the structured
//! merge of typed objects ([`apply`]) and the bookkeeping of every other write ([`update`]).

mod apply;
mod check;
mod compare;
mod element;
mod entries;
mod fields;
mod last_applied;
mod merging;
mod meta;
mod prune;
mod reconcile;
mod removal;
mod set;
mod types;
mod update;
mod zero;

#[cfg(test)]
mod tests;

pub use apply::{ApplyError, ApplyOptions, Conflict, apply};
pub use element::PathElement;
pub use meta::Reset;
pub use set::{FieldSet, ParseError};
pub(crate) use types::TypeRef;
pub use update::{UpdateOptions, keep_times, update};

use std::borrow::Borrow;

use crate::schema::Schema;

/// The schemas of the versions of a resource.
pub trait Schemas {
    /// The schema of the version with that `apiVersion`. `None`: no longer served.
    fn schema(&self, api_version: &str) -> Option<&Schema>;
}

/// Pairs of `apiVersion` and schema.
impl<S: Borrow<Schema>> Schemas for Vec<(String, S)> {
    fn schema(&self, api_version: &str) -> Option<&Schema> {
        self.iter()
            .find(|(name, _)| name == api_version)
            .map(|(_, schema)| schema.borrow())
    }
}
