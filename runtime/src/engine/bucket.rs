//! A token bucket: so many at once, then so many a second.

use std::time::Duration;

use tokio::time::Instant;

/// How often something may happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rate {
    /// At once, after a quiet time.
    pub(crate) burst: u32,
    /// The time each of the following ones takes.
    pub(crate) interval: Duration,
}

impl Rate {
    /// So many at once, then so many a minute; at least one of each.
    pub(crate) fn per_minute(burst: u32, a_minute: u32) -> Self {
        Self {
            burst: burst.max(1),
            interval: Duration::from_secs(60) / a_minute.max(1),
        }
    }
}

/// The tokens that are left.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    rate: Rate,
    /// When it is full again if nobody takes anything.
    full_at: Option<Instant>,
}

impl Bucket {
    pub(crate) fn new(rate: Rate) -> Self {
        Self {
            rate,
            full_at: None,
        }
    }

    /// Takes the next token, and says how long it is until that one is there. Those who reserve come in order.
    pub(crate) fn reserve(&mut self, now: Instant) -> Duration {
        let full_at = self.full_at.map_or(now, |at| at.max(now)) + self.rate.interval;
        self.full_at = Some(full_at);
        full_at
            .duration_since(now)
            .saturating_sub(self.rate.interval * self.rate.burst)
    }

    /// Takes a token if one is there; else says when to ask again.
    pub(crate) fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let before = self.full_at;
        let wait = self.reserve(now);
        if wait.is_zero() {
            return Ok(());
        }
        self.full_at = before;
        Err(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_then_one_after_the_other() {
        let mut bucket = Bucket::new(Rate::per_minute(3, 60));
        let now = Instant::now();
        let waits: Vec<_> = (0..6).map(|_| bucket.reserve(now).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 1, 2, 3]);
        let later = now + Duration::from_secs(3600);
        assert_eq!(
            bucket.reserve(later),
            Duration::ZERO,
            "never more than full"
        );
        for _ in 0..2 {
            bucket.reserve(later);
        }
        assert!(bucket.take(later).is_err());
        assert!(bucket.take(later).is_err(), "asking in vain costs nothing");
        assert!(bucket.take(later + Duration::from_secs(1)).is_ok());
    }
}
