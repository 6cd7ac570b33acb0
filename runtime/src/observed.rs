//! What was seen outside. Absence is a proof, never the lack of an answer.

pub use http::StatusCode;
use jiff::Timestamp;

use crate::identity::IdempotencyKey;
use crate::mutant::{Mutant, mutated};

/// The answer to "is it there?".
#[derive(Debug, Clone)]
pub enum Observed<T> {
    /// It is there.
    Present(T),
    /// It is proven not to be there.
    Absent(Absent),
    /// Nobody knows: a timeout, a refused credential, a cut page, a proof too young. Never treated as absence.
    Unknown(String),
}

impl<T> Observed<T> {
    /// The provider refused a request for this very identity with `status`: 404 and 410 are proof of absence, any
    /// other status tells nothing.
    #[must_use]
    pub fn by_status(asked: &IdempotencyKey, status: StatusCode) -> Self {
        match Absent::by_status(asked, status) {
            Some(proof) => Self::Absent(proof),
            None => Self::Unknown(format!("the provider answered {status}")),
        }
    }
}

/// Proof that what an [`IdempotencyKey`] names does not exist outside. Only the constructors below make one.
#[derive(Debug, Clone)]
pub struct Absent {
    key: IdempotencyKey,
    seen_at: Option<Timestamp>,
}

impl Absent {
    /// The provider answered a request for this very identity with 404 or 410. Any other status proves nothing.
    #[must_use]
    pub fn by_status(asked: &IdempotencyKey, status: StatusCode) -> Option<Self> {
        (matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE)
            || mutated(Mutant::ProofByStatus))
        .then(|| Self::new(asked))
    }

    /// A listing that is known to be complete does not contain it.
    #[must_use]
    pub fn by_listing<T>(
        asked: &IdempotencyKey,
        all: &Complete<T>,
        mut is_it: impl FnMut(&T) -> bool,
    ) -> Option<Self> {
        (!all.items.iter().any(&mut is_it)).then(|| Self::new(asked))
    }

    fn new(asked: &IdempotencyKey) -> Self {
        Self {
            key: asked.clone(),
            seen_at: None,
        }
    }

    /// The identity that was asked for.
    #[must_use]
    pub fn key(&self) -> &IdempotencyKey {
        &self.key
    }

    /// When the bounded client accepted the proof; `None` before that.
    #[must_use]
    pub fn seen_at(&self) -> Option<Timestamp> {
        self.seen_at
    }

    /// Called by the bounded client, which alone knows that the settle window is over.
    pub(crate) fn accepted(mut self, at: Timestamp) -> Self {
        self.seen_at = Some(at);
        self
    }
}

/// A listing that was read to its end: every page arrived, none was cut.
#[derive(Debug, Clone)]
pub struct Complete<T> {
    items: Vec<T>,
}

/// One page of a listing.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// What this page holds.
    pub items: Vec<T>,
    /// Where the next one begins; `None` on the last.
    pub next: Option<String>,
}

impl<T> Complete<T> {
    /// Reads page after page until there is no next one: `fetch` is given the cursor of the page, none for the first.
    /// Fails with the first page that fails, or when the provider repeats a cursor.
    ///
    /// # Errors
    /// What `fetch` returned, or [`RepeatedCursor`] converted into `E`.
    pub async fn read<E, F, Fut>(mut fetch: F) -> Result<Self, E>
    where
        E: From<RepeatedCursor>,
        // No `AsyncFnMut`: the calls of a bounded client are `Send`, and what that one returns need not be.
        F: FnMut(Option<String>) -> Fut,
        Fut: Future<Output = Result<Page<T>, E>>,
    {
        let mut items = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        let mut cursor: Option<String> = None;
        loop {
            let page = fetch(cursor.take()).await?;
            items.extend(page.items);
            match page.next {
                None => return Ok(Self { items }),
                Some(_) if mutated(Mutant::CompleteListing) => return Ok(Self { items }),
                Some(next) if !seen.insert(next.clone()) => return Err(RepeatedCursor(next).into()),
                Some(next) => cursor = Some(next),
            }
        }
    }

    /// What a cache holds whose list is complete.
    pub(crate) fn of_cache(items: Vec<T>) -> Self {
        Self { items }
    }

    /// What was listed.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// What was listed.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.items
    }
}

/// The provider handed out the same cursor twice: the listing never ends, so it is not complete.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "the listing repeats its cursor {0:?}: it is not complete; nothing may be concluded from it"
)]
pub struct RepeatedCursor(pub String);
