//! What a call inherits from the handler that makes it.

use jiff::Timestamp;
use tokio::time::Instant;

use super::sightings::Sightings;
use crate::{clients::Fence, clock::SharedClock, metrics::Metrics};

/// The bounds of the handler a call is made from.
#[derive(Clone)]
pub struct CallScope {
    deadline: Instant,
    clock: SharedClock,
    started_at: Timestamp,
    metrics: Option<Metrics>,
    fence: Option<Fence>,
    sightings: Sightings,
    retried: bool,
}

impl std::fmt::Debug for CallScope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallScope")
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

impl CallScope {
    /// The scope of a handler that must end at `deadline`, in a process that started at `started_at`.
    #[must_use]
    pub fn new(deadline: Instant, clock: SharedClock, started_at: Timestamp) -> Self {
        Self {
            deadline,
            clock,
            started_at,
            metrics: None,
            fence: None,
            sightings: Sightings::default(),
            retried: false,
        }
    }

    /// The same for an object whose last run failed: what fails again may be its own fault rather than the target's.
    #[must_use]
    pub(crate) fn of_retry(mut self, retried: bool) -> Self {
        self.retried = retried;
        self
    }

    pub(crate) fn is_retried(&self) -> bool {
        self.retried
    }

    /// The same, its calls counted in `metrics`.
    #[must_use]
    pub fn with_metrics(mut self, metrics: Metrics) -> Self {
        self.metrics = Some(metrics);
        self
    }

    /// The same, its calls given up once `fence` closes: who lost the lease must not touch the outside either.
    #[must_use]
    pub fn with_fence(mut self, fence: Fence) -> Self {
        self.fence = Some(fence);
        self
    }

    /// Where its calls tell what they could not learn.
    pub(crate) fn sightings(&self) -> &Sightings {
        &self.sightings
    }

    /// Returns once no call may be made any more.
    pub(crate) async fn fenced(&self) {
        match &self.fence {
            Some(fence) => fence.closed().await,
            None => std::future::pending().await,
        }
    }

    /// The same with another deadline, for the next handler of a chain.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = deadline;
        self
    }

    /// When the handler's time is over.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The time, by the operator's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// When this process started: no proof of absence is older than that.
    #[must_use]
    pub fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// Where calls are counted.
    #[must_use]
    pub fn metrics(&self) -> Option<&Metrics> {
        self.metrics.as_ref()
    }
}
