//! The phases of a `Web`. This enum is the whole graph: a move it does not declare does not compile.

use opgen_runtime::prelude::*;

use crate::{api::Web, context::Context};

/// Where a `Web` is in its life.
#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Web, context = Context, budget = "60s")]
pub enum WebPhase {
    /// Accepted; nothing is done yet.
    #[default]
    #[phase(to(Progressing))]
    Pending,
    /// Its children are being made or changed.
    #[phase(to(Ready))]
    Progressing,
    /// Its children are as the spec wants them.
    #[phase(to(Progressing), steady, resync = "10m")]
    Ready,
    /// No retry can help; a change of the spec starts a new attempt.
    #[phase(failed, to(Pending))]
    Failed,
}
