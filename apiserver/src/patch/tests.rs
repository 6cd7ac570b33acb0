//! The patch formats, case by case.

#![allow(clippy::unwrap_used)]

mod json_patch;
mod merge_patch;
mod strategic;
