//! What macro output calls. Not for use by hand.

use std::time::Duration;

pub use futures;
use futures::future::BoxFuture;
pub use http;
pub use kube;
pub use serde;
pub use serde_json;
pub use tracing;

use crate::{
    cx::{Cx, Run},
    error::Result,
    phase::{PhaseMachine, ReconcilePhase},
    step::Outcome,
};

/// Runs the handler of `P`: its timeout, its span, its panics.
pub fn run_phase<'a, P: ReconcilePhase>(
    object: &'a <P::Machine as PhaseMachine>::Resource,
    run: &'a mut Run<P::Machine>,
) -> BoxFuture<'a, Result<Outcome<P::Machine>>> {
    Box::pin(async move {
        let mut cx = Cx::<P>::new(object, run);
        P::reconcile(&mut cx)
            .await
            .map(crate::step::Step::into_outcome)
    })
}

/// Compares in a const assertion; `Duration` has no const `PartialOrd`.
#[must_use]
pub const fn within(timeout: Duration, budget: Duration) -> bool {
    timeout.as_nanos() <= budget.as_nanos()
}
