//! CustomResourceDefinitions: defaults, checks, status, and the form in which they are served.
//!
//! Only `apiextensions.k8s.io/v1`. Everything is a pure function over the definition as JSON.

mod defaulting;
mod names;
mod served;
mod validation;
mod version_rules;
mod versions;

pub use defaulting::{FINALIZER, default, mark_terminating, prepare_create, prepare_update};
pub use names::accept_names;
pub use served::{Column, Names, ScalePaths, Served, Version, served};
pub use validation::validate;
pub use versions::compare as compare_versions;
