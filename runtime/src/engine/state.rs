//! What the loop remembers of one object between runs.

use crate::mutant::{Mutant, mutated};

use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use jiff::Timestamp;
use tokio::time::Instant;

use crate::engine::print::Print;

/// Runs within this window that change nothing make a hot object.
const HOT_WINDOW: Duration = Duration::from_secs(10);
/// So many of them. A poll each second is a tenth of it.
const HOT_RUNS: u32 = 30;
/// How far a hot object is slowed down.
pub(crate) const HOT_DELAY: Duration = Duration::from_secs(30);

/// One object.
pub(crate) struct ObjectState {
    pub(crate) uid: String,
    pub(crate) running: bool,
    /// The trigger that the last run handled.
    pub(crate) handled: Option<Print>,
    /// Failures in a row.
    pub(crate) failures: u32,
    /// The next run waits until the cache shows this version, or until the moment given.
    pub(crate) gate: Option<(u64, Instant)>,
    /// A run is due, but the gate holds it.
    pub(crate) parked: bool,
    /// A job or a trigger asked for the next run.
    pub(crate) called: bool,
    /// Our finalizer is off: whatever still arrives of this uid is history.
    pub(crate) released: bool,
    pub(crate) gone: BTreeSet<u32>,
    pub(crate) observed_in: Option<&'static str>,
    pub(crate) heat: Heat,
    /// People were told that its clean-up takes too long.
    pub(crate) cleanup_overdue: bool,
    /// When its clean-up may begin, once it was asked for.
    pub(crate) destroy_at: Option<Instant>,
    /// Empty polls in a row.
    pub(crate) empty_polls: u32,
    /// Whether a resync was scheduled before.
    pub(crate) resynced: bool,
    /// Since when it runs, if it does.
    pub(crate) running_since: Option<Instant>,
    /// Since when a run waits for the cache to show our last write.
    pub(crate) gated_since: Option<Instant>,
    /// The phase as the last run left it; empty before the first one.
    pub(crate) phase: &'static str,
    /// When it was entered.
    pub(crate) entered_at: Option<Timestamp>,
    pub(crate) is_paused: bool,
    /// The version that the run in flight wrote last: known also when it is cut.
    pub(crate) written: Option<Arc<AtomicU64>>,
}

impl ObjectState {
    pub(crate) fn new(uid: &str) -> Self {
        Self {
            uid: uid.to_owned(),
            running: false,
            handled: None,
            failures: 0,
            gate: None,
            parked: false,
            called: false,
            released: false,
            gone: BTreeSet::new(),
            observed_in: None,
            heat: Heat::default(),
            cleanup_overdue: false,
            destroy_at: None,
            empty_polls: 0,
            resynced: false,
            running_since: None,
            gated_since: None,
            phase: "",
            entered_at: None,
            is_paused: false,
            written: None,
        }
    }

    /// Whether the cache's version is new enough. Opens the gate for good if it is.
    pub(crate) fn gate_opens(&mut self, cached: u64) -> bool {
        match self.gate.filter(|_| !mutated(Mutant::Gate)) {
            Some((version, _)) if cached < version => false,
            _ => {
                self.gate = None;
                true
            }
        }
    }
}

/// Counts runs that change nothing.
#[derive(Default)]
pub(crate) struct Heat {
    since: Option<Instant>,
    runs: u32,
    last: (u64, &'static str),
    /// Whether the last run found it hot.
    pub(crate) hot: bool,
}

impl Heat {
    /// Counts a run; true if the object is hot. An `eager` one wants the next at once: what was hot stays hot for as long
    /// as it does, or one slow run would be followed by a new burst.
    pub(crate) fn run(
        &mut self,
        handled: u64,
        phase: &'static str,
        eager: bool,
        now: Instant,
    ) -> bool {
        let stays = self.hot && eager;
        let window = if stays { HOT_DELAY * 2 } else { HOT_WINDOW };
        let same = self.last == (handled, phase);
        let recent = self.since.is_some_and(|since| now - since < window);
        if !same || !recent {
            self.since = Some(now);
            self.runs = 0;
            self.last = (handled, phase);
        } else if stays {
            self.since = Some(now);
        }
        self.runs += 1;
        self.hot = self.runs > HOT_RUNS && !mutated(Mutant::HotLoop);
        self.hot
    }

    /// One run went in a circle: hot, however few there were.
    pub(crate) fn circled(&mut self) -> bool {
        self.hot = !mutated(Mutant::HotLoop);
        self.hot
    }
}
