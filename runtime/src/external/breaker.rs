//! The circuit breaker of one target.

use std::time::Duration;

use tokio::time::Instant;

use super::settings::BreakerSettings;
use crate::mutant::{Mutant, mutated};

/// How an attempt ended, as far as the target is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It answered, if only with a no.
    Alive,
    /// It did not, or with a 5xx.
    Failed,
    /// The same, for an object whose last run failed too: as long as others are answered, that is the object's matter. One
    /// object in a hundred whose calls never return must not shut the way for all others.
    FailedAgain,
    /// Nothing was learned: the caller went away, or its time was too short to blame anybody.
    Nothing,
}

/// Leave to make one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Admission {
    probe: bool,
    /// Which opening it belongs to: an answer to a call from before the last opening says nothing about now.
    epoch: u64,
    /// When the call began.
    at: Instant,
}

#[derive(Debug)]
enum State {
    Closed,
    Open { until: Instant },
    Probing,
}

#[derive(Debug)]
pub(super) struct Breaker {
    settings: BreakerSettings,
    state: State,
    epoch: u64,
    in_a_row: u32,
    /// The latest outcomes, newest in the lowest bit; 1 = failed.
    outcomes: u64,
    seen: u32,
    open_for: Duration,
    /// When it last answered anybody.
    alive_at: Option<Instant>,
}

impl Breaker {
    pub(super) fn new(settings: BreakerSettings) -> Self {
        Self {
            open_for: settings.open_for,
            settings,
            state: State::Closed,
            epoch: 0,
            in_a_row: 0,
            outcomes: 0,
            seen: 0,
            alive_at: None,
        }
    }

    /// Until when it is shut, without asking for leave.
    pub(super) fn shut_until(&self, now: Instant) -> Option<Instant> {
        match self.state {
            _ if mutated(Mutant::Breaker) => None,
            State::Closed => None,
            State::Open { until } => (now < until).then_some(until),
            // The probe's own answer opens the way, at the latest after about one timeout; asking again a little
            // later costs nothing.
            State::Probing => Some(now + Duration::from_secs(1)),
        }
    }

    /// Leave for one attempt, or when to ask again. When the rest is over, exactly one caller gets to try.
    pub(super) fn admit(&mut self, now: Instant) -> Result<Admission, Instant> {
        if let Some(until) = self.shut_until(now) {
            return Err(until);
        }
        let probe = matches!(self.state, State::Open { .. });
        if probe {
            self.state = State::Probing;
        }
        Ok(Admission {
            probe,
            epoch: self.epoch,
            at: now,
        })
    }

    /// What became of it.
    pub(super) fn report(&mut self, admission: Admission, verdict: Verdict, now: Instant) {
        if admission.epoch != self.epoch {
            return;
        }
        if verdict == Verdict::Alive {
            self.alive_at = Some(now);
        }
        match (verdict, admission.probe) {
            (Verdict::FailedAgain, false) if self.answers_others(now) => {}
            (Verdict::Alive, true) => self.close(),
            (Verdict::Failed | Verdict::FailedAgain, true) => {
                self.open_for = (self.open_for * 2).min(self.settings.longest);
                self.open(now);
            }
            // The probe went away unanswered: the next caller is the probe.
            (Verdict::Nothing, true) => self.state = State::Open { until: now },
            (Verdict::Nothing, false) => {}
            (Verdict::Alive, false) => {
                self.in_a_row = 0;
                self.count(0);
                self.open_if_due(now);
            }
            (Verdict::Failed | Verdict::FailedAgain, false) => {
                // Calls that began together also run out of time together: that makes no row if others were answered
                // meanwhile.
                if !self.answered_since(admission.at) || mutated(Mutant::BreakerRow) {
                    self.in_a_row = self.in_a_row.saturating_add(1);
                }
                self.count(1);
                self.open_if_due(now);
            }
        }
    }

    fn answers_others(&self, now: Instant) -> bool {
        self.alive_at
            .is_some_and(|at| now.saturating_duration_since(at) < self.settings.open_for)
    }

    fn answered_since(&self, began: Instant) -> bool {
        self.alive_at.is_some_and(|at| at > began)
    }

    fn count(&mut self, failed: u64) {
        self.outcomes = (self.outcomes << 1) | failed;
        self.seen = self.seen.saturating_add(1);
    }

    fn open_if_due(&mut self, now: Instant) {
        let in_a_row = self.settings.consecutive > 0 && self.in_a_row >= self.settings.consecutive;
        if in_a_row || self.share_is_due() {
            self.open(now);
        }
    }

    fn share_is_due(&self) -> bool {
        let window = u32::from(self.settings.window.clamp(1, 64));
        if self.settings.failure_percent == 0 || self.seen < window {
            return false;
        }
        let failed = (self.outcomes & (u64::MAX >> (64 - window))).count_ones();
        failed * 100 >= u32::from(self.settings.failure_percent) * window
    }

    fn open(&mut self, now: Instant) {
        let jitter = self.open_for.mul_f64(fastrand::f64() * 0.2);
        self.forget();
        self.state = State::Open {
            until: now + self.open_for + jitter,
        };
    }

    fn close(&mut self) {
        self.forget();
        self.state = State::Closed;
        self.open_for = self.settings.open_for;
    }

    fn forget(&mut self) {
        self.epoch += 1;
        self.in_a_row = 0;
        self.outcomes = 0;
        self.seen = 0;
    }
}

#[cfg(test)]
mod tests;
