//! How often one child may be written.

use std::time::Duration;

use tokio::time::Instant;

/// A bucket of permits that fills up again.
#[derive(Clone, Debug)]
struct Bucket {
    size: f64,
    every: Duration,
    left: f64,
    at: Option<Instant>,
}

impl Bucket {
    const fn new(size: f64, every: Duration) -> Self {
        Self {
            size,
            every,
            left: size,
            at: None,
        }
    }

    fn fill(&mut self, now: Instant) {
        if let Some(at) = self.at {
            let gained = (now - at).as_secs_f64() / self.every.as_secs_f64();
            self.left = self.size.min(self.left + gained);
        }
        self.at = Some(now);
    }

    /// How long until the next permit; zero if there is one.
    fn wait(&mut self, now: Instant) -> Duration {
        self.fill(now);
        self.every.mul_f64((1.0 - self.left).max(0.0))
    }

    fn take(&mut self, now: Instant) {
        self.fill(now);
        self.left = (self.left - 1.0).max(0.0);
    }
}

/// Turns for changes of a whole kind: one after the other, after a few at once.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    burst: u32,
    every: Duration,
    /// When the queue of turns handed out ends.
    until: Option<Instant>,
}

impl Turns {
    pub(super) fn new(burst: u32, every: Duration) -> Self {
        Self {
            burst,
            every,
            until: None,
        }
    }

    /// The next free turn; each is handed out once.
    pub(super) fn next(&mut self, now: Instant) -> Instant {
        let ahead = self.every * (self.burst - 1);
        let until = self.until.map_or(now, |until| until.max(now)) + self.every;
        self.until = Some(until);
        (until - self.every)
            .checked_sub(ahead)
            .map_or(now, |turn| turn.max(now))
    }
}

/// Applies that change a child, whoever wrote last.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    /// Of a desired state that was there before: somebody else changed it back.
    heals: Bucket,
    /// Of any.
    all: Bucket,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            heals: Bucket::new(5.0, Duration::from_secs(120)),
            all: Bucket::new(30.0, Duration::from_secs(20)),
        }
    }
}

impl Budget {
    /// Whether half of the permits are back.
    pub(super) fn has_recovered(&mut self, now: Instant) -> bool {
        self.all.fill(now);
        self.heals.fill(now);
        self.all.left >= self.all.size / 2.0 && self.heals.left >= self.heals.size / 2.0
    }

    /// How long the next apply has to wait.
    pub(super) fn wait(&mut self, heals: bool, now: Instant) -> Duration {
        let all = self.all.wait(now);
        if heals {
            all.max(self.heals.wait(now))
        } else {
            all
        }
    }

    /// An apply changed the child.
    pub(super) fn spent(&mut self, heals: bool, now: Instant) {
        self.all.take(now);
        if heals {
            self.heals.take(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_come_one_after_the_other_after_a_burst() {
        tokio::time::advance(Duration::from_secs(100)).await;
        let mut turns = Turns::new(3, Duration::from_secs(2));
        let now = Instant::now();
        let waits: Vec<_> = (0..6).map(|_| (turns.next(now) - now).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 2, 4, 6]);
        let later = now + Duration::from_secs(60);
        assert_eq!(turns.next(later), later);
    }

    #[tokio::test(start_paused = true)]
    async fn heals_are_slowed_down_and_changes_are_not() {
        let mut budget = Budget::default();
        let start = Instant::now();
        for _ in 0..5 {
            assert_eq!(budget.wait(true, start), Duration::ZERO);
            budget.spent(true, start);
        }
        assert_eq!(budget.wait(true, start), Duration::from_secs(120));
        assert_eq!(budget.wait(false, start), Duration::ZERO);
        let later = start + Duration::from_secs(90);
        assert_eq!(budget.wait(true, later), Duration::from_secs(30));
    }
}
