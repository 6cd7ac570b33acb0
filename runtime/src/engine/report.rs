//! What a run tells the loop that started it.

use std::{collections::BTreeSet, time::Duration};

use jiff::Timestamp;

use crate::{
    engine::{key::ObjectKey, print::Print, words::Words},
    error::ErrorClass,
};

/// The outcome of one run of one object.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) key: ObjectKey,
    pub(crate) uid: String,
    /// The trigger of the object that the last handler saw.
    pub(crate) handled: Print,
    /// The resourceVersion of our last write; 0 if nothing was written.
    pub(crate) version: u64,
    pub(crate) next: Next,
    /// The phase the object is in now; empty if none was read.
    pub(crate) phase: &'static str,
    /// The phases that it moved to on the way.
    pub(crate) entered: Vec<&'static str>,
    /// Whether it told the outside to do something, and then had nothing to write down.
    pub(crate) commanded_in_vain: bool,
    /// The phase in which a handler of this process has looked at the object.
    pub(crate) observed_in: Option<&'static str>,
    /// The attempts proven gone so far, in a clean-up.
    pub(crate) gone: BTreeSet<u32>,
    /// Whether a clean-up takes longer than it may.
    pub(crate) cleanup_overdue: bool,
    /// What may still be said in other words.
    pub(crate) words: Words,
    /// How long the run took.
    pub(crate) took: Duration,
    /// When the deadline of the phase runs out, if it has one: from now.
    pub(crate) deadline_in: Option<Duration>,
    /// When the object entered its phase.
    pub(crate) entered_at: Option<Timestamp>,
    /// Why the last handler failed, if it did, in a word.
    pub(crate) failure: Option<&'static str>,
}

/// When to run again, and why.
#[derive(Debug)]
pub(crate) enum Next {
    /// After an event or the resync.
    Settled { resync: Option<Duration> },
    /// After a business wait.
    Wait { reason: String, after: Duration },
    /// After a business wait that grows while there is nothing to do.
    Poll {
        found: bool,
        least: Duration,
        most: Duration,
    },
    /// At once: the object moved on under the run.
    Again,
    /// Slowed down: the phases form a cycle without a wait.
    Cycle,
    /// With backoff.
    Retry {
        error: String,
        class: ErrorClass,
        after: Option<Duration>,
    },
    /// Only after an event: an admin holds the object.
    Held { reason: &'static str },
    /// Never: our finalizer is off, or the object is gone.
    Released,
}
