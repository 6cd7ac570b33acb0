//! How long to wait after a failure.

use crate::mutant::{Mutant, mutated};

use std::time::Duration;

/// Nobody waits longer, whatever a handler asks for: a time that stands for "never" must not end the loop.
pub(crate) const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

/// Exponential with full jitter: the n-th wait is anywhere between the floor and `base * 2^n`, capped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    /// The first bound.
    pub(crate) base: Duration,
    /// The last bound.
    pub(crate) cap: Duration,
}

impl Backoff {
    /// Of an object's retries.
    pub(crate) const OBJECT: Self = Self {
        base: Duration::from_secs(1),
        cap: Duration::from_secs(300),
    };
    /// Of a watch that fails.
    pub(crate) const WATCH: Self = Self {
        base: Duration::from_millis(800),
        cap: Duration::from_secs(30),
    };

    /// The wait after `failures` failures in a row (1 for the first).
    pub(crate) fn delay(&self, failures: u32) -> Duration {
        let factor = 2f64.powi(failures.clamp(1, 32) as i32 - 1);
        let bound = self.cap.as_secs_f64().min(self.base.as_secs_f64() * factor);
        if mutated(Mutant::RetryJitter) {
            return Duration::from_secs_f64(bound);
        }
        // A tenth of the bound is the floor: full jitter may otherwise say "at once".
        Duration::from_secs_f64(bound * (0.1 + 0.9 * fastrand::f64()))
    }
}

/// The first of many equal delays: anywhere between half of it and the longest later one. Objects that came with one
/// list would otherwise come back together for hours.
pub(crate) fn spread(delay: Duration) -> Duration {
    if mutated(Mutant::ResyncSpread) {
        return delay.min(LONGEST);
    }
    delay.min(LONGEST).mul_f64(0.5 + 0.6 * fastrand::f64())
}

/// `delay`, up to a fifth longer: what somebody asked for is the least.
pub(crate) fn at_least(delay: Duration) -> Duration {
    delay.min(LONGEST).mul_f64(1.0 + 0.2 * fastrand::f64())
}

/// `delay`, up to a tenth longer or shorter, so that objects do not march in step.
pub(crate) fn jittered(delay: Duration) -> Duration {
    if mutated(Mutant::ResyncSpread) {
        return delay.min(LONGEST);
    }
    delay.min(LONGEST).mul_f64(0.9 + 0.2 * fastrand::f64())
}
