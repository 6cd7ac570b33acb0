//! One folder per kind.

pub mod web;
