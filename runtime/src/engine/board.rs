//! Who is where: what `/debug/reconciles` and `/readyz` show of one kind.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::mutant::{Mutant, mutated};
use crate::{
    engine::key::{ByKey, ObjectKey},
    probes::ReconcileState,
};

/// So many objects keep their room once a burst is over.
const ROOM: usize = 2048;

/// Shared with the probes.
#[derive(Clone, Default)]
pub(crate) struct Board(Arc<Mutex<Notes>>);

/// What is known of one kind.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) synced: bool,
    /// What is wrong with the watch. Its loop takes it back, after a silence at the latest.
    pub(crate) trouble: Option<String>,
    pub(crate) idle: bool,
    objects: ByKey<Line>,
    /// How many of them are paused.
    paused: usize,
    /// The loop turned at this moment: what `/livez` looks at.
    pub(crate) beat: Option<Instant>,
}

/// One object that is not settled.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) phase: &'static str,
    pub(crate) state: ReconcileState,
    pub(crate) since: Instant,
    pub(crate) why: String,
    pub(crate) next: Option<Instant>,
}

/// How quiet a kind is: the three points of a steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Calm {
    /// The cache is complete.
    pub(crate) synced: bool,
    /// Every object is settled or paused.
    pub(crate) converged: bool,
    /// And nothing is under way.
    pub(crate) quiescent: bool,
}

impl Notes {
    /// The objects that are not settled, by name.
    pub(crate) fn objects(&self) -> Vec<(&ObjectKey, &Line)> {
        let mut lines: Vec<_> = self.objects.iter().collect();
        lines.sort_by_key(|(key, _)| *key);
        lines
    }

    pub(crate) fn calm(&self) -> Calm {
        let converged = self.synced && self.paused == self.objects.len();
        Calm {
            synced: self.synced,
            converged,
            quiescent: (converged && self.idle) || mutated(Mutant::Quiescence),
        }
    }
}

impl Board {
    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        // Nothing panics while it holds the lock; a poisoned board is still a readable one.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn line(&self, key: &ObjectKey, state: ReconcileState, why: &str, next: Option<Instant>) {
        if mutated(Mutant::Board) {
            return;
        }
        let mut notes = self.notes();
        let Notes {
            objects, paused, ..
        } = &mut *notes;
        let line = objects.entry(key.clone()).or_insert_with(|| {
            *paused += usize::from(state == ReconcileState::Paused);
            Line {
                phase: "",
                state,
                since: Instant::now(),
                why: String::new(),
                next,
            }
        });
        if line.state != state {
            line.since = Instant::now();
            *paused += usize::from(state == ReconcileState::Paused);
            *paused -= usize::from(line.state == ReconcileState::Paused);
        }
        line.state = state;
        why.clone_into(&mut line.why);
        line.next = next;
    }

    pub(crate) fn waiting(&self, key: &ObjectKey) {
        self.line(key, ReconcileState::Queued, "", None);
    }

    pub(crate) fn running(&self, key: &ObjectKey) {
        self.line(key, ReconcileState::Running, "", None);
    }

    pub(crate) fn gated(&self, key: &ObjectKey) {
        let why = "the cache has not shown our own last write yet";
        self.line(key, ReconcileState::Gated, why, None);
    }

    pub(crate) fn hot(&self, key: &ObjectKey, next: Instant) {
        let why = "runs again and again although nothing changes";
        self.line(key, ReconcileState::Hot, why, Some(next));
    }

    pub(crate) fn polling(&self, key: &ObjectKey, why: &str, next: Instant) {
        self.line(key, ReconcileState::Waiting, why, Some(next));
    }

    pub(crate) fn backing_off(&self, key: &ObjectKey, why: &str, next: Instant) {
        self.line(key, ReconcileState::BackingOff, why, Some(next));
    }

    pub(crate) fn held(&self, key: &ObjectKey, why: &str) {
        self.line(key, ReconcileState::Paused, why, None);
    }

    pub(crate) fn in_phase(&self, key: &ObjectKey, phase: &'static str) {
        if let Some(line) = self.notes().objects.get_mut(key) {
            line.phase = phase;
        }
    }

    pub(crate) fn settled(&self, key: &ObjectKey) {
        let mut notes = self.notes();
        let line = notes.objects.remove(key);
        let (left, room) = (notes.objects.len(), notes.objects.capacity());
        if room > ROOM && left < room / 8 {
            // Gives back what a burst has taken.
            notes.objects.shrink_to(left * 2);
        }
        notes.paused -= usize::from(line.is_some_and(|line| line.state == ReconcileState::Paused));
    }

    pub(crate) fn remove(&self, key: &ObjectKey) {
        self.settled(key);
    }

    pub(crate) fn idle(&self, idle: bool) -> Calm {
        let mut notes = self.notes();
        notes.idle = idle;
        notes.beat = Some(Instant::now());
        notes.calm()
    }

    pub(crate) fn synced(&self) {
        let mut notes = self.notes();
        notes.synced = true;
        notes.trouble = None;
    }

    pub(crate) fn watch_failed(&self, trouble: String) {
        self.notes().trouble = Some(trouble);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paused_objects_disturb_nobody_and_a_burst_leaves_no_room_behind() {
        let board = Board::default();
        board.synced();
        let converged = || board.notes().calm().converged;
        let keys: Vec<_> = (0..5000)
            .map(|number: u32| ObjectKey::new(None, &number.to_string()))
            .collect();
        assert!(converged());
        board.waiting(&keys[0]);
        board.held(&keys[0], "");
        board.held(&keys[0], "");
        assert!(converged());
        board.running(&keys[0]);
        assert!(!converged());
        board.held(&keys[0], "");
        keys[1..].iter().for_each(|key| board.waiting(key));
        assert!(!converged());
        keys[1..].iter().for_each(|key| board.settled(key));
        assert!(converged());
        assert!(board.notes().objects.capacity() <= ROOM);
        board.settled(&keys[0]);
        board.settled(&keys[0]);
        board.waiting(&keys[0]);
        assert!(!converged());
    }
}
