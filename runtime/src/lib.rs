//! The runtime of operators written with opgen.
//!
//! An author writes a phase enum and one function per phase; everything an operator can get wrong beside that
//! (deadlines, backoff, finalizers, status writes, stale caches, probes) is done here, by default.

/// Not part of the API: the incident suite of this workspace switches one default off at a time and has to fail.
#[cfg(feature = "__mutants")]
#[doc(hidden)]
pub mod __mutants {
    pub use crate::mutant::{Mutant, carried, with};
}
#[doc(hidden)]
pub mod __private;
mod blocking;
pub mod children;
#[cfg(feature = "cli")]
pub mod cli;
pub mod clients;
pub mod clock;
pub mod context;
pub mod cx;
mod engine;
pub mod error;
pub mod external;
pub mod graph;
pub mod identity;
mod inspect;
pub mod jobs;
pub mod lease;
pub mod manifests;
pub mod metrics;
mod mutant;
pub mod observed;
pub mod operator;
#[cfg(feature = "otlp")]
pub mod otlp;
pub mod phase;
pub mod pieces;
mod preflight;
pub mod probes;
pub mod reference;
pub mod status;
pub mod step;

pub use engine::annotations;
pub use jobs::{Job, Trigger};
pub use lease::LeaderElection;
pub use operator::{HandlerObserver, Operator, OperatorError, Placement, RunOptions};
pub use opgen_macros::{MachineContext, PhaseMachine, StatusDiff, reconcile_phase, timeout_client};

/// What a handler, a phase enum and a context need; generated code imports it whole.
pub mod prelude {
    pub use crate::{
        MachineContext, PhaseMachine, StatusDiff,
        children::{Adopt, ObjectRef},
        cx::Cx,
        error::{Error, Result, ResultExt},
        identity::IdempotencyKey,
        jobs::{Job, JobScope},
        observed::{Absent, Complete, Observed},
        phase::{MovesTo, Phase, ReconcilePhase},
        reconcile_phase, secs,
        status::{MachineState, MachineStatus},
        step::Step,
        timeout_client,
    };
}

/// `Duration::from_secs`, short because handlers are full of it.
#[must_use]
pub const fn secs(seconds: u64) -> std::time::Duration {
    std::time::Duration::from_secs(seconds)
}
