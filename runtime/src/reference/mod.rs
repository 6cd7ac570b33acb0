//! What an operator says and hears, by name: metrics, conditions, reasons, events, annotations, endpoints, flags,
//! the fields of a span.
//!
//! Each name is declared once, where it is used, in a table; [`page`] makes `docs/REFERENCE.md` of the tables, and a
//! test compares the two.

mod page;
pub mod reasons;
mod spans;

pub use page::page;
pub use reasons::{REASONS, Reason, reason};
pub use spans::SPAN_FIELDS;
