//! What the watch and the bell tell, and whom it makes ready.

use std::collections::VecDeque;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Resource, runtime::watcher::Event};
use tokio::time::Instant;

use super::{Controller, DEPENDENCIES, watch_trouble};
use crate::mutant::{Mutant, mutated};
use crate::{
    engine::{
        annotations, backoff::Backoff, envelope::Envelope, key::ObjectKey, kind::Kind,
        owned_bell::Change, predicate::trigger, print::Print, queue::Lane, state::ObjectState,
        watch::News,
    },
    phase::PhaseMachine,
    reference::reasons,
};

impl<M: PhaseMachine> Controller<M> {
    pub(super) fn learn(&mut self, news: News<M::Resource>) {
        match news {
            News::Event(Event::Apply(arrived)) => {
                let key = ObjectKey::of(arrived.meta());
                let reply = self.replies.get(&key);
                let known = reply.and_then(|reply| reply.take(arrived.meta()));
                if self.states.get(&key).is_none_or(|state| !state.running) {
                    self.replies.remove(&key);
                }
                self.seen(key, known.unwrap_or_else(|| arrived.open()));
            }
            News::Event(Event::Delete(arrived)) => {
                self.deleted(&ObjectKey::of(arrived.meta()), arrived.meta());
            }
            News::Event(Event::Init) => {
                self.arrivals.clear();
                self.list_began = Some(Instant::now());
                self.cache.list_begins();
            }
            News::Event(Event::InitApply(arrived)) => self.arrivals.push_back(arrived),
            News::Event(Event::InitDone) => {
                self.decode(usize::MAX);
                self.arrivals = VecDeque::new();
                self.listed();
            }
            News::Failed {
                error,
                kind,
                code,
                wait,
            } => {
                self.kind.metrics.listwatch_failed(&self.kind.name, kind);
                self.watch_failed_at = Some(Instant::now());
                self.board
                    .watch_failed(watch_trouble(&self.kind.name, &error, code));
                tracing::warn!(kind = %self.kind.name, %error, ?wait, "the watch failed");
            }
        }
    }

    /// Decodes what a list has brought.
    pub(super) fn decode(&mut self, most: usize) {
        let most = most.min(self.arrivals.len());
        for arrived in self.arrivals.drain(..most) {
            let key = ObjectKey::of(arrived.meta());
            self.cache.listed(key, arrived.open());
        }
    }

    pub(super) fn listed(&mut self) {
        let (listed, lost) = self.cache.list_ends();
        if let Some(began) = self.list_began.take() {
            let metrics = &self.kind.metrics;
            metrics.list_synced(&self.kind.name, began.elapsed());
        }
        self.board.synced();
        for key in lost.iter().filter(|_| !mutated(Mutant::ListLoss)) {
            self.forget(key);
        }
        for key in listed {
            self.consider(&key, Lane::Backlog);
        }
    }

    fn seen(&mut self, key: ObjectKey, envelope: Envelope<M::Resource>) {
        if self.cache.apply(key.clone(), envelope) {
            self.board.synced();
            self.consider(&key, Lane::Fresh);
        }
    }

    pub(super) fn deleted(&mut self, key: &ObjectKey, last: &ObjectMeta) {
        // A namesake may be here already: only the one that went is forgotten.
        let gone = self
            .cache
            .get(key)
            .is_none_or(|known| known.meta().uid == last.uid);
        if gone {
            self.cache.remove(key);
            self.forget(key);
        }
    }

    pub(super) fn forget(&mut self, key: &ObjectKey) {
        if self.undecodable.remove(key) {
            self.kind
                .metrics
                .undecodable_objects(&self.kind.name, self.undecodable.len());
        }
        self.replies.remove(key);
        self.queue.remove(key);
        self.groups.remove(key);
        self.board.remove(key);
        self.kind.index.forget(key);
        self.kind.jobs.forget(key);
        // A run in flight keeps its state until it reports.
        if self.states.get(key).is_some_and(|state| !state.running) {
            self.drop_state(key);
        }
    }

    pub(super) fn drop_state(&mut self, key: &ObjectKey) {
        if let Some(state) = self.states.remove(key) {
            self.uncount(&state);
        }
    }

    /// An object that is gone does not stand in the gauges any more.
    pub(super) fn uncount(&mut self, state: &ObjectState) {
        if state.cleanup_overdue {
            self.cleanup_stalled = self.cleanup_stalled.saturating_sub(1);
            self.kind
                .metrics
                .cleanup_stalled(&self.kind.name, self.cleanup_stalled);
        }
        if state.heat.hot {
            self.hot = self.hot.saturating_sub(1);
            self.kind.metrics.hot_objects(&self.kind.name, self.hot);
        }
    }

