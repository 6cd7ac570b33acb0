//! The answers of a hand-written operator to its probes.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use tokio::time::Instant;

use crate::{
    clock::SharedClock,
    metrics::Metrics,
    probes::{GraphView, ProbeSource, ReconcileView},
};

/// What the loop of an operator says of itself, for [`probes::serve`](crate::probes::serve). Clones share it.
///
/// It is ready once [`ready`](Self::ready) was called, and live for as long as [`beat`](Self::beat) is called in time; one
/// that has never beaten is starting, which is no reason to kill it.
#[derive(Clone)]
pub struct Health(Arc<Inner>);

struct Inner {
    metrics: Metrics,
    clock: SharedClock,
    limit: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    beat: Option<Instant>,
    is_ready: bool,
}

impl std::fmt::Debug for Health {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Health").finish_non_exhaustive()
    }
}

impl Health {
    /// Of an operator whose loop turns at least once in `limit`.
    #[must_use]
    pub fn new(metrics: Metrics, clock: SharedClock, limit: Duration) -> Self {
        Self(Arc::new(Inner {
            metrics,
            clock,
            limit,
            state: Mutex::default(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop has turned.
    pub fn beat(&self) {
        self.state().beat = Some(Instant::now());
    }

    /// The caches are complete; false takes it back.
    pub fn ready(&self, is_ready: bool) {
        self.state().is_ready = is_ready;
    }
}

impl ProbeSource for Health {
    fn live(&self) -> Result<(), Vec<String>> {
        match self.state().beat.map(|beat| beat.elapsed()) {
            Some(age) if age > self.0.limit => {
                Err(vec![format!("the loop has not turned for {age:.0?}")])
            }
            _ => Ok(()),
        }
    }

    fn ready(&self) -> Result<(), Vec<String>> {
        if self.state().is_ready {
            Ok(())
        } else {
            Err(vec!["the first list is not complete".to_owned()])
        }
    }

    fn metrics(&self) -> String {
        self.0.metrics.encode()
    }

    fn reconciles(&self) -> Vec<ReconcileView> {
        Vec::new()
    }

    fn graphs(&self) -> Vec<GraphView> {
        Vec::new()
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }
}
