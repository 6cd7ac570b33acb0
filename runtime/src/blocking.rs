//! A bounded pool for code that blocks.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::error::{Error, Result};

/// At most so many blocking calls at a time; the others wait, and their handler's deadline ends the wait.
#[derive(Clone, Debug)]
pub(crate) struct BlockingPool {
    permits: Arc<Semaphore>,
}

impl BlockingPool {
    pub(crate) fn new(size: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(size)),
        }
    }

    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        // The permit moves into the work: an aborted handler must not free a place that is still taken.
        let permit = Arc::clone(&self.permits).acquire_owned().await?;
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        task.await
            .map_err(|error| Error::msg(format!("the blocking call did not end well: {error}")))
    }
}
