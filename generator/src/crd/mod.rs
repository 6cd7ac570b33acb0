//! `--from-crd`: Rust types, and room for a machine, out of somebody else's CustomResourceDefinition.
//!
//! ```text
//! YAML text -> CrdFile (parse) -> Additions (what a machine lacks) -> types (model -> names -> emit)
//!                    |                    \-> the emitted CRD: the file's own text plus the listed lines
//!                    \-> sample, instances
//! ```
//!
//! All of it is pure: text in, text out.
//!
//! # Invariants
//!
//! - The file is the truth. Nothing in it is rewritten: validation rules, list-map keys, defaults, patterns, selectable fields,
//!   printer columns and the other versions are emitted as they came, because the emitted CRD is never made from the Rust types.
//! - Types are made from the schema *with* the additions, so the machine's own fields are ordinary fields of the status.
//! - Each value that the schema admits and an API server stores comes out of the types as it went in: absent, null and empty are three
//!   things, times and quantities stay the strings they are, numbers keep their digits. What is not kept is listed in [`types`].
//!
//! # Why not typify
//!
//! typify (0.7 and the 0.10 pre-releases were looked at) is good at what it is for, JSON Schema. A CRD has a *structural* schema,
//! which is OpenAPI 3.0 with rules of its own, and nearly every difference costs a value here:
//!
//! - `nullable` is no JSON Schema word, so a null that is legal does not decode; `x-kubernetes-preserve-unknown-fields`,
//!   `x-kubernetes-embedded-resource`, list types and CEL rules are dropped, and with the first of them the fields it keeps.
//! - `oneOf`, `anyOf`, `allOf` and `not` in a structural schema only constrain properties declared beside them. typify reads them as
//!   types: an `anyOf` of `required` becomes an enum of copies of the struct, and int-or-string an enum with a pattern type in it.
//! - A `pattern` becomes a newtype checked by a regular expression engine at run time, in another dialect than the server's;
//!   `date-time` a parsed type that is written back in another form; both add crates to every generated operator.
//! - Optional lists lose the difference between absent and `[]`, and an enum value that a newer CRD allows makes the object undecodable,
//!   which here would mean a finalizer that never comes off.
//! - Type names follow the schema's path or title without a limit: 146 characters in one real CRD.
//!
//! Pre-processing the schema until typify gives the right answer is most of this module, and the names would still be its own.

mod additions;
mod check;
mod conditions;
mod constraints;
mod default;
mod docs;
mod document;
mod emit;
mod error;
mod insert;
mod instance;
mod live;
mod machine_fields;
mod model;
mod names;
mod parse;
mod pattern;
mod random;
mod read;
mod sample;
mod schema;
mod shape;
mod type_names;
pub mod types;

pub use additions::{Addition, Additions, StatusPaths};
pub use error::CrdError;
pub use instance::instances;
pub use parse::{Choice, CrdFile, Scope};
pub use sample::sample;
