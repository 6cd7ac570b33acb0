//! What a guard keeps per target: permits, breaker, and until when it was asked to leave the target alone.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

use super::{
    breaker::{Admission, Breaker, Verdict},
    error::{CallError, CallResult},
    retry_after,
    settings::{ClientSettings, Target},
};
use crate::mutant::{Mutant, mutated};

/// Above so many targets, those that are idle and well are forgotten.
const MOST: usize = 512;

/// Locks without regard to poison: nothing in here is left half done by a panic.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The targets of one client.
#[derive(Debug, Default)]
pub(super) struct Targets {
    known: Mutex<HashMap<Option<Target>, Arc<TargetState>>>,
}

impl Targets {
    pub(super) fn get(
        &self,
        target: Option<&Target>,
        settings: &ClientSettings,
    ) -> Arc<TargetState> {
        let mut known = lock(&self.known);
        if let Some(state) = known.get(&target.cloned()) {
            return Arc::clone(state);
        }
        if known.len() >= MOST {
            let now = Instant::now();
            known.retain(|_, state| Arc::strong_count(state) > 1 || !state.is_well(now));
        }
        let state = Arc::new(TargetState::new(settings));
        known.insert(target.cloned(), Arc::clone(&state));
        state
    }
}

/// One target.
#[derive(Debug)]
pub(super) struct TargetState {
    permits: Arc<Semaphore>,
    size: usize,
    breaker: Mutex<Breaker>,
    left_alone_until: Mutex<Option<Instant>>,
}

impl TargetState {
    fn new(settings: &ClientSettings) -> Self {
        let size = if mutated(Mutant::Bulkhead) {
            Semaphore::MAX_PERMITS
        } else if mutated(Mutant::ClientPermits) {
            1
        } else {
            settings.bulkhead.clamp(1, Semaphore::MAX_PERMITS)
        };
        Self {
            permits: Arc::new(Semaphore::new(size)),
            size,
            breaker: Mutex::new(Breaker::new(settings.breaker.clone())),
            left_alone_until: Mutex::new(None),
        }
    }

    fn is_well(&self, now: Instant) -> bool {
        self.may_pass(now).is_ok()
    }

    pub(super) fn in_flight(&self) -> usize {
        self.size - self.permits.available_permits()
    }

    /// Whether an attempt would be let through now, without taking leave for one.
    pub(super) fn may_pass(&self, now: Instant) -> CallResult<()> {
        if let Some(until) = *lock(&self.left_alone_until)
            && now < until
        {
            return Err(CallError::Throttled {
                retry_after: Some(until - now),
            });
        }
        match lock(&self.breaker).shut_until(now) {
            Some(until) => Err(CallError::BreakerOpen { until }),
            None => Ok(()),
        }
    }

    /// Waits for a permit, no longer than `longest`.
    pub(super) async fn permit(&self, longest: Duration) -> CallResult<OwnedSemaphorePermit> {
        let from = Instant::now();
        let permit = Arc::clone(&self.permits).acquire_owned();
        match tokio::time::timeout(longest, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            // The semaphore is never closed; the error says the same as no permit.
            Ok(Err(_)) | Err(_) => Err(CallError::Saturated {
                permits: self.size,
                waited: from.elapsed(),
            }),
        }
    }

    /// Leave for one attempt; it gives back what it holds when it is dropped.
    pub(super) fn admit(self: &Arc<Self>, permit: OwnedSemaphorePermit) -> CallResult<Pass> {
        let now = Instant::now();
        self.may_pass(now)?;
        let admission = lock(&self.breaker)
            .admit(now)
            .map_err(|until| CallError::BreakerOpen { until })?;
        Ok(Pass {
            target: Arc::clone(self),
            admission,
            verdict: Verdict::Nothing,
            _permit: permit,
        })
    }

    /// Asks everybody to leave the target alone for a while.
    pub(super) fn leave_alone(&self, wait: Duration) {
        let until = Instant::now() + wait.min(retry_after::LONGEST);
        let mut held = lock(&self.left_alone_until);
        *held = Some(held.map_or(until, |held| held.max(until)));
    }
}

/// The right to one attempt. Dropped without a verdict (an aborted handler), it tells the breaker nothing.
#[derive(Debug)]
pub(super) struct Pass {
    target: Arc<TargetState>,
    admission: Admission,
    verdict: Verdict,
    _permit: OwnedSemaphorePermit,
}

impl Pass {
    pub(super) fn close(mut self, verdict: Verdict) {
        self.verdict = verdict;
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        lock(&self.target.breaker).report(self.admission, self.verdict, Instant::now());
    }
}
