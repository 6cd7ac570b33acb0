//! Switches that take one default away, each at the very place where it is applied: the incident suite has to fail
//! without it. Not part of the API.
//!
//! Without the feature `__mutants` every check is a constant, and the code behind it is not built.

/// Declares the mutants, with what each takes away in words.
macro_rules! mutants {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// One default that can be switched off.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(not(feature = "__mutants"), allow(dead_code, unreachable_pub))]
        pub enum Mutant {
            $($(#[doc = $doc])+ $name,)+
        }

        #[cfg(feature = "__mutants")]
        impl Mutant {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// What the operator does with it, in words.
            #[must_use]
            pub const fn doc(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),+),)+
                }
            }
        }
    };
}

mutants! {
    /// A call to the outside is bounded by nothing but its handler.
    CallTimeout,
    /// A request to the API server may take for ever.
    ApiTimeout,
    /// A handler may take as long as it likes.
    HandlerDeadline,
    /// One object at a time, as controllers do by default.
    InFlight,
    /// A panic ends the loop of the kind.
    PanicsContained,
    /// Nobody notices a handler that blocks its thread.
    Watchdog,
    /// As many calls to the outside at a time as there are runs.
    Bulkhead,
    /// A client serves one call after the other, as behind a lock.
    ClientPermits,
    /// A target that fails is called as often as one that does not.
    Breaker,
    /// Calls that time out together shut the way on which others are answered.
    BreakerRow,
    /// What a target asks for when it throttles is not heeded.
    RetryAfter,
    /// A clean-up may take for ever, and nobody is told.
    CleanupDeadline,
    /// Every finalizer comes off, not only ours.
    OwnFinalizer,
    /// The finalizers of former versions are foreign.
    FormerFinalizers,
    /// Any proof of absence is good, whatever it is about.
    Proof,
    /// Any refusal by the provider is a proof of absence.
    ProofByStatus,
    /// A look that failed counts as absence.
    UnknownIsNotAbsent,
    /// Absence is believed however young it is.
    SettleWindow,
    /// A listing counts as complete although its end was not read.
    CompleteListing,
    /// Handlers run although finalizer and identity are not persisted.
    FinalizerFirst,
    /// The clean-up waits until its status is accepted.
    CleanupAlone,
    /// Nobody is told what a clean-up lacks.
    CleanupBlocked,
    /// Nobody is told that the outside could not be observed.
    Unobserved,
    /// An uninstall does not wait for clean-ups.
    UninstallWaits,
    /// All clean-ups begin at once.
    DestroyBrake,
    /// One group may take every place.
    GroupShare,
    /// What happens to an object waits behind the list it came with.
    FairLanes,
    /// A business wait is a failure, with backoff.
    PollsApart,
    /// The wait after a failure does not grow.
    RetryBackoff,
    /// Retries of many objects come together.
    RetryJitter,
    /// Retries of all objects together are not bounded.
    RetryTokens,
    /// A poll may be as short as it likes.
    MinPoll,
    /// Empty looks do not grow rare.
    PollBackoff,
    /// What runs again and again without a change is not slowed down.
    HotLoop,
    /// What goes round in the same phases, or updates without end, is not slowed down.
    UpdateLoop,
    /// Words that change with every look are written with every look.
    SteadyWords,
    /// A server that is older than the watch is believed.
    WentBack,
    /// Nothing is looked at without an event.
    Resync,
    /// What came with one list is looked at together.
    ResyncSpread,
    /// The last timer wins instead of the earliest.
    EarlierTimer,
    /// A backoff ignores that the spec has changed.
    SpecCutsBackoff,
    /// The status of a child cuts its owner's backoff.
    StatusKeepsBackoff,
    /// A phase may take for ever.
    PhaseDeadline,
    /// A phase deadline fires before anybody has looked.
    DeadlineAfterLook,
    /// Every write of an object makes it run, our own too.
    StatusIsNoNews,
    /// Nothing but the generation makes an object run.
    PredicateWidth,
    /// Our annotations make nothing run.
    ReconcileAt,
    /// A run may see less than our own last write.
    Gate,
    /// Reads past the cache are not rationed.
    LiveReads,
    /// What is missing in a new list is not gone.
    ListLoss,
    /// One object that does not decode fails the list.
    DecodedAlone,
    /// The cache keeps managedFields.
    ManagedFields,
    /// Lists are read in one piece.
    PagedLists,
    /// A watch whose start is answered with 410 is tried again as it was.
    ExpiredStart,
    /// Nothing runs until every watch is well.
    IsolatedWatches,
    /// Nothing is checked before the first watch.
    Preflight,
    /// A CRD without the status subresource will do.
    StatusSubresource,
    /// A CRD that would drop our fields will do.
    ServedSchema,
    /// A status is sent whenever a volatile field of it changed.
    VolatileFields,
    /// A condition's transition time moves whenever the condition is written.
    TransitionTime,
    /// A status write is refused if anybody wrote anything in between.
    StatusVersion,
    /// Two statuses are the same only if they are written the same.
    SemanticEquality,
    /// A field that was cleared stays on the server.
    ClearedFields,
    /// A status write moves an object whatever phase it is in by now.
    PhaseTest,
    /// Lists in a status grow without bound.
    BoundedLists,
    /// A phase of another version is treated as the first one.
    UnknownPhase,
    /// A refused status is tried again at once.
    WriteRefused,
    /// Metadata writes take any object of that name.
    UidTest,
    /// Each process has idempotency keys of its own.
    StableKey,
    /// The identity is the uid, whatever the annotation says.
    IdentityKept,
    /// A copied manifest has the identity of its original.
    IdentityBound,
    /// The annotation that pauses is ignored.
    Pause,
    /// A foreign object of that name is overwritten.
    Adoption,
    /// Nobody is woken by the deletion of a child.
    ChildDeletions,
    /// Children are read before they are applied.
    CacheFirst,
    /// What the server fills in counts as a difference.
    Containment,
    /// A child is written as often as others change it back.
    ApplyBudget,
    /// What changes about all children changes at once.
    UpdateBudget,
    /// A refused apply is tried again as any failure.
    RefusalHeld,
    /// An owner in another namespace will do.
    OwnerNamespace,
    /// Long names are cut.
    NameHash,
    /// A delete takes any object of that name.
    DeletePrecondition,
    /// A list that is not complete will do to prune by.
    CompletePrune,
    /// Metadata is written whatever others wrote in between.
    MetadataVersion,
    /// Children are watched without a selector.
    OwnedSelector,
    /// Nobody is woken by what they refer to.
    DependencyIndex,
    /// What a list that is refused held counts as gone.
    StaleKept,
    /// A client outlives the credentials it was made from.
    ClientVersion,
    /// Clients made from credentials are never forgotten.
    ClientBound,
    /// A leader that cannot renew its lease goes on.
    RenewDeadline,
    /// The lease is written whatever others wrote in between.
    LeaseVersion,
    /// Writes go on after the lease is lost.
    Fence,
    /// A shutdown cuts what is under way.
    Drain,
    /// A shutdown waits for ever for what is under way.
    DrainBound,
    /// Ready from the first moment.
    Readiness,
    /// Alive, whatever the loops do.
    Liveness,
    /// Probes are answered by the executor that handlers may block.
    ProbeThread,
    /// Nobody notes which object is where.
    Board,
    /// Always quiet.
    Quiescence,
    /// The role lacks a verb.
    Role,
    /// Every group is a label of its own.
    BoundedLabels,
    /// A namespace that goes away is a failure like any other.
    NamespaceTerminating,
}

