//! Watch, cache, queue, gate, finalizer, phase, status, schedule: the way of an object through the operator.

pub mod annotations;
pub(crate) mod api;
mod attempts;
pub(crate) mod backoff;
pub(crate) mod board;
pub(crate) mod bucket;
mod cache;
pub(crate) mod controller;
mod driver;
pub(crate) mod envelope;
pub(crate) mod events;
pub(crate) mod finalizer;
pub(crate) mod groups;
pub(crate) mod key;
pub(crate) mod kind;
mod obstacles;
pub(crate) mod owned_bell;
pub(crate) mod owned_watch;
pub(crate) mod predicate;
mod queue;
mod record;
mod report;
pub(crate) mod stall;
mod state;
mod survey;
mod verdict;
pub(crate) mod watch;
