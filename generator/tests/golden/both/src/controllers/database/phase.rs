//! The phases of a `Database`. This enum is the whole graph: a move it does not declare does not compile.

use opgen_runtime::prelude::*;

use crate::{api::Database, context::Context};

/// Where a `Database` is in its life.
#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context, budget = "60s")]
pub enum DatabasePhase {
    /// Accepted; nothing exists outside the cluster yet.
    #[default]
    #[phase(to(Provisioning))]
    Pending,
    /// The provider is building or changing the instance.
    #[phase(to(Ready), deadline = "30m", on_deadline = Failed)]
    Provisioning,
    /// The instance is what the spec asks for.
    #[phase(to(Provisioning), steady, resync = "10m")]
    Ready,
    /// No retry can help; a change of the spec starts a new attempt.
    #[phase(failed, to(Pending))]
    Failed,
    /// Deleted by the user; left only with proof that the instance is gone.
    #[phase(finalizer)]
    Deleting,
}