    /// Makes the object ready if the last run did not see what the cache now shows.
    pub(super) fn consider(&mut self, key: &ObjectKey, lane: Lane) {
        let Some(envelope) = self.cache.get(key) else {
            return;
        };
        let meta = envelope.meta();
        if let Err(error) = envelope.object() {
            // Its timers mean nothing until it decodes again: then it runs, though nothing else may have changed.
            if let Some(state) = self.states.get_mut(key) {
                state.parked = true;
            }
            if self.undecodable.insert(key.clone()) {
                tracing::error!(kind = %self.kind.name, object = %key, %error, "the object does not decode and is left alone");
                let note =
                    format!("it does not decode and is left alone: {error}: mend that field");
                self.kind.events.warn(envelope, reasons::UNDECODABLE, note);
                self.kind
                    .metrics
                    .undecodable_objects(&self.kind.name, self.undecodable.len());
            }
            self.let_go_if_told(key, lane);
            return;
        }
        if self.undecodable.remove(key) {
            self.kind
                .metrics
                .undecodable_objects(&self.kind.name, self.undecodable.len());
        }
        let uid = meta.uid.as_deref().unwrap_or_default();
        if let Ok(object) = envelope.object() {
            self.kind.index.put(key, object);
        }
        let children = self.kind.children.sum(key, uid);
        let print = Print::of(trigger(meta, &self.kind.watched)).plus(children);
        let version = envelope.version();
        let state = self
            .states
            .entry(key.clone())
            .or_insert_with(|| Box::new(ObjectState::new(uid)));
        if state.running {
            return; // Compared again when the run reports.
        }
        if state.uid != uid && !mutated(Mutant::PredicateWidth) {
            let old = std::mem::replace(&mut **state, ObjectState::new(uid));
            self.kind.jobs.forget(key);
            self.uncount(&old);
        }
        let Some(state) = self.states.get_mut(key) else {
            return;
        };
        if state.released || !state.gate_opens(version) {
            return;
        }
        if state.failures > 0 && mutated(Mutant::SpecCutsBackoff) {
            return;
        }
        // The status of a dependency is no reason to cut a backoff, whichever event brings it to light.
        let is_new = match state.handled {
            Some(handled) if state.failures > 0 && !mutated(Mutant::StatusKeepsBackoff) => {
                handled.decided != print.decided
            }
            handled => handled != Some(print),
        };
        if is_new || std::mem::take(&mut state.parked) {
            state.parked = false;
            self.push(key, lane);
        }
    }

    /// What does not decode can still be let go of: that takes nothing but its metadata, and an admin who says so.
    pub(super) fn let_go_if_told(&mut self, key: &ObjectKey, lane: Lane) {
        let Some(meta) = self.cache.get(key).map(Envelope::meta) else {
            return;
        };
        if !self.may_let_go(meta) {
            return;
        }
        let uid = meta.uid.as_deref().unwrap_or_default();
        let state = self.states.entry(key.clone());
        let state = state.or_insert_with(|| Box::new(ObjectState::new(uid)));
        if !state.running {
            self.push(key, lane);
        }
    }

    pub(super) fn may_let_go(&self, meta: &ObjectMeta) -> bool {
        meta.deletion_timestamp.is_some()
            && Kind::<M>::finalizer_phase().is_some()
            && self.kind.finalizer.is_held(meta)
            && annotations::releases_external(meta)
            && !annotations::is_paused(meta)
    }

    /// Wakes who depends on what changed.
    pub(super) fn ring(&mut self) {
        for (key, wake) in self.kind.children.bell.take() {
            let Some(state) = self.states.get_mut(&key) else {
                continue;
            };
            state.parked |= wake.run;
            state.called |= wake.run;
            let is_backing_off = state.failures > 0;
            if let Some(at) = wake.at {
                self.queue.push_at(&key, at);
            }
            match wake.look {
                _ if wake.run => self.consider(&key, Lane::Fresh),
                // A status is no reason to cut a backoff; what its writers decide shortens it.
                Some(Change::Status) if is_backing_off && !mutated(Mutant::StatusKeepsBackoff) => {}
                // Nor is a list that was read anew: after an outage all would come back at once.
                Some(_) if is_backing_off && !self.has_news(&key) => {}
                Some(_) if is_backing_off => {
                    let soon = Instant::now() + Backoff::OBJECT.base;
                    self.queue.push_at(&key, soon);
                }
                Some(_) => self.consider(&key, Lane::Fresh),
                None => {}
            }
        }
    }

    /// Whether the caches show anything that the last run did not see.
    pub(super) fn has_news(&self, key: &ObjectKey) -> bool {
        let (Some(envelope), Some(state)) = (self.cache.get(key), self.states.get(key)) else {
            return false;
        };
        let meta = envelope.meta();
        let uid = meta.uid.as_deref().unwrap_or_default();
        let children = self.kind.children.sum(key, uid);
        let print = Print::of(trigger(meta, &self.kind.watched)).plus(children);
        state.handled.is_none_or(|handled| {
            let is_other = mutated(Mutant::StatusKeepsBackoff) && handled != print;
            handled.decided != print.decided || is_other
        })
    }

    /// Whether runs may start: the caches they read are there, or have had their time.
    pub(super) fn dependencies_are_settled(&mut self) -> bool {
        if !self.may_start {
            let patience =
                self.began.elapsed() >= DEPENDENCIES && !mutated(Mutant::IsolatedWatches);
            self.may_start = patience || self.kind.children.are_settled();
        }
        self.may_start
    }

    pub(super) fn push(&mut self, key: &ObjectKey, lane: Lane) {
        if self.queue.push(key, lane, Instant::now()) {
            self.kind.metrics.queue_added(&self.kind.name);
            self.board.waiting(key);
        }
    }
}
