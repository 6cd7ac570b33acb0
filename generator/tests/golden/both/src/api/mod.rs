//! The custom resources: what users write and what they read back.

mod database;

pub use database::{Database, DatabaseSpec, DatabaseStatus};
