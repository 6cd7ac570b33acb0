//! Test kit for operators written with opgen: the operator that `main` runs, against an in-memory API server, in
//! virtual time.
//!
//! A [`Scenario`] says what exists: the operator, the world outside, the objects. It runs as a test of your own
//! ([`Scenario::run`]) or as an exploration ([`Scenario::explore_crashes`]). Either way the operator runs as its own
//! service account with the role it prints, and every failure names a replay string.

mod crash;
mod oracle;
mod process;
mod scenario;
mod words;
mod world;

pub use crash::{CrashPoint, Exploration, When};
pub use oracle::Violation;
pub use scenario::{Outside, Scenario};
pub use world::World;

pub use opgen_apiserver::{Cluster, Fault};
