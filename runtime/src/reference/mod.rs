//! What an operator says and hears, by name: metrics, conditions, reasons, events, annotations, endpoints, flags.
//!
//! Each name is declared once, where it is used, in a table; [`page`] makes `docs/REFERENCE.md` of the tables, and a
//! test compares the two.

mod page;
pub mod reasons;

pub use page::page;
pub use reasons::{REASONS, Reason, reason};
