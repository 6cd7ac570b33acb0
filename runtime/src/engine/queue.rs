//! Which object has its turn: each key once, fresh events beside the backlog of a first list, timers.

use std::collections::{BTreeMap, VecDeque};

use tokio::time::Instant;

use crate::engine::key::{ByKey, ObjectKey};
use crate::mutant::{Mutant, mutated};

/// Where a key waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Something happened to the object just now.
    Fresh,
    /// The object came with a list, among thousands.
    Backlog,
}

/// So many keys keep their room once a burst is over.
const ROOM: usize = 1024;

/// Keys that are ready, and keys that will be.
#[derive(Default)]
pub(crate) struct Queue {
    fresh: VecDeque<ObjectKey>,
    backlog: VecDeque<ObjectKey>,
    /// What is ready: since when, and in which lane.
    queued: ByKey<(Instant, Lane)>,
    timers: BTreeMap<(Instant, u64), ObjectKey>,
    timer_of: ByKey<(Instant, u64)>,
    sequence: u64,
    backlog_has_turn: bool,
}

impl Queue {
    /// Makes the key ready. A key that is ready already is not taken twice; its timer has no meaning any more.
    /// Returns whether it was new.
    pub(crate) fn push(&mut self, key: &ObjectKey, lane: Lane, now: Instant) -> bool {
        self.cancel_timer(key);
        let lane = if mutated(Mutant::FairLanes) {
            Lane::Backlog
        } else {
            lane
        };
        if let Some((_, queued)) = self.queued.get_mut(key) {
            // What happens to an object does not wait behind the list it came with. Its place there is passed over.
            if *queued == Lane::Backlog && lane == Lane::Fresh {
                *queued = lane;
                self.fresh.push_back(key.clone());
            }
            return false;
        }
        self.queued.insert(key.clone(), (now, lane));
        match lane {
            Lane::Fresh => self.fresh.push_back(key.clone()),
            Lane::Backlog => self.backlog.push_back(key.clone()),
        }
        true
    }

    /// Makes the key ready at `when`; of two timers the earlier one stays.
    pub(crate) fn push_at(&mut self, key: &ObjectKey, when: Instant) {
        if self
            .timer_of
            .get(key)
            .is_some_and(|(earlier, _)| *earlier <= when)
            && !mutated(Mutant::EarlierTimer)
        {
            return;
        }
        self.cancel_timer(key);
        self.sequence += 1;
        self.timers.insert((when, self.sequence), key.clone());
        self.timer_of.insert(key.clone(), (when, self.sequence));
    }

    fn cancel_timer(&mut self, key: &ObjectKey) {
        if let Some(at) = self.timer_of.remove(key) {
            self.timers.remove(&at);
        }
    }

    /// Forgets the key. What stands in a lane is passed over when its turn comes.
    pub(crate) fn remove(&mut self, key: &ObjectKey) {
        self.cancel_timer(key);
        self.queued.remove(key);
    }

    /// The next key and since when it was ready. The two lanes take turns, so neither starves.
    pub(crate) fn pop(&mut self) -> Option<(ObjectKey, Instant)> {
        loop {
            let backlog_first = self.backlog_has_turn;
            self.backlog_has_turn = !backlog_first;
            let key = if backlog_first {
                self.backlog.pop_front().or_else(|| self.fresh.pop_front())
            } else {
                self.fresh.pop_front().or_else(|| self.backlog.pop_front())
            }?;
            if let Some((since, _)) = self.queued.remove(&key) {
                return Some((key, since));
            }
        }
    }

    /// Gives back what a burst has taken.
    fn relax(&mut self) {
        if self.queued.is_empty() && self.queued.capacity() > 2 * ROOM {
            self.queued.shrink_to(ROOM);
            self.fresh.shrink_to(ROOM);
            self.backlog.shrink_to(ROOM);
        }
    }

    /// Moves every timer that has run out to the ready keys. Returns how many.
    pub(crate) fn promote(&mut self, now: Instant) -> usize {
        self.relax();
        let mut count = 0;
        while let Some(entry) = self.timers.first_entry() {
            if entry.key().0 > now {
                break;
            }
            let key = entry.get().clone();
            self.push(&key, Lane::Fresh, now);
            count += 1;
        }
        count
    }

    /// When the next timer runs out.
    pub(crate) fn next_timer(&self) -> Option<Instant> {
        self.timers.first_key_value().map(|((when, _), _)| *when)
    }

    /// How many keys are ready.
    pub(crate) fn ready(&self) -> usize {
        self.queued.len()
    }
}
