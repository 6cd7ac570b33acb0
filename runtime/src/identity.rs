//! Who an object is to the outside: an identity that survives restores, and the keys derived from it.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::mutant::{Mutant, mutated};
use crate::observed::Absent;

/// The annotation that holds the [`Identity`], as JSON.
pub const IDENTITY_ANNOTATION: &str = "opgen.dev/identity";

/// Written in one patch with the finalizer, before any handler may touch the outside. It names the object by its
/// first uid, so a restore under the same name finds what it made; bound to namespace and name, so a copy does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The uid the object had when it was first seen.
    pub uid: String,
    /// Hash of namespace and name.
    pub of: String,
    /// Counts the times the object left the failed phase; starts at 1.
    pub attempt: u32,
    /// When this attempt was recorded: the persisted intent, from which the settle window counts.
    pub at: Timestamp,
}

impl Identity {
    /// A first identity.
    #[must_use]
    pub fn first(uid: &str, namespace: Option<&str>, name: &str, now: Timestamp) -> Self {
        Self {
            uid: uid.to_owned(),
            of: Self::binding(namespace, name),
            attempt: 1,
            at: now,
        }
    }

    /// Reads the annotation's text. Anybody may edit it: attempts count from 1, and one that says 0 would have no attempt
    /// to clean up, and so no proof to ask for.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let identity: Self = serde_json::from_str(text).ok()?;
        (identity.attempt > 0).then_some(identity)
    }

    /// The annotation's text.
    #[must_use]
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether it belongs to the object of that name (a copied manifest carries a foreign one).
    #[must_use]
    pub fn belongs_to(&self, namespace: Option<&str>, name: &str) -> bool {
        self.of == Self::binding(namespace, name) || mutated(Mutant::IdentityBound)
    }

    /// The identity of the next attempt.
    #[must_use]
    pub fn next_attempt(&self, now: Timestamp) -> Self {
        Self {
            attempt: self.attempt.saturating_add(1),
            at: now,
            ..self.clone()
        }
    }

    /// The key of `purpose` in `attempt`.
    #[must_use]
    pub fn key(&self, purpose: &str, attempt: u32) -> IdempotencyKey {
        IdempotencyKey {
            text: format!("{purpose}-{attempt}-{}", self.uid),
            intent_at: Some(self.at),
        }
    }

    /// Why `proof` does not show that what `attempt` made is gone; `None` if it does.
    pub(crate) fn distrust(&self, proof: &Absent, attempt: u32) -> Option<String> {
        if mutated(Mutant::Proof) {
            return None;
        }
        let key = proof.key();
        let purpose = key
            .as_str()
            .strip_suffix(&*self.uid)
            .and_then(|rest| rest.strip_suffix(&*format!("-{attempt}-")));
        if purpose.is_none_or(str::is_empty) {
            return Some(format!(
                "the proof of absence is about {key}, which is no key of attempt {attempt} of this object: ask for a key of cx.idempotency_key"
            ));
        }
        if proof.seen_at().is_none() {
            return Some(format!(
                "the proof of absence of {key} did not come through the bounded client, which alone knows whether it is old enough: return it from a method of the client's trait"
            ));
        }
        None
    }

    fn binding(namespace: Option<&str>, name: &str) -> String {
        let mut hash = Fnv::default();
        hash.write(namespace.unwrap_or_default().as_bytes());
        hash.write(b"/");
        hash.write(name.as_bytes());
        format!("{:016x}", hash.0)
    }
}

/// FNV-1a: stable across builds and machines, which `std`'s hasher does not promise.
pub(crate) struct Fnv(pub(crate) u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// Names one intent of one object to a provider: the same after a crash, another one in a new attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdempotencyKey {
    text: String,
    intent_at: Option<Timestamp>,
}

impl IdempotencyKey {
    /// A key from its text, for tests of a provider.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            intent_at: None,
        }
    }

    /// The text to send; at most 63 characters for purposes of up to 20.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// When the intent was persisted, if the key comes from an object.
    #[must_use]
    pub fn intent_at(&self) -> Option<Timestamp> {
        self.intent_at
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
