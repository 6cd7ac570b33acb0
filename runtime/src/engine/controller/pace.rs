//! When an object comes back.

use std::time::Duration;

use tokio::time::Instant;

use super::Controller;
use crate::mutant::{Mutant, mutated};
use crate::{
    engine::{
        backoff::{Backoff, LONGEST, at_least, jittered, spread},
        heat::HOT_DELAY,
        key::ObjectKey,
        queue::Lane,
        report::Next,
    },
    error::ErrorClass,
    metrics::ReconcileResult,
    phase::PhaseMachine,
    reference::reasons,
};

/// What people are told of an object that spins.
const HOT_NOTE: &str = "it is reconciled again and again although nothing changes: slowed down to one run in 30 s; a handler moves or requeues without waiting";

/// What people are told of an object that comes to no rest.
pub(in crate::engine) const LOOP_NOTE: &str = "it goes round in the same phases, or asks for the same again, and what is outside never becomes what the spec wants: slowed down to one run in 30 s; does the comparison know how the provider words it, and does nobody else change it?";

impl<M: PhaseMachine> Controller<M> {
    pub(super) fn schedule(&mut self, key: &ObjectKey, next: Next, hot: bool) -> ReconcileResult {
        let Some(state) = self.states.get_mut(key) else {
            return ReconcileResult::Success;
        };
        let loops = state.heat.is_looping();
        let now = Instant::now();
        let next = match next {
            Next::Wait { reason, .. } if mutated(Mutant::PollsApart) => Next::Retry {
                error: reason,
                class: ErrorClass::Transient,
                after: None,
            },
            next => next,
        };
        if !matches!(next, Next::Retry { .. }) {
            state.failures = 0;
        }
        if !matches!(next, Next::Poll { .. }) {
            state.empty_polls = 0;
        }
        let (result, delay) = match next {
            Next::Settled { resync } => {
                self.board.settled(key);
                let again = std::mem::replace(&mut state.resynced, true);
                let resync = resync.filter(|_| !mutated(Mutant::Resync)).map(if again {
                    jittered
                } else {
                    spread
                });
                (ReconcileResult::Success, resync)
            }
            Next::Wait { reason, after } => {
                let after = self.clamped(after);
                self.kind.metrics.polled(&self.kind.name, after);
                self.board.polling(key, &reason, now + after);
                (
                    ReconcileResult::RequeueAfter,
                    Some(jittered(after).max(self.min_poll())),
                )
            }
            Next::Poll { found, least, most } => {
                let after = if found || mutated(Mutant::PollBackoff) {
                    state.empty_polls = 0;
                    least
                } else {
                    let doubled = least.saturating_mul(1 << state.empty_polls.min(20));
                    state.empty_polls += 1;
                    doubled.min(most)
                };
                let after = self.clamped(after);
                self.kind.metrics.polled(&self.kind.name, after);
                self.board.polling(key, "", now + after);
                (ReconcileResult::RequeueAfter, Some(jittered(after)))
            }
            Next::Again | Next::Cycle => (ReconcileResult::Requeue, Some(Duration::ZERO)),
            Next::Retry {
                error,
                class,
                after,
            } => {
                self.failed(key, &error, class, after);
                return ReconcileResult::Error;
            }
            Next::Held { reason } => {
                self.board.held(key, reason);
                // A clean-up that is held takes too long all the same.
                let overdue = self.overdue_at(key).filter(|overdue| *overdue > now);
                (
                    ReconcileResult::Success,
                    overdue.map(|overdue| overdue - now),
                )
            }
            Next::Released => {
                state.released = true;
                self.board.settled(key);
                (ReconcileResult::Success, None)
            }
        };
        match delay {
            None => {}
            Some(delay) if hot => {
                let (reason, note) = if loops {
                    (reasons::UPDATE_LOOP, LOOP_NOTE)
                } else {
                    (reasons::HOT_LOOP, HOT_NOTE)
                };
                tracing::warn!(kind = %self.kind.name, object = %key, %reason, "runs again and again without a change: slowed down");
                self.warn(key, reason, note);
                self.board.hot(key, now + HOT_DELAY);
                self.queue.push_at(key, now + delay.max(HOT_DELAY));
            }
            Some(Duration::ZERO) => self.push(key, Lane::Fresh),
            Some(delay) => self.queue.push_at(key, now + delay),
        }
        result
    }

    fn min_poll(&self) -> Duration {
        if mutated(Mutant::MinPoll) {
            return Duration::ZERO;
        }
        self.kind.limits.min_poll
    }

    pub(super) fn clamped(&self, after: Duration) -> Duration {
        let min = self.min_poll();
        if after < min {
            self.kind.metrics.poll_clamped(&self.kind.name);
        }
        after.max(min).min(LONGEST)
    }

    pub(super) fn failed(
        &mut self,
        key: &ObjectKey,
        error: &str,
        class: ErrorClass,
        after: Option<Duration>,
    ) {
        if class == ErrorClass::Saturated {
            // Not this object's failure: it neither counts nor grows a backoff.
            // A `Retry-After: 0` must not make a spin of it.
            let wait = after
                .unwrap_or_default()
                .max(self.kind.limits.min_poll)
                .min(LONGEST);
            self.board.polling(key, error, Instant::now() + wait);
            self.queue.push_at(key, Instant::now() + at_least(wait));
            return;
        }
        self.retry(key, error, after);
    }

    pub(super) fn retry(&mut self, key: &ObjectKey, error: &str, after: Option<Duration>) {
        let Some(state) = self.states.get_mut(key) else {
            return;
        };
        state.failures += 1;
        let failures = if mutated(Mutant::RetryBackoff) {
            1
        } else {
            state.failures
        };
        let turn = if mutated(Mutant::RetryTokens) {
            Duration::ZERO
        } else {
            self.retries.reserve(Instant::now())
        };
        let delay = Backoff::OBJECT
            .delay(failures)
            .max(after.unwrap_or_default())
            .max(turn)
            .min(LONGEST);
        self.kind.metrics.retried(&self.kind.name);
        self.board.backing_off(key, error, Instant::now() + delay);
        tracing::warn!(kind = %self.kind.name, object = %key, error, ?delay, failures = state.failures, "reconcile failed");
        self.queue.push_at(key, Instant::now() + delay);
    }
}
