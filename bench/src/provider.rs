//! The outside of the benchmark: one idempotent call that takes its time.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use opgen_runtime::{external::CallResult, prelude::*};

/// One call, as both sides make it.
#[timeout_client(timeout = "5s", bulkhead = 256)]
pub trait Maker: Send + Sync + 'static {
    /// Makes the thing of `key` if it is not there.
    #[call(idempotent, creates)]
    async fn create(&self, key: &IdempotencyKey) -> CallResult<()>;
}

/// Remembers what was made.
#[derive(Clone, Debug)]
pub struct Slow {
    time: Duration,
    made: Arc<Mutex<HashSet<String>>>,
}

impl Slow {
    /// A provider whose call takes `time`.
    pub fn new(time: Duration) -> Self {
        Self {
            time,
            made: Arc::default(),
        }
    }

    /// How many things there are.
    pub fn made(&self) -> usize {
        self.made
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    /// The call itself, without any wrapper.
    pub async fn make(&self, key: &str) {
        if !self.time.is_zero() {
            tokio::time::sleep(self.time).await;
        }
        self.made
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key.to_owned());
    }
}

#[timeout_client]
impl Maker for Slow {
    async fn create(&self, key: &IdempotencyKey) -> CallResult<()> {
        self.make(key.as_str()).await;
        Ok(())
    }
}
