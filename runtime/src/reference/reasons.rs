//! Every reason that an operator gives, on a condition or in an event. Nothing else makes a [`Reason`].

use std::{borrow::Cow, fmt};

use crate::status::conditions::{
    CHILD_BLOCKED, CLEANUP_BLOCKED, CLEANUP_STALLED, FIELD_FIGHT, IDENTITY, PAUSED, READY,
    RECONCILING, STALLED, UNKNOWN_PHASE, UNOBSERVED, WRITE_REFUSED,
};

/// Why a condition stands as it does, or what an event is about: one row of [`REASONS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    name: &'static str,
    conditions: &'static [&'static str],
    is_event: bool,
    says: &'static str,
}

impl Reason {
    /// The word, CamelCase.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.name
    }

    /// The types of the conditions it stands on; none for one that only events give.
    #[must_use]
    pub const fn conditions(self) -> &'static [&'static str] {
        self.conditions
    }

    /// Whether a Warning event says it, too.
    #[must_use]
    pub const fn is_event(self) -> bool {
        self.is_event
    }

    /// What it means.
    #[must_use]
    pub const fn says(self) -> &'static str {
        self.says
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl From<Reason> for Cow<'static, str> {
    fn from(reason: Reason) -> Self {
        Cow::Borrowed(reason.name)
    }
}

/// What holds an owner: Reconciling while it passes by itself.
const PASSES: &[&str] = &[];
/// What holds an owner until somebody acts.
const HOLDS: &[&str] = &[CHILD_BLOCKED, STALLED, READY, RECONCILING];
/// What only a new spec or a person can mend.
const STALLS: &[&str] = &[STALLED, READY, RECONCILING];

/// Declares the reasons, and the table of them all.
macro_rules! reasons {
    ($($ident:ident = $name:literal $conditions:expr, $is_event:literal, $says:literal;)*) => {
        $(
            #[doc = $says]
            pub const $ident: Reason = Reason {
                name: $name,
                conditions: $conditions,
                is_event: $is_event,
                says: $says,
            };
        )*

        /// Every reason, in the order of the source. A phase's name is a reason as well, on Ready, Reconciling and
        /// Stalled.
        pub static REASONS: &[Reason] = &[$($ident),*];
    };
}

reasons! {
    WAITING = "Waiting" &[RECONCILING], false, "the handler waits for something outside, and the message says for what";
    RETRYING = "Retrying" &[RECONCILING], false, "the handler failed and is tried again with backoff; the message is its error";
    DEADLINE_EXCEEDED = "DeadlineExceeded" STALLS, false, "the object stayed in a phase for longer than that phase's deadline";
    PERMANENT_ERROR = "PermanentError" STALLS, false, "the handler said that no retry can help: change the spec";
    PAUSED_BY_ANNOTATION = "PausedByAnnotation" &[PAUSED], false, "the annotation `opgen.dev/paused` holds the object";
    UNKNOWN = "Unknown" &[UNOBSERVED], false, "what stands outside could not be observed: a timeout, a refused credential, a cut page, a proof too young; it is never taken for absence";
    PHASE_OF_ANOTHER_VERSION = "UnknownPhase" &[UNKNOWN_PHASE], false, "the stored phase is one that this version of the operator does not know";
    REFUSED = "WriteRefused" &[WRITE_REFUSED], true, "the API server or an admission policy refuses the operator's status";
    HOT_LOOP = "HotLoop" PASSES, true, "the object is reconciled again and again although nothing changes, and is slowed down to one run in 30 s";
    UPDATE_LOOP = "UpdateLoop" &[RECONCILING], true, "the object goes round in the same phases, or asks the outside for the same again and again, although nothing changes: slowed down to one run in 30 s; most often the provider words what it is given in its own way, and the handler compares without knowing it";
    UNDECODABLE = "Undecodable" PASSES, true, "the object does not decode and is left alone: mend the field that the note names";
    MASS_DELETION = "MassDeletion" PASSES, true, "too many objects of the kind are being deleted at once, so this clean-up waits for its turn";
    CLEANUP_DEADLINE = "CleanupDeadline" &[CLEANUP_STALLED], false, "the clean-up takes longer than its deadline";
    CLEANUP_IS_STALLED = "CleanupStalled" PASSES, true, "the clean-up takes longer than its deadline: what it made outside is not proven gone, or it is held";
    DEPENDENCY_MISSING = "DependencyMissing" &[CLEANUP_BLOCKED], true, "the clean-up refers to an object that is gone: restore it, or let go of the outside";
    CREDENTIALS_REFUSED = "CredentialsRefused" &[CLEANUP_BLOCKED], true, "the provider refuses the credentials of the clean-up: restore the secret or the role";
    TOO_MANY_ATTEMPTS = "TooManyAttempts" PASSES, true, "the identity annotation counts more attempts than a clean-up looks after one by one";
    IDENTITY_KEPT = "IdentityKept" &[IDENTITY], false, "the message is the attempt and the first uid";
    IDENTITY_ADOPTED = "IdentityAdopted" PASSES, true, "the object was restored or moved under a new uid and goes on with the identity that it had: what it made outside is found again";

    NOT_SYNCED = "NotSynced" PASSES, false, "the cache of an owned or watched kind is not complete, so nothing is decided";
    NOT_DECLARED = "NotDeclared" HOLDS, true, "the handler uses a kind, or an object, that the operator's builder does not name";
    INVALID_CHILD = "InvalidChild" HOLDS, true, "the child lacks a name or a namespace, or is no object";
    CROSS_NAMESPACE_OWNER = "CrossNamespaceOwner" HOLDS, true, "the child would be in another namespace or scope than its owner, and be collected at once";
    CHILD_UNDECODABLE = "ChildUndecodable" HOLDS, true, "a child, or an object referred to, does not decode, so nothing is decided about it";
    CHILD_RACE = "ChildRace" PASSES, false, "others change the child again and again while it is applied";
    CHILD_TERMINATING = "ChildTerminating" PASSES, false, "the child is being deleted, and is made anew when it is gone";
    CHILD_REFUSED = "ChildRefused" HOLDS, true, "the API server or an admission policy refuses the child";
    FIELD_CONFLICT = "FieldConflict" HOLDS, true, "another field manager owns a field of the child, and this kind yields on conflict";
    IMMUTABLE_FIELD = "ImmutableField" HOLDS, true, "a field of the child that would have to change is immutable";
    FORMER_OWNER = "FormerOwner" PASSES, false, "the child belongs to a former owner of the same name and is about to be collected";
    ADOPTION_REFUSED = "AdoptionRefused" HOLDS, true, "an object of that name exists and is not ours, and the policy does not allow to adopt it";
    UPDATE_BUDGET = "UpdateBudget" PASSES, false, "so many children change at the same time that this one waits for its turn";
    FIGHT = "FieldFight" &[FIELD_FIGHT], true, "another writer keeps changing a child back: applies of it are slowed down";
}

/// The reason of that name.
#[must_use]
pub fn reason(name: &str) -> Option<Reason> {
    REASONS.iter().copied().find(|reason| reason.name == name)
}
