//! The memory of creates: until when a provider may still deny that something is there.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use foldhash::fast::RandomState;
use jiff::{SignedDuration, Timestamp};

use super::scope::CallScope;
use crate::identity::IdempotencyKey;
use crate::mutant::{Mutant, mutated};

/// Above so many entries, those whose window is over are forgotten.
const TIDY_ABOVE: usize = 1024;

/// The entries, and how many there may be before they are tidied again.
#[derive(Debug)]
struct Known {
    entries: HashMap<Box<str>, Entry, RandomState>,
    tidy_above: usize,
}

impl Known {
    /// Forgets what is over. The bound then doubles what is left: a burst of creates must not be scanned at each one.
    fn tidy(&mut self, over: impl Fn(&Entry) -> bool) {
        if self.entries.len() >= self.tidy_above {
            self.entries.retain(|_, entry| !over(entry));
            self.tidy_above = TIDY_ABOVE.max(self.entries.len() * 2);
        }
    }
}

#[derive(Debug, Default)]
struct Entry {
    in_flight: u32,
    last: Timestamp,
}

/// The creates of one client.
#[derive(Debug)]
pub(super) struct Intents {
    settle: SignedDuration,
    known: Mutex<Known>,
}

impl Intents {
    pub(super) fn new(settle: Duration) -> Self {
        Self {
            settle: SignedDuration::try_from(settle).unwrap_or(SignedDuration::MAX),
            known: Mutex::new(Known {
                entries: HashMap::default(),
                tidy_above: TIDY_ABOVE,
            }),
        }
    }

    /// Writes down that a create begins. It ends when the answer is dropped: an aborted call may still be carried out.
    pub(super) fn begin<'a>(&'a self, key: &IdempotencyKey, scope: &'a CallScope) -> Intent<'a> {
        let now = scope.now();
        self.with(|known| {
            known.tidy(|entry| {
                entry.in_flight == 0 && now.duration_since(entry.last) >= self.settle
            });
            let entry = known.entries.entry(key.as_str().into()).or_default();
            entry.in_flight += 1;
            entry.last = now;
        });
        Intent {
            intents: self,
            scope,
            key: key.as_str().to_owned(),
        }
    }

    /// Why an absence seen at `asked_at` is no proof yet; `None` if it is one.
    pub(super) fn too_young(
        &self,
        key: &IdempotencyKey,
        scope: &CallScope,
        asked_at: Timestamp,
    ) -> Option<String> {
        let (in_flight, created) = self.with(|known| {
            known
                .entries
                .get(key.as_str())
                .map_or((false, None), |entry| {
                    (entry.in_flight > 0, Some(entry.last))
                })
        });
        if mutated(Mutant::SettleWindow) {
            return None;
        }
        if in_flight {
            return Some(format!("a create of {key} is under way"));
        }
        let since = [key.intent_at(), created]
            .into_iter()
            .flatten()
            .fold(scope.started_at(), Timestamp::max);
        // A clock that went backwards makes the age negative: too young as well.
        let age = asked_at.duration_since(since);
        (age < self.settle).then(|| {
            // To the second, and no countdown: these words may stand in a status, which each look would write anew.
            let until = since.saturating_add(self.settle).unwrap_or(since);
            format!(
                "{key} is not there, but a create could still come to light: believed once the settle window of {:#} \
                 is over, at {until:.0}",
                self.settle,
            )
        })
    }

    fn with<R>(&self, work: impl FnOnce(&mut Known) -> R) -> R {
        work(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A create under way.
pub(super) struct Intent<'a> {
    intents: &'a Intents,
    scope: &'a CallScope,
    key: String,
}

impl Drop for Intent<'_> {
    fn drop(&mut self) {
        let now = self.scope.now();
        self.intents.with(|known| {
            if let Some(entry) = known.entries.get_mut(&*self.key) {
                entry.in_flight = entry.in_flight.saturating_sub(1);
                entry.last = entry.last.max(now);
            }
        });
    }
}
