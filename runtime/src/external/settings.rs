//! The numbers of a bounded client, and the properties of one call.

use std::{sync::Arc, time::Duration};

/// The bounds of one client. `#[timeout_client(timeout = "..", bulkhead = .., settle = "..")]` fills them; the rest
/// keeps its default.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientSettings {
    /// The longest one attempt may take, unless the method says otherwise. Default 5 s.
    pub timeout: Duration,
    /// Attempts in flight at a time, per target. Default 32.
    pub bulkhead: usize,
    /// The longest wait for one of them. Default 2 s.
    pub permit_wait: Duration,
    /// How long after a create the provider may still deny that the thing is there; younger proofs of absence are
    /// not believed. Default 30 s.
    pub settle: Duration,
    /// How often a call marked idempotent is repeated. Default 2.
    pub retries: u32,
    /// The pause before the first repetition, doubled before each further one, with full jitter. Default 200 ms.
    pub backoff: Duration,
    /// How long a target is left alone that throttles without saying for how long. Default 1 s.
    pub throttle_pause: Duration,
    /// When a target is given a rest.
    pub breaker: BreakerSettings,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(5),
            bulkhead: 32,
            permit_wait: Duration::from_secs(2),
            settle: Duration::from_secs(30),
            retries: 2,
            backoff: Duration::from_millis(200),
            throttle_pause: Duration::from_secs(1),
            breaker: BreakerSettings::default(),
        }
    }
}

/// When the breaker of a target opens. It counts what the target is to blame for: timeouts, broken connections, 5xx.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakerSettings {
    /// Failures in a row that open it; 0 = no such rule. Default 5. Calls during which another one was answered are in no
    /// row. As long as the target answers others, what fails again for an object whose last run failed too is not counted
    /// at all: one object's trouble is not the target's.
    pub consecutive: u32,
    /// Share of failures among the last [`window`](Self::window) calls that opens it, in percent; 0 = no such rule.
    /// Default 50.
    pub failure_percent: u8,
    /// Calls looked at for the share, 1 to 64. Default 20.
    pub window: u8,
    /// How long it stays open the first time, with up to a fifth of jitter; doubled after each failed probe.
    /// Default 5 s.
    pub open_for: Duration,
    /// The longest it stays open. Default 60 s.
    pub longest: Duration,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self {
            consecutive: 5,
            failure_percent: 50,
            window: 20,
            open_for: Duration::from_secs(5),
            longest: Duration::from_secs(60),
        }
    }
}

/// A part of the outside that fails on its own: a region, an endpoint, an account.
pub type Target = Arc<str>;

/// What the guard has to know of one call.
#[derive(Clone, Debug)]
pub struct CallOptions {
    /// The method, for metrics and messages.
    pub method: &'static str,
    /// Whether repeating it is harmless. Only then it is repeated. Default false.
    pub idempotent: bool,
    /// Its own timeout instead of the client's.
    pub timeout: Option<Duration>,
    /// The target it goes to; `None` = the guard's own.
    pub target: Option<Target>,
}

impl CallOptions {
    /// A call that must not be repeated, with the client's timeout, to the guard's target.
    #[must_use]
    pub const fn new(method: &'static str) -> Self {
        Self {
            method,
            idempotent: false,
            timeout: None,
            target: None,
        }
    }

    /// The same, harmless to repeat.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// The same with a timeout of its own.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same to another target.
    #[must_use]
    pub fn target(mut self, target: impl Into<Target>) -> Self {
        self.target = Some(target.into());
        self
    }
}
