//! The one source of timestamps.

use std::sync::Arc;

use jiff::Timestamp;

/// Wall-clock time. Waiting never uses it: every wait goes through tokio's time, every timestamp through this.
pub trait Clock: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> Timestamp;
}

/// A clock that can be shared.
pub type SharedClock = Arc<dyn Clock>;

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

impl<F> Clock for F
where
    F: Fn() -> Timestamp + Send + Sync + 'static,
{
    fn now(&self) -> Timestamp {
        self()
    }
}
