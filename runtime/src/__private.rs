//! What macro output calls. Not for use by hand.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use ::futures::{FutureExt, TryFutureExt, future::BoxFuture};
use ::kube::Resource;
use ::tracing::{Instrument, field::Empty};
pub use futures;
pub use http;
pub use k8s_openapi::api::core::v1::Secret;
pub use kube;
pub use serde;
pub use serde_json;
use tokio::time::Instant;
pub use tracing;

use crate::{
    cx::{Cx, Run},
    error::{Error, ErrorClass, Result},
    mutant::{Mutant, mutated},
    operator::HandlerObserver,
    phase::{PhaseMachine, ReconcilePhase},
    step::Outcome,
};

/// Runs the handler of `P`: its timeout, its span, its panics, its metrics.
pub fn run_phase<'a, P: ReconcilePhase>(
    object: &'a <P::Machine as PhaseMachine>::Resource,
    run: &'a mut Run<P::Machine>,
) -> BoxFuture<'a, Result<Outcome<P::Machine>>> {
    let started = Instant::now();
    // Only a run that has done something already may leave the rest to the next one.
    if run.chained && run.run_deadline.saturating_duration_since(started) < P::TIMEOUT {
        return Box::pin(std::future::ready(Ok(Outcome::Requeue)));
    }
    let deadline = if mutated(Mutant::HandlerDeadline) {
        started + crate::secs(7 * 24 * 3600)
    } else {
        run.run_deadline.min(started + P::TIMEOUT)
    };
    run.scope = run.scope.clone().with_deadline(deadline);
    let phase = P::PHASE.name();
    let span = tracing::info_span!(
        "reconcile",
        kind = %run.kind,
        phase,
        attempt = run.attempt,
        trigger = run.woken_by.as_str(),
        namespace = object.meta().namespace.as_deref().unwrap_or_default(),
        name = object.meta().name.as_deref().unwrap_or_default(),
        error = Empty,
        otel.status_code = Empty,
    );
    let handler = async move {
        let _at_work = AtWork::new(run, object.meta().uid.as_deref().unwrap_or_default(), phase);
        let mut cx = Cx::<P>::new(object, run);
        let handler = AssertUnwindSafe(P::reconcile(&mut cx)).catch_unwind();
        match tokio::time::timeout_at(deadline, handler).await {
            Ok(Err(panic)) if mutated(Mutant::PanicsContained) => std::panic::resume_unwind(panic),
            Ok(Ok(step)) => step.map(crate::step::Step::into_outcome),
            Ok(Err(panic)) => Err(Error::panic(&*panic)),
            Err(_) => Err(Error::timeout(format!(
                "the handler of {phase} did not end within {:?}: start the work and poll it, or raise `timeout`",
                // What was left of the budget may be less than its timeout.
                deadline.saturating_duration_since(started)
            ))),
        }
    };
    let ended = span.clone();
    let handler = handler.inspect_err(move |error| {
        ended.record("error", error.reason());
        // A wait for a place is no failure.
        if error.class() != ErrorClass::Saturated {
            ended.record("otel.status_code", "ERROR");
        }
    });
    Box::pin(handler.instrument(span))
}

/// Tells the observer when the handler ends, also one that is cut.
struct AtWork {
    observer: Arc<dyn HandlerObserver>,
    kind: Arc<str>,
    uid: String,
    phase: &'static str,
}

impl AtWork {
    fn new<M: PhaseMachine>(run: &Run<M>, uid: &str, phase: &'static str) -> Option<Self> {
        let observer = Arc::clone(run.engine.observer.as_ref()?);
        observer.began(&run.kind, uid, phase);
        Some(Self {
            observer,
            kind: Arc::clone(&run.kind),
            uid: uid.to_owned(),
            phase,
        })
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.observer.ended(&self.kind, &self.uid, self.phase);
    }
}

/// Compares in a const assertion; `Duration` has no const `PartialOrd`.
#[must_use]
pub const fn within(timeout: Duration, budget: Duration) -> bool {
    timeout.as_nanos() <= budget.as_nanos()
}

/// Reads the CRD that a machine names by `#[machine(crd = "..")]`.
///
/// # Panics
/// If the text is no YAML; the generator checked that it is.
#[must_use]
pub fn crd_from_yaml(text: &str) -> serde_json::Value {
    match serde_saphyr::from_str(text) {
        Ok(crd) => crd,
        Err(error) => panic!("the CRD file of this machine is not readable YAML: {error}"),
    }
}
