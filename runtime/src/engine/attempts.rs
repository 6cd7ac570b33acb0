//! Who an object is: its identity from the annotation, from the status if that got lost, or a first one; and its attempts.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::{
    engine::{driver::Driver, finalizer},
    identity::Identity,
    phase::PhaseMachine,
    reference::reasons,
    status::conditions::{self, Conditions, Truth},
};

/// So many attempts are cleaned up one by one.
const ATTEMPTS: u32 = 1000;
/// What people are told when there are more.
const TOO_MANY_NOTE: &str = "the annotation opgen.dev/identity counts more than 1000 attempts: the clean-up looks after the newest 1000 and the first 1000; look yourself whether anything is left outside";

/// Every attempt, newest first. The number is an annotation, so anybody's: of too many only the newest and the first
/// are looked after.
pub(super) fn all(last: u32) -> impl Iterator<Item = u32> {
    let newest = last.saturating_sub(ATTEMPTS - 1).max(1);
    let first = 1..newest.min(ATTEMPTS + 1);
    (newest..=last).rev().chain(first.rev())
}

/// The identity of an object that has none yet.
pub(super) fn first(meta: &ObjectMeta, now: Timestamp) -> Identity {
    Identity::first(
        meta.uid.as_deref().unwrap_or_default(),
        meta.namespace.as_deref(),
        meta.name.as_deref().unwrap_or_default(),
        now,
    )
}

/// The identity of the annotation; that of the status where the annotation was taken off, or says an earlier attempt of
/// the same: a `kubectl replace` must not make what former attempts left outside be forgotten. A status that came with a
/// foreign annotation of the same uid is a copy's, and says nothing.
pub(super) fn known(meta: &ObjectMeta, kept: Option<&Kept>, now: Timestamp) -> Option<Identity> {
    let written = finalizer::identity_of(meta);
    let Some(kept) = kept else {
        return written;
    };
    if finalizer::foreign_identity_of(meta).is_some_and(|foreign| foreign.uid == kept.uid) {
        return None;
    }
    let is_newer = match &written {
        Some(written) => written.uid == kept.uid && written.attempt < kept.attempt,
        None => true,
    };
    if !is_newer {
        return written;
    }
    let uid = kept.uid.clone();
    let attempt = kept.attempt;
    Some(Identity {
        uid,
        attempt,
        ..first(meta, now)
    })
}

/// What the status says of the identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    uid: String,
    attempt: u32,
}

impl Kept {
    fn to_text(identity: &Identity) -> String {
        format!("attempt {} of {}", identity.attempt, identity.uid)
    }

    fn parse(text: &str) -> Option<Self> {
        let (attempt, uid) = text.strip_prefix("attempt ")?.split_once(" of ")?;
        let attempt = attempt.parse().ok().filter(|attempt| *attempt > 0)?;
        let uid = uid.to_owned();
        Some(Self { uid, attempt })
    }
}

impl<M: PhaseMachine> Driver<M> {
    /// The identity as the status has it.
    pub(super) fn kept_identity(&self) -> Option<Kept> {
        let (_, text) = conditions::text_of(self.kind.rules, self.raw(), conditions::IDENTITY)?;
        Kept::parse(&text)
    }

    /// Writes down an identity that the object's own metadata could not give back.
    pub(super) fn keep_identity(&self, all: Conditions) -> Conditions {
        let identity = self.identity();
        if identity.attempt == 1 && self.meta().uid.as_deref() == Some(&*identity.uid) {
            // What stands there came with a copy.
            return all.without(conditions::IDENTITY);
        }
        let text = Kept::to_text(&identity);
        all.with(
            conditions::IDENTITY,
            Truth::True,
            reasons::IDENTITY_KEPT,
            text,
        )
    }

    /// Says that an object which comes without a status goes on with the identity that it had.
    pub(super) fn tell_adopted(&self, identity: &Identity) {
        if self.meta().uid.as_deref() != Some(&*identity.uid) {
            let note = format!(
                "it was first seen as {}, and goes on with what that made outside, in attempt {}: a copy that shall make its own must not carry the annotation opgen.dev/identity",
                identity.uid, identity.attempt
            );
            let events = &self.kind.events;
            events.warn(&*self.object, reasons::IDENTITY_ADOPTED, note);
        }
    }

    /// Says that a clean-up cannot look after every attempt.
    pub(super) fn tell_attempts(&self, identity: &Identity) {
        if identity.attempt > ATTEMPTS {
            let events = &self.kind.events;
            events.warn(&*self.object, reasons::TOO_MANY_ATTEMPTS, TOO_MANY_NOTE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_count_from_one() {
        let identity = Identity::first("u", Some("ns"), "a", Timestamp::UNIX_EPOCH);
        let text = identity.to_text();
        assert_eq!(Identity::parse(&text), Some(identity));
        let nought = text.replace("\"attempt\":1", "\"attempt\":0");
        assert_ne!(nought, text);
        assert_eq!(Identity::parse(&nought), None);
        assert!(Kept::parse("attempt 1 of u").is_some());
        assert_eq!(Kept::parse("attempt 0 of u"), None);
    }
}
