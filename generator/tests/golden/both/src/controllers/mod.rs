//! One folder per kind.

pub mod database;