#[cfg(not(feature = "__mutants"))]
mod switch {
    use super::Mutant;

    /// Whether the default is switched off.
    #[inline(always)]
    pub(crate) const fn mutated(_: Mutant) -> bool {
        false
    }

    /// What a new thread runs.
    #[inline(always)]
    pub(crate) fn carried<F>(work: F) -> F {
        work
    }
}

#[cfg(feature = "__mutants")]
mod switch {
    use std::cell::Cell;

    use super::Mutant;

    thread_local! {
        static ON: Cell<Option<Mutant>> = const { Cell::new(None) };
    }

    /// Switches a mutant on for this thread, and for those that an operator starts from it, until `work` ends.
    pub fn with<T>(mutant: Mutant, work: impl FnOnce() -> T) -> T {
        struct Back(Option<Mutant>);
        impl Drop for Back {
            fn drop(&mut self) {
                ON.set(self.0);
            }
        }
        let _back = Back(ON.replace(Some(mutant)));
        work()
    }

    /// Whether the default is switched off.
    pub(crate) fn mutated(mutant: Mutant) -> bool {
        ON.get() == Some(mutant)
    }

    /// What a new thread is to run, so that the mutant of this one is on there, too.
    pub fn carried<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
        let on = ON.get();
        move || match on {
            Some(mutant) => with(mutant, work),
            None => work(),
        }
    }
}

#[cfg(not(feature = "__mutants"))]
pub(crate) use switch::carried;
pub(crate) use switch::mutated;
#[cfg(feature = "__mutants")]
pub use switch::{carried, with};
