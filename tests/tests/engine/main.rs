//! What the runtime guarantees, through the public door: a small operator against the in-memory server, in virtual
//! time.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod failures;
mod finalizer;
mod gadget;
mod gate;
mod handles;
mod proof;
mod restore;
mod signals;
mod start;
mod status;
mod watch;
