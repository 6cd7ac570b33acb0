//! Bad input and bad surroundings of `new`: a clear message, the documented exit code, and the target left as it was.
#![allow(clippy::unwrap_used)]

mod files;
mod folder;
mod machines;
mod names;
#[path = "../place/mod.rs"]
mod place;
