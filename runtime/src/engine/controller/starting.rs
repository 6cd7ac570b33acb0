//! Starting runs: whose turn it is, and what holds one back.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use kube::Resource;
use tokio::{task::AbortHandle, time::Instant};

use super::{Controller, Done, MASS_DELETION_NOTE};
use crate::{
    engine::{
        annotations,
        api::{Part, Patched},
        driver::{Driver, Input},
        envelope::Envelope,
        groups::Group,
        key::ObjectKey,
        kind::Kind,
        queue::Lane,
        reply::Reply,
        report::Report,
        stall::Timed,
        woken::WokenBy,
    },
    external::classify,
    mutant::{Mutant, mutated},
    phase::PhaseMachine,
    reference::reasons,
};

impl<M: PhaseMachine> Controller<M> {
    pub(super) fn start_ready(&mut self) {
        if !self.dependencies_are_settled() {
            return;
        }
        let places = if mutated(Mutant::InFlight) {
            1
        } else {
            self.kind.limits.in_flight
        };
        while self.runs < places {
            let Some((key, since)) = self.groups.next().or_else(|| self.queue.pop()) else {
                break;
            };
            let group = self.group_of(&key);
            if let Some(group) = &group {
                if self.groups.holds(&key) {
                    continue; // It stands in its group's line already.
                }
                if !self.groups.has_room(group) {
                    self.groups.hold(key, Arc::clone(group), since);
                    continue;
                }
                let label = self.groups.label(group);
                let metrics = &self.kind.metrics;
                metrics.group_waited(&self.kind.name, label, since.elapsed());
            }
            self.kind
                .metrics
                .queue_waited(&self.kind.name, since.elapsed());
            self.start(key, group);
        }
    }

    pub(super) fn group_of(&self, key: &ObjectKey) -> Option<Group> {
        let group_by = self.kind.group_by.as_ref()?;
        let object = self.cache.get(key)?.object().ok()?;
        // The author's code: what panics in it must not end the loop over all objects.
        match catch_unwind(AssertUnwindSafe(|| (group_by.0)(object))) {
            Ok(group) => Some(group.into()),
            Err(_) => {
                tracing::error!(kind = %self.kind.name, object = %key, "group_by panicked: the object runs without a group");
                None
            }
        }
    }

    /// Whether the object's clean-up has to wait because too many begin at once.
    pub(super) fn is_braked(&mut self, key: &ObjectKey, now: Instant) -> bool {
        let (Some(envelope), Some(state)) = (self.cache.get(key), self.states.get_mut(key)) else {
            return false;
        };
        let meta = envelope.meta();
        let destroys = meta.deletion_timestamp.is_some()
            && Kind::<M>::finalizer_phase().is_some()
            && self.kind.finalizer.is_held(meta)
            && !annotations::is_paused(meta)
            && !annotations::releases_external(meta)
            && !annotations::may_destroy(meta);
        if !destroys || mutated(Mutant::DestroyBrake) {
            return false;
        }
        let is_new = state.destroy_at.is_none();
        let destroys = &mut self.destroys;
        let at = *state
            .destroy_at
            .get_or_insert_with(|| now + destroys.reserve(now));
        if at <= now {
            return false;
        }
        let overdue_at = self.overdue_at(key);
        self.note_overdue(key, overdue_at.is_some_and(|overdue| overdue <= now));
        if is_new {
            tracing::warn!(kind = %self.kind.name, object = %key, wait = ?(at - now), "mass deletion: the clean-up waits");
            self.warn(key, reasons::MASS_DELETION, MASS_DELETION_NOTE);
        }
        self.board
            .polling(key, "held by the brake on mass deletions", at);
        self.queue.push_at(key, at);
        // People are told on time although it does not run.
        if let Some(overdue) = overdue_at.filter(|overdue| *overdue > now) {
            self.queue.push_at(key, overdue);
        }
        true
    }

    /// When a clean-up of the object takes too long, whether it runs or is held; `None` if it is not being deleted, or
    /// not held by us.
    pub(super) fn overdue_at(&self, key: &ObjectKey) -> Option<Instant> {
        let meta = self.cache.get(key)?.meta();
        let deleted_at = meta.deletion_timestamp.as_ref()?;
        if !self.kind.finalizer.is_held(meta) {
            return None;
        }
        let spent = self.kind.clock.now().duration_since(deleted_at.0);
        let spent = Duration::try_from(spent).unwrap_or_default();
        let left = self.kind.limits.cleanup_deadline.saturating_sub(spent);
        // A moment later, so that it is over then.
        let left = if left.is_zero() {
            left
        } else {
            left + Duration::from_secs(1)
        };
        Some(Instant::now() + left)
    }

