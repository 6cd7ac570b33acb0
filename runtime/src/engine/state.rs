//! What the loop remembers of one object between runs.

use crate::mutant::{Mutant, mutated};

use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::AtomicU64},
};

use jiff::Timestamp;
use tokio::time::Instant;

use crate::engine::{heat::Heat, print::Print, words::Words};

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
    pub(crate) words: Words,
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
            words: Words::default(),
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
