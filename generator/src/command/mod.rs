//! The commands, one module each.

pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod dev;
pub(crate) mod graph;
pub(crate) mod init;
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod process;
mod program;
