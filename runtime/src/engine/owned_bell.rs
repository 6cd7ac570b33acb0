//! How the watches of owned and watched kinds wake their owners: each key once, in order.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::{sync::Notify, time::Instant};

use crate::engine::key::ObjectKey;

/// So many may wait while nobody follows.
const STANDBY: usize = 10_000;

/// What changed about a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// Nothing that matters.
    None,
    /// Only its status: no reason to cut a backoff.
    Status,
    /// What its writers decide, or that it is there.
    Content,
}

/// What an owner is woken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wake {
    /// Compare what the last run saw with what is there.
    pub(crate) look: Option<Change>,
    /// Run, whatever the comparison says: what the last run waited for has happened.
    pub(crate) run: bool,
    /// Run then.
    pub(crate) at: Option<Instant>,
}

/// Owners to be woken.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    pending: Mutex<BTreeMap<ObjectKey, Wake>>,
    rung: Notify,
    is_followed: AtomicBool,
}

impl Bell {
    fn pending(&self) -> MutexGuard<'_, BTreeMap<ObjectKey, Wake>> {
        // Nothing panics while it holds the lock.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn look(&self, owner: &ObjectKey, change: Change) {
        if change != Change::None {
            let mut pending = self.pending();
            let wake = pending.entry(owner.clone()).or_default();
            wake.look = wake.look.max(Some(change));
            self.rung.notify_one();
        }
    }

    pub(crate) fn run(&self, owner: &ObjectKey) {
        self.pending().entry(owner.clone()).or_default().run = true;
        self.rung.notify_one();
    }

    /// The same from outside, where nobody may be following: a process that stands by must not grow by what it is told.
    /// What is dropped loses nothing, since the first list makes every object run.
    pub(crate) fn ask(&self, owner: &ObjectKey) {
        let is_full = !self.is_followed.load(Ordering::Acquire) && self.pending().len() >= STANDBY;
        if !is_full {
            self.run(owner);
        }
    }

    /// From now on somebody takes what is pending.
    pub(crate) fn followed(&self) {
        self.is_followed.store(true, Ordering::Release);
    }

    pub(crate) fn run_at(&self, owner: &ObjectKey, at: Instant) {
        let mut pending = self.pending();
        let wake = pending.entry(owner.clone()).or_default();
        wake.at = Some(wake.at.map_or(at, |earlier| earlier.min(at)));
        self.rung.notify_one();
    }

    /// The loop has to turn, though nobody is to be woken.
    pub(crate) fn turn(&self) {
        self.rung.notify_one();
    }

    /// Waits until it is rung.
    pub(crate) async fn rung(&self) {
        self.rung.notified().await;
    }

    /// Who is to be woken.
    pub(crate) fn take(&self) -> BTreeMap<ObjectKey, Wake> {
        std::mem::take(&mut *self.pending())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_stands_by_does_not_grow_by_what_it_is_told() {
        let bell = Bell::default();
        let ask = |number: usize| {
            bell.ask(&ObjectKey::new(None, &number.to_string()));
        };
        (0..STANDBY + 5).for_each(ask);
        assert_eq!(bell.take().len(), STANDBY);
        bell.followed();
        (0..STANDBY + 5).for_each(ask);
        assert_eq!(bell.take().len(), STANDBY + 5);
    }
}
