//! Test kit for operators written with opgen: the operator that `main` runs, against an in-memory API server, in
//! virtual time.
//!
//! A [`Scenario`] says what exists: the operator, the world outside, the objects, and what their users do. It runs as a
//! test of your own ([`Scenario::run`]), or is lived through by an oracle that knows what every operator owes its users:
//!
//! | | |
//! |---|---|
//! | [`Scenario::check`] | once, undisturbed |
//! | [`Scenario::check_under`] | once, in one [`Trouble`] |
//! | [`Scenario::explore_crashes`] | with a crash at every write |
//! | [`Scenario::explore_crash_pairs`] | with a crash at every write, and a second one at every write after it |
//! | [`Scenario::explore_faults`] | in every trouble that it has a place for |
//! | [`Scenario::explore_partitions`] | with two replicas, and the leader cut off |
//! | [`Scenario::check_role`] | with one verb less in the role, one after the other |
//!
//! Either way the operator runs as its own service account with the role it prints; no object may ever have two handlers
//! at once; it says nothing that its reference page does not explain; and all of it is the same each time under the same
//! seed. What a crash or a trouble broke has a string that [`Scenario::replay`] repeats; of a partition its moment is named,
//! and of a role the permission.

mod children;
mod crash;
mod faults;
mod handlers;
mod oracle;
mod partition;
mod past;
mod process;
mod replay;
mod report;
mod role;
mod scenario;
mod story;
mod trouble;
mod vanished;
mod violation;
mod words;
mod world;
mod writes;

pub use replay::{CrashPoint, Replay, When};
pub use report::Exploration;
pub use role::{Permission, RoleCheck};
pub use scenario::{Outside, Scenario};
pub use trouble::Trouble;
pub use violation::Violation;
pub use world::World;
pub use writes::WriteFault;

pub use opgen_apiserver::{Cluster, Fault};
