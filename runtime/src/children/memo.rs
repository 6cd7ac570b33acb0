//! What is remembered of writing one child.

use std::time::Duration;

use tokio::time::Instant;

use crate::mutant::{Mutant, mutated};
use crate::{
    children::{ChildError, budget::Budget},
    engine::key::ObjectKey,
};

/// One child, between two applies.
#[derive(Clone, Debug, Default)]
pub(super) struct Memo {
    /// The hash of what was last applied, and the content that the server made of it.
    pub(super) applied: Option<(String, u64)>,
    pub(super) refused: Option<Refused>,
    /// The owner that waits for this object to go.
    pub(super) waiter: Option<ObjectKey>,
    /// When it may be changed though no spec asked for it, and for which desired state.
    pub(super) turn: Option<(String, Instant)>,
    pub(super) budget: Budget,
    /// Why it was slowed down, until the budget has recovered.
    pub(super) fight: Option<String>,
    pub(super) used: Option<Instant>,
}

/// The server, or we, refused this very apply onto this very object.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    pub(super) hash: String,
    pub(super) live: Option<u64>,
    pub(super) until: Instant,
    pub(super) error: ChildError,
}

impl Memo {
    /// The object is gone: nothing stands in the way of another one. Returns who waits for it.
    pub(super) fn freed(&mut self) -> Option<ObjectKey> {
        self.refused = None;
        self.waiter.take()
    }

    pub(super) fn is_older_than(&self, age: Duration) -> bool {
        self.used.is_none_or(|used| used.elapsed() >= age)
    }

    pub(super) fn refusal(&self, hash: &str, live: Option<u64>) -> Option<ChildError> {
        let refused = self.refused.as_ref()?;
        let holds = refused.hash == hash && refused.live == live && refused.until > Instant::now();
        (holds && !mutated(Mutant::RefusalHeld)).then(|| refused.error.clone())
    }

    pub(super) fn was_applied(&self, hash: &str) -> bool {
        self.applied
            .as_ref()
            .is_some_and(|(applied, _)| applied == hash)
    }
}
