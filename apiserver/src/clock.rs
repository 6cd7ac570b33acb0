//! The clock of a cluster: an epoch plus what tokio's clock has run, so that it is virtual when tokio's is.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::fmt::temporal::DateTimePrinter;
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// Reads the time of a cluster. Cheap to clone; all clones read the same clock.
///
/// Under `tokio::time::pause` the clock moves only as tokio's does. It never goes back.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Mutex<Reading>>);

#[derive(Debug)]
struct Reading {
    /// Time of the cluster at `base`.
    origin: Timestamp,
    /// Set by the first reading, so that a cluster may be built outside of a runtime.
    base: Option<Instant>,
    /// The latest reading handed out, on both clocks.
    last: Timestamp,
    last_instant: Option<Instant>,
}

impl Clock {
    /// A clock that stands at `epoch` until its first reading.
    pub fn new(epoch: Timestamp) -> Self {
        Self(Arc::new(Mutex::new(Reading {
            origin: epoch,
            base: None,
            last: epoch,
            last_instant: None,
        })))
    }

    /// The time of the cluster.
    pub fn now(&self) -> Timestamp {
        let instant = Instant::now();
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // tokio's clock went back: this is a fresh paused runtime that nobody announced by `rebase`.
        if reading.last_instant.is_some_and(|last| instant < last) {
            reading.origin = reading.last;
            reading.base = None;
        }
        let base = *reading.base.get_or_insert(instant);
        let elapsed = instant.saturating_duration_since(base);
        let now = reading
            .origin
            .checked_add(SignedDuration::try_from(elapsed).unwrap_or(SignedDuration::MAX))
            .unwrap_or(Timestamp::MAX);
        reading.last = reading.last.max(now);
        reading.last_instant = Some(instant);
        reading.last
    }

    /// To be called at the start of a fresh (paused) runtime: the clock carries on from its last reading.
    pub fn rebase(&self) {
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reading.origin = reading.last;
        reading.base = Some(Instant::now());
        reading.last_instant = reading.base;
    }

    /// Moves the clock forward without waiting, for tests that need an old object.
    pub fn skip(&self, by: Duration) {
        let now = self.now();
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
        reading.origin = now.checked_add(by).unwrap_or(Timestamp::MAX);
        reading.base = Some(Instant::now());
        reading.last = reading.origin;
    }

    /// The time as the API prints it: RFC 3339 in UTC, whole seconds.
    pub(crate) fn stamp(&self) -> String {
        seconds(self.now())
    }
}

/// RFC 3339 in UTC with whole seconds.
pub(crate) fn seconds(time: Timestamp) -> String {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(0));
    PRINTER.timestamp_to_string(&time)
}
