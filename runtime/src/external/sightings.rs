//! What the calls of one handler could not learn, for the conditions of its object.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::{CallError, CallResult};
use crate::observed::Observed;

/// Shared by the scopes of one handler's calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sightings(Arc<Mutex<Sighted>>);

/// What came of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sighted {
    /// Whether a call looked, and learned something or not.
    pub(crate) has_looked: bool,
    /// Whether a call that asks for nothing back was accepted: it told the outside to do something.
    pub(crate) has_commanded: bool,
    /// Why the first look that learned nothing did not.
    pub(crate) unknown: Option<String>,
    /// The words of a provider that refuses the credentials, unless a later call of the same client was answered.
    pub(crate) refused: Option<Refusal>,
}

/// A provider does not accept the credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) client: &'static str,
    pub(crate) words: String,
}

impl Sightings {
    fn inner(&self) -> MutexGuard<'_, Sighted> {
        // Nothing panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What there was so far.
    pub(crate) fn sighted(&self) -> Sighted {
        self.inner().clone()
    }

    /// A look ended.
    pub(super) fn looked<T>(&self, seen: &Observed<T>) {
        let mut inner = self.inner();
        inner.has_looked = true;
        if let Observed::Unknown(why) = seen {
            inner.unknown.get_or_insert_with(|| why.clone());
        }
    }

    /// The outside was told to do something, and did not refuse.
    pub(super) fn commanded(&self) {
        self.inner().has_commanded = true;
    }

    /// A call ended.
    pub(super) fn called<T>(&self, client: &'static str, result: &CallResult<T>) {
        let mut inner = self.inner();
        match result {
            Err(error @ CallError::Unauthorized { .. }) => {
                let words = error.words();
                inner.refused = Some(Refusal { client, words });
            }
            // Who is told "there is none" or "not like that" was let in.
            Ok(_) | Err(CallError::NotFound { .. } | CallError::Rejected { .. }) => {
                inner.refused.take_if(|refusal| refusal.client == client);
            }
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::StatusCode;

    #[test]
    fn whoever_is_answered_was_let_in() {
        let answer = |code: u16| -> CallResult<()> {
            let status = StatusCode::from_u16(code).unwrap_or_default();
            let headers = Default::default();
            Err(CallError::from_response(status, &headers, "no"))
        };
        let is_refused = |code: u16| {
            let sightings = Sightings::default();
            sightings.called("bank", &answer(401));
            sightings.called("shop", &Ok(()));
            assert!(sightings.sighted().refused.is_some());
            sightings.called("bank", &answer(code));
            sightings.sighted().refused.is_some()
        };
        assert!(!is_refused(404) && !is_refused(422));
        assert!(is_refused(503) && is_refused(429) && is_refused(403));
    }
}
