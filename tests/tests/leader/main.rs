//! Leader election through the public door: two replicas of a small operator, in virtual time.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod fence;
mod forge;
mod hand_over;
mod partition;
mod replicas;
mod thread;
