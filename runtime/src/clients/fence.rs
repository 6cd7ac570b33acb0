//! The switch that ends all writing.

use std::sync::Arc;

use tokio::sync::watch;

/// Open until the lease is lost. Clones are the same switch; any thread may throw it.
#[derive(Clone, Debug)]
pub struct Fence {
    closed: Arc<watch::Sender<bool>>,
}

impl Default for Fence {
    fn default() -> Self {
        Self {
            closed: Arc::new(watch::Sender::new(false)),
        }
    }
}

impl Fence {
    /// From now on every write is refused before it leaves the process, and those under way are given up. There is no
    /// way back: a process that lost its lease ends.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }

    /// Whether it was thrown.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// Returns once it is thrown.
    pub async fn closed(&self) {
        // The sender lives as long as we do, so this cannot fail.
        let _ = self
            .closed
            .subscribe()
            .wait_for(|is_closed| *is_closed)
            .await;
    }
}
