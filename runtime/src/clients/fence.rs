//! The switch that ends all writing.

use crate::mutant::{Mutant, mutated};

use std::sync::Arc;

use tokio::{sync::watch, time::Instant};

/// Open until the lease is lost. Clones are the same switch; any thread may throw it.
#[derive(Clone, Debug)]
pub struct Fence {
    state: Arc<watch::Sender<State>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// Closes by itself at that moment: also in a process that slept through it.
    Until(Instant),
    Closed,
}

impl State {
    fn is_closed(self) -> bool {
        if mutated(Mutant::Fence) {
            return false;
        }
        match self {
            Self::Open => false,
            Self::Until(moment) => Instant::now() >= moment,
            Self::Closed => true,
        }
    }
}

impl Default for Fence {
    fn default() -> Self {
        Self {
            state: Arc::new(watch::Sender::new(State::Open)),
        }
    }
}

impl Fence {
    /// From now on every write is refused before it leaves the process, and those under way are given up. There is no
    /// way back: a process that lost its lease ends.
    pub fn close(&self) {
        self.state.send_replace(State::Closed);
    }

    /// Closes by itself at `moment`, unless a later call moves it. A fence that has closed stays closed.
    pub fn hold_until(&self, moment: Instant) {
        self.state.send_modify(|state| {
            *state = if state.is_closed() {
                State::Closed
            } else {
                State::Until(moment)
            };
        });
    }

    /// Whether it was thrown.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.state.borrow().is_closed()
    }

    /// Returns once it is thrown.
    pub async fn closed(&self) {
        if mutated(Mutant::Fence) {
            return std::future::pending().await;
        }
        let mut state = self.state.subscribe();
        loop {
            let now = *state.borrow_and_update();
            if now.is_closed() {
                return;
            }
            let expired = async {
                match now {
                    State::Until(moment) => tokio::time::sleep_until(moment).await,
                    State::Open | State::Closed => std::future::pending().await,
                }
            };
            tokio::select! {
                // The sender lives as long as we do, so this cannot fail.
                _ = state.changed() => {}
                () = expired => {}
            }
        }
    }
}
