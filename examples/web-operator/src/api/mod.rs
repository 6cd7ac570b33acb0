//! The custom resources: what users write and what they read back.

mod web;

pub use web::{Web, WebSpec, WebStatus};
