//! The commands, one module each.

pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod graph;
pub(crate) mod new;
