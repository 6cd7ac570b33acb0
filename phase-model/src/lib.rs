//! The grammar of opgen's phase enums: one parser for the derive, `cargo opgen graph`, `cargo opgen add phase` and the lint.
//!
//! [`Machine::from_enum`] turns an enum into a [`Machine`] and reports everything that is wrong with it at once;
//! [`Machine::find_in_file`] does so for every phase enum of a source file. [`graph`] draws machines.
//!
//! Nothing here needs a macro context, and nothing here knows the runtime.

pub mod attribute;
pub mod duration;
pub mod errors;
pub mod graph;
pub mod machine;
pub mod suggest;

pub use errors::Errors;
pub use machine::{Arrow, Machine, Phase, Timer};