    pub(super) fn start(&mut self, key: ObjectKey, group: Option<Group>) {
        let Some(envelope) = self.cache.get(&key) else {
            return;
        };
        let Some(state) = self.states.get_mut(&key) else {
            return;
        };
        if state.running {
            // A timer that ran out meanwhile: looked at when the run reports.
            state.parked = true;
            return;
        }
        let uid = envelope.meta().uid.as_deref().unwrap_or_default();
        if state.uid != uid && !mutated(Mutant::PredicateWidth) {
            // What is remembered is a former object's, whose last run ended without a report.
            self.kind.jobs.forget(&key);
            self.drop_state(&key);
            self.consider(&key, Lane::Fresh);
            return;
        }
        if state.released {
            return;
        }
        let now = Instant::now();
        if !state.gate_opens(envelope.version()) {
            state.parked = true;
            state.gated_since.get_or_insert(now);
            self.board.gated(&key);
            match state.gate {
                Some((_, until)) if until > now => self.queue.push_at(&key, until),
                _ => match self.live_reads.take(now) {
                    Err(wait) if !mutated(Mutant::LiveReads) => {
                        self.queue.push_at(&key, now + wait);
                    }
                    _ => self.refresh(key),
                },
            }
            return;
        }
        if envelope.object().is_err() {
            self.let_go(key);
            return;
        }
        if self.is_braked(&key, now) {
            return;
        }
        let (Some(envelope), Some(state)) = (self.cache.get(&key), self.states.get_mut(&key))
        else {
            return;
        };
        let is_terminating = envelope.meta().deletion_timestamp.is_some();
        let input = Input {
            key: key.clone(),
            envelope: envelope.clone(),
            gone: state.gone.clone(),
            observed_in: state.observed_in,
            retried: state.failures > 0,
            words: state.words.clone(),
            written: Arc::default(),
            reply: Reply::default(),
        };
        let reply = input.reply.clone();
        state.written = Some(Arc::clone(&input.written));
        let Some(mut driver) = Driver::new(Arc::clone(&self.kind), input) else {
            return;
        };
        self.replies.insert(key.clone(), reply);
        let phase = driver
            .fields()
            .phase
            .as_deref()
            .map_or(Some(M::default()), M::from_name)
            .map_or("", M::name);
        driver.woken_by = WokenBy::of(state, driver.seen());
        driver.is_looping = state.heat.is_looping_at(driver.seen());
        state.called = false;
        // A run that is cut does not report: what came after its start is news all the same.
        state.handled = Some(driver.seen());
        state.running = true;
        state.running_since = Some(now);
        if let Some(since) = state.gated_since.take() {
            let metrics = &self.kind.metrics;
            metrics.gate_waited(&self.kind.name, now - since);
        }
        if let Some(finalizer) = Kind::<M>::finalizer_phase()
            && is_terminating
        {
            // Nothing may go on making what the clean-up takes away.
            self.kind.jobs.keep_only(&key, finalizer.name());
        }
        self.runs += 1;
        if let Some(group) = group {
            self.groups.started(key.clone(), group);
        }
        self.board.running(&key);
        self.board.in_phase(&key, phase);
        let limit = M::BUDGET + self.kind.limits.write_grace;
        let overdue = key.clone();
        let run = self.timed(&key, phase, driver.run());
        let handle = self.tasks.spawn(async move {
            match tokio::time::timeout(limit, run).await {
                Ok(report) => Done::Report(Box::new(report)),
                Err(_) => Done::Overdue(overdue),
            }
        });
        self.track(&handle, key);
    }

    /// The run, and a complaint whenever it blocks its thread.
    pub(super) fn timed(
        &self,
        key: &ObjectKey,
        phase: &'static str,
        run: impl Future<Output = Report> + Send + 'static,
    ) -> Timed<Report> {
        let (kind, metrics) = (Arc::clone(&self.kind.name), self.kind.metrics.clone());
        let key = key.clone();
        Timed::new(run, move |took| {
            metrics.poll_blocked(&kind);
            tracing::error!(%kind, object = %key, phase, ?took, "the handler blocked its thread: put blocking code into cx.blocking");
        })
    }

    pub(super) fn track(&mut self, handle: &AbortHandle, key: ObjectKey) {
        self.keys.insert(handle.id(), key);
    }

    /// Reads past the cache: it did not show our last write in time.
    pub(super) fn refresh(&mut self, key: ObjectKey) {
        let Some(state) = self.states.get_mut(&key) else {
            return;
        };
        state.running = true;
        self.runs += 1;
        let (kind, target) = (Arc::clone(&self.kind), key.clone());
        let cached = self.cache.get(&key).map_or(0, Envelope::version);
        let handle = self.tasks.spawn(async move {
            let live = kind.api.get(&target).await;
            Done::Refreshed {
                key: target,
                live,
                cached,
            }
        });
        self.track(&handle, key);
    }

    /// Takes our finalizer off an object that does not decode.
    pub(super) fn let_go(&mut self, key: ObjectKey) {
        let Some(meta) = self.cache.get(&key).map(Envelope::meta) else {
            return;
        };
        if !self.may_let_go(meta) {
            return;
        }
        let (Some(patch), Some(state)) =
            (self.kind.finalizer.release(meta), self.states.get_mut(&key))
        else {
            return;
        };
        tracing::warn!(kind = %self.kind.name, object = %key, "it does not decode, and is let go of as its annotation says");
        state.running = true;
        self.runs += 1;
        let (kind, target) = (Arc::clone(&self.kind), key.clone());
        let cached = self.cache.get(&key).map_or(0, Envelope::version);
        let handle = self.tasks.spawn(async move {
            let live = match kind.api.patch(&target, Part::Main, &patch).await {
                Patched::Done(envelope) => Ok(Some(envelope)),
                Patched::Gone => Ok(None),
                Patched::TestFailed => kind.api.get(&target).await,
                Patched::Refused(why) => {
                    return Done::NotLetGo {
                        key: target,
                        why,
                        after: None,
                    };
                }
                Patched::Failed(error) => {
                    return Done::NotLetGo {
                        key: target,
                        why: error.to_string(),
                        after: classify(&error).1,
                    };
                }
            };
            Done::Refreshed {
                key: target,
                live,
                cached,
            }
        });
        self.track(&handle, key);
    }
}
