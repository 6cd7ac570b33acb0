//! The outside of the benchmark: one idempotent call that takes its time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use opgen_runtime::{
    external::{CallResult, ClientSettings},
    prelude::*,
};

/// One call, as both sides make it.
#[timeout_client(timeout = "1s", bulkhead = 256)]
pub trait Maker: Send + Sync + 'static {
    /// Makes the thing of `key` if it is not there.
    #[call(idempotent, creates)]
    async fn create(&self, key: &IdempotencyKey) -> CallResult<()>;
}

/// The bounds of opgen's side: as many permits as runs, and no repetition within a run. A call that timed out would
/// hold its place for another one; the object's own backoff repeats it.
#[must_use]
pub fn settings(in_flight: usize) -> ClientSettings {
    ClientSettings {
        bulkhead: in_flight,
        retries: 0,
        ..BoundedMaker::settings()
    }
}

/// Takes its time, and for one object in a hundred for ever.
#[derive(Clone, Debug)]
pub struct Slow {
    time: Duration,
    hangs: bool,
    made: Arc<AtomicUsize>,
}

impl Slow {
    /// A provider whose call takes `time`; if it `hangs`, the calls of one object in a hundred never return.
    #[must_use]
    pub fn new(time: Duration, hangs: bool) -> Self {
        Self {
            time,
            hangs,
            made: Arc::default(),
        }
    }

    /// How many calls have returned.
    #[must_use]
    pub fn made(&self) -> usize {
        self.made.load(Relaxed)
    }

    /// The call itself, without any wrapper.
    pub async fn make(&self, key: &str) {
        // A key ends with the uid of its object.
        let uid = key
            .len()
            .checked_sub(36)
            .and_then(|at| key.get(at..))
            .unwrap_or(key);
        if self.hangs && hangs(uid) {
            return std::future::pending().await;
        }
        if !self.time.is_zero() {
            tokio::time::sleep(self.time).await;
        }
        self.made.fetch_add(1, Relaxed);
    }
}

/// Whether the object of this uid is the one in a hundred.
#[must_use]
pub fn hangs(uid: &str) -> bool {
    let sum = uid.bytes().fold(0_u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    sum.is_multiple_of(100)
}

#[timeout_client]
impl Maker for Slow {
    async fn create(&self, key: &IdempotencyKey) -> CallResult<()> {
        self.make(key.as_str()).await;
        Ok(())
    }
}
