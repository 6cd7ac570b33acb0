//! What runs bring back.

use std::{sync::atomic::Ordering, time::Duration};

use kube::Resource;
use tokio::{
    task::{Id, JoinError},
    time::Instant,
};

use super::{CLEANUP_STALLED_NOTE, Controller, Done};
use crate::{
    engine::{
        backoff::{Backoff, LONGEST},
        envelope::Envelope,
        heat::HOT_DELAY,
        key::ObjectKey,
        queue::Lane,
        report::{Next, Report},
    },
    error::ErrorClass,
    mutant::{Mutant, mutated},
    phase::PhaseMachine,
    reference::{Reason, reasons},
};

impl<M: PhaseMachine> Controller<M> {
    pub(super) fn finish(&mut self, done: Result<(Id, Done<M::Resource>), JoinError>) {
        self.runs -= 1;
        let id = match &done {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let Some(key) = self.keys.remove(&id) else {
            return;
        };
        self.groups.ended(&key);
        let cached = self.cache.get(&key).map_or(0, Envelope::version);
        let reply = self.replies.get(&key);
        if reply.is_some_and(|reply| reply.is_needless(cached)) {
            self.replies.remove(&key);
        }
        match done {
            Ok((_, Done::Report(report))) => self.reported(*report),
            Ok((_, Done::Overdue(key))) => {
                let metrics = &self.kind.metrics;
                metrics.reconcile_failed(&self.kind.name, "timeout");
                self.broken(&key, "the run did not end within its budget and was cut");
            }
            Ok((_, Done::Refreshed { key, live, cached })) => self.refreshed(&key, live, cached),
            Ok((_, Done::NotLetGo { key, why, after })) => self.not_let_go(&key, &why, after),
            Err(error) if mutated(Mutant::PanicsContained) => {
                std::panic::resume_unwind(error.into_panic());
            }
            Err(error) => {
                self.kind.metrics.reconcile_panicked(&self.kind.name);
                self.kind.metrics.reconcile_failed(&self.kind.name, "panic");
                self.broken(&key, &format!("the run panicked: {error}"));
            }
        }
    }

    pub(super) fn refreshed(
        &mut self,
        key: &ObjectKey,
        live: Result<Option<Envelope<M::Resource>>, kube::Error>,
        cached: u64,
    ) {
        let Some(state) = self.states.get_mut(key) else {
            return;
        };
        state.running = false;
        state.running_since = None;
        match live {
            Ok(Some(envelope)) => {
                state.gate = None;
                state.parked = true;
                match self.cache.get(key).map(|known| known.version()) {
                    // Deleted meanwhile: the reply is history.
                    None => return self.forget(key),
                    // Older than what was known before the server was asked: it went back, and so must the cache.
                    Some(_) if cached > envelope.version() => {
                        tracing::warn!(kind = %self.kind.name, object = %key, cached, live = envelope.version(), "the server has an older version than the cache: was it restored from a backup?");
                        self.cache.replace(key.clone(), envelope);
                    }
                    // Changed meanwhile, or a namesake.
                    Some(known) if known > envelope.version() => {}
                    Some(_) => {
                        self.cache.apply(key.clone(), envelope);
                    }
                }
                self.consider(key, Lane::Fresh);
            }
            Ok(None) => {
                self.cache.remove(key);
                self.forget(key);
            }
            Err(error) => {
                let wait = Backoff::WATCH.delay(1);
                tracing::warn!(kind = %self.kind.name, object = %key, %error, "reading past the cache failed");
                self.queue.push_at(key, Instant::now() + wait);
            }
        }
    }

    pub(super) fn not_let_go(&mut self, key: &ObjectKey, why: &str, after: Option<Duration>) {
        let Some(state) = self.states.get_mut(key) else {
            return;
        };
        state.running = false;
        state.running_since = None;
        let Some(envelope) = self.cache.get(key) else {
            self.forget(key);
            return;
        };
        let decodes = envelope.object().is_ok();
        let error = format!("our finalizer does not come off what does not decode: {why}");
        self.retry(key, &error, after);
        if decodes {
            // Mended meanwhile. What still does not decode would be tried again at once.
            self.consider(key, Lane::Fresh);
        }
    }

    /// A run that ended without a report.
    pub(super) fn broken(&mut self, key: &ObjectKey, error: &str) {
        let Some(state) = self.states.get_mut(key) else {
            return;
        };
        state.running = false;
        state.running_since = None;
        let written = state.written.take();
        let written = written.map_or(0, |written| written.load(Ordering::Relaxed));
        if written > 0 {
            state.gate = Some((written, Instant::now() + self.kind.limits.gate));
        }
        if !self.cache_has(key) {
            self.forget(key);
            return;
        }
        self.retry(key, error, None);
        self.consider(key, Lane::Fresh);
    }

    pub(super) fn cache_has(&self, key: &ObjectKey) -> bool {
        self.cache.get(key).is_some()
    }

    pub(super) fn reported(&mut self, report: Report) {
        let key = report.key.clone();
        let Some(state) = self.states.get_mut(&key) else {
            return;
        };
        state.running = false;
        state.running_since = None;
        state.written = None;
        let cached = self.cache.get(&key);
        let same = cached.is_some_and(|known| known.meta().uid.as_deref() == Some(&*report.uid));
        if !same {
            // Deleted meanwhile, or replaced by a namesake.
            self.kind.jobs.forget(&key);
            self.drop_state(&key);
            self.consider(&key, Lane::Fresh);
            return;
        }
        state.handled = Some(report.handled);
        state.is_paused = matches!(report.next, Next::Held { .. });
        if !report.phase.is_empty() {
            state.phase = report.phase;
            state.entered_at = report.entered_at;
            self.board.in_phase(&key, report.phase);
            self.kind.jobs.keep_only(&key, report.phase);
        }
        let failed_without_word = match &report.next {
            Next::Retry { class, .. } if *class != ErrorClass::Saturated => Some("transient"),
            _ => None,
        };
        if let Some(reason) = report.failure.or(failed_without_word) {
            self.kind.metrics.reconcile_failed(&self.kind.name, reason);
        }
        state.observed_in = report.observed_in;
        if report.version > 0 {
            state.gate = Some((report.version, Instant::now() + self.kind.limits.gate));
        }
        let was_hot = state.heat.hot;
        let hot = state.heat.run(&report, Instant::now());
        state.gone = report.gone;
        state.words = report.words;
        if hot != was_hot {
            self.hot = if hot {
                self.hot + 1
            } else {
                self.hot.saturating_sub(1)
            };
            self.kind.metrics.hot_objects(&self.kind.name, self.hot);
        }
        self.note_overdue(&key, report.cleanup_overdue);
        self.kind.metrics.work_done(&self.kind.name, report.took);
        let result = self.schedule(&key, report.next, hot);
        self.kind
            .metrics
            .reconciled(&self.kind.name, result, report.took);
        // One that is over moves an object only after a run that has looked: a handler that fails keeps its backoff.
        let has_looked = report.observed_in == Some(report.phase);
        let left = report
            .deadline_in
            .filter(|left| has_looked || !left.is_zero());
        if let Some(left) = left {
            // The deadline of a phase wakes the object if nothing does before.
            self.queue.push_at(
                &key,
                Instant::now() + left.clamp(Duration::from_millis(1), LONGEST),
            );
        }
        if hot {
            // What came during the run has its turn all the same.
            self.queue.push_at(&key, Instant::now() + HOT_DELAY);
        } else {
            self.consider(&key, Lane::Fresh);
        }
    }

    /// Counts an object whose clean-up takes too long, and tells people once.
    pub(super) fn note_overdue(&mut self, key: &ObjectKey, is_overdue: bool) {
        let Some(state) = self.states.get_mut(key) else {
            return;
        };
        if std::mem::replace(&mut state.cleanup_overdue, is_overdue) == is_overdue {
            return;
        }
        if is_overdue {
            self.cleanup_stalled += 1;
            self.warn(key, reasons::CLEANUP_IS_STALLED, CLEANUP_STALLED_NOTE);
        } else {
            self.cleanup_stalled = self.cleanup_stalled.saturating_sub(1);
        }
        let metrics = &self.kind.metrics;
        metrics.cleanup_stalled(&self.kind.name, self.cleanup_stalled);
    }

    /// An event on the object, as far as it decodes.
    pub(super) fn warn(&self, key: &ObjectKey, reason: Reason, note: &str) {
        if let Some(Ok(object)) = self.cache.get(key).map(Envelope::object) {
            self.kind.events.warn(&**object, reason, note);
        }
    }
}
