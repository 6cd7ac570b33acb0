//! What a handler decides.

use std::{marker::PhantomData, ops::RangeInclusive, time::Duration};

use crate::{
    observed::Absent,
    phase::{FinalizerPhase, MovesTo, Phase, PhaseMachine},
};

/// The decision of one run of phase `P`. Waiting is a decision, not an error: it never counts as a retry.
#[derive(Debug)]
#[must_use = "a step does nothing until the handler returns it"]
pub struct Step<P: Phase> {
    outcome: Outcome<P::Machine>,
    phase: PhantomData<P>,
}

/// A step without its phase type, as the driver sees it.
#[derive(Debug)]
#[doc(hidden)]
pub enum Outcome<M: PhaseMachine> {
    To(M),
    Poll(Duration),
    Wait {
        reason: String,
        after: Duration,
    },
    PollBackoff {
        found: bool,
        least: Duration,
        most: Duration,
    },
    Settled,
    Gone(Absent),
    /// The handler was not called: what is left of the budget is less than its timeout.
    Requeue,
}

impl<P: Phase> Step<P> {
    const fn new(outcome: Outcome<P::Machine>) -> Self {
        Self {
            outcome,
            phase: PhantomData,
        }
    }

    /// Moves to `next`: the status is written once, then the next phase runs at once.
    pub fn to<Next: Phase<Machine = P::Machine>>(next: Next) -> Self
    where
        P: MovesTo<Next>,
    {
        let _ = next;
        Self::new(Outcome::To(Next::PHASE))
    }

    /// Looks again after `delay` (with small jitter, clamped to a second at least). A business wait, never backoff.
    pub fn poll_in(delay: Duration) -> Self {
        Self::new(Outcome::Poll(delay))
    }

    /// Like [`Step::poll_in`], with the reason on the condition `Reconciling`.
    pub fn wait(reason: impl Into<String>, delay: Duration) -> Self {
        Self::new(Outcome::Wait {
            reason: reason.into(),
            after: delay,
        })
    }

    /// Looks again, sooner or later by what there was to do: after the shortest wait of `between` if something was
    /// `found`; else the wait doubles with each empty look, up to the longest. How often it was empty is kept in
    /// memory, per object.
    pub fn poll_backoff(found: usize, between: RangeInclusive<Duration>) -> Self {
        let (least, most) = between.into_inner();
        Self::new(Outcome::PollBackoff {
            found: found > 0,
            least,
            most: most.max(least),
        })
    }

    /// Nothing to do until an event or the periodic resync.
    pub fn settled() -> Self {
        Self::new(Outcome::Settled)
    }

    /// What this attempt made outside is proven gone: the finalizer may go.
    pub fn gone(proof: Absent) -> Self
    where
        P: FinalizerPhase,
    {
        Self::new(Outcome::Gone(proof))
    }

    #[doc(hidden)]
    #[must_use]
    pub fn into_outcome(self) -> Outcome<P::Machine> {
        self.outcome
    }
}
