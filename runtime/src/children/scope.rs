//! One run's view of its children and dependencies.

use std::{
    any::TypeId,
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{
    children::{
        ChildError, ChildResource, Children, ObjectRef, names,
        owner::{Owner, is_namespaced},
        related::Related,
        request::Requests,
        seen::Seen,
        store::Store,
    },
    engine::{key::ObjectKey, print::Print},
    error::Error,
    reference::reasons,
    status::conditions::{self, Conditions, Truth},
};

/// How soon an owner looks again that waits for a cache; the cache's completion wakes it before.
const SYNC: Duration = Duration::from_secs(5);

/// Why an operation on a child ended early.
pub(super) enum Stop {
    Child(ChildError),
    Api(kube::Error),
}

impl From<ChildError> for Stop {
    fn from(error: ChildError) -> Self {
        Self::Child(error)
    }
}

impl From<kube::Error> for Stop {
    fn from(error: kube::Error) -> Self {
        Self::Api(error)
    }
}

/// What a run learned of its children, for its report and its conditions.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChildNotes {
    /// The sum of what it has seen.
    pub(crate) seen: Print,
    /// The version of the owner's own metadata write; 0 if there was none.
    pub(crate) version: u64,
    /// A child that could not be brought to what is desired.
    pub(crate) blocked: Option<ChildError>,
    /// A child that somebody else keeps changing back, in words.
    pub(crate) fight: Option<String>,
    /// What it refers to and is not there.
    pub(crate) missing: Option<String>,
    /// Whether the handler ended well, so that what it did not complain of is well, too.
    pub(crate) is_well: bool,
}

impl ChildNotes {
    /// Adds what is to be said of the children.
    pub(crate) fn mark(&self, all: Conditions) -> Conditions {
        let all = match &self.blocked {
            Some(error) => all.with(
                conditions::CHILD_BLOCKED,
                Truth::True,
                error.reason(),
                error.to_string(),
            ),
            None if self.is_well => all.without(conditions::CHILD_BLOCKED),
            None => all,
        };
        match &self.fight {
            Some(message) => all.with(
                conditions::FIELD_FIGHT,
                Truth::True,
                reasons::FIGHT,
                message.clone(),
            ),
            None if self.is_well => all.without(conditions::FIELD_FIGHT),
            None => all,
        }
    }
}

#[derive(Default)]
pub(super) struct Notes {
    pub(super) seen: Seen,
    /// Names made for this owner: nobody else makes the same.
    pub(super) derived: HashSet<String>,
    pub(super) blocked: Option<ChildError>,
    pub(super) fight: Option<String>,
    pub(super) missing: Option<String>,
    pub(super) version: u64,
}

/// Clones share it.
#[derive(Clone)]
pub(crate) struct ChildScope(Arc<Inner>);

struct Inner {
    children: Arc<Children>,
    owner: Owner,
    /// What the object refers to, by the type of the target.
    refs: Vec<(TypeId, Vec<ObjectKey>)>,
    /// Whether what changes about the children was not asked for by the spec.
    is_rollout: bool,
    notes: Mutex<Notes>,
}

impl ChildScope {
    pub(crate) fn new(
        children: Arc<Children>,
        key: &ObjectKey,
        uid: &str,
        refs: Vec<(TypeId, Vec<ObjectKey>)>,
        is_rollout: bool,
    ) -> Self {
        let owner = Owner {
            key: key.clone(),
            uid: uid.to_owned(),
        };
        let notes = Notes {
            seen: children.snapshot(&owner),
            ..Notes::default()
        };
        Self(Arc::new(Inner {
            children,
            owner,
            refs,
            is_rollout,
            notes: Mutex::new(notes),
        }))
    }

    pub(super) fn children(&self) -> &Children {
        &self.0.children
    }

    pub(super) fn owner(&self) -> &Owner {
        &self.0.owner
    }

    pub(super) fn is_rollout(&self) -> bool {
        self.0.is_rollout
    }

    pub(super) fn notes(&self) -> MutexGuard<'_, Notes> {
        // Nothing panics while it holds the lock.
        self.0.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn requests(&self) -> Requests<'_> {
        Requests {
            client: &self.0.children.client,
            manager: &self.0.children.manager,
        }
    }

    /// What the run has learned so far.
    pub(crate) fn told(&self, is_well: bool) -> ChildNotes {
        let notes = self.notes();
        ChildNotes {
            seen: notes.seen.sum(),
            version: notes.version,
            blocked: notes.blocked.clone(),
            fight: notes.fight.clone(),
            missing: notes.missing.clone(),
            is_well,
        }
    }

    /// The error as handlers see it; what blocks a child is remembered.
    pub(super) fn stopped(&self, stop: Stop) -> Error {
        match stop {
            Stop::Child(error) => {
                if error.is_blocked() {
                    self.notes().blocked.get_or_insert_with(|| error.clone());
                }
                error.into_error()
            }
            Stop::Api(error) => Error::from(error),
        }
    }

    pub(super) fn child_name(&self, suffix: &str) -> String {
        let kind = self.0.children.owner_kind.label();
        let name = names::child_name(&kind, &self.0.owner.key, suffix);
        self.notes().derived.insert(name.clone());
        name
    }

    /// The key of an object named by the handler.
    pub(super) fn key<T: ChildResource>(&self, name: &ObjectRef) -> ObjectKey {
        name.key(self.0.owner.key.namespace.as_deref(), is_namespaced::<T>())
    }

    /// The cache of an owned kind, once its first list has ended.
    pub(super) fn store<T: ChildResource>(&self) -> Result<Arc<Store<T>>, ChildError> {
        let kind = T::kind(&());
        let Some(store) = self.0.children.store::<T>() else {
            return Err(ChildError::wrong(
                reasons::NOT_DECLARED,
                format!(
                    "{kind} is no owned kind: say `.kind_with::<..>(|kind| kind.owns::<{kind}>())` where the operator is built"
                ),
            ));
        };
        if store.waits(&self.0.owner.key) {
            return Err(unsynced(&kind));
        }
        Ok(store)
    }

    /// The cache of a watched kind, once its first list has ended.
    pub(super) fn related<T: ChildResource>(
        &self,
        key: &ObjectKey,
    ) -> Result<Arc<Related<T>>, ChildError> {
        let kind = T::kind(&());
        let Some(store) = self.0.children.related::<T>() else {
            return Err(ChildError::wrong(
                reasons::NOT_DECLARED,
                format!(
                    "{kind} is no watched kind: say `.kind_with::<..>(|kind| kind.watches::<{kind}>(|object| ..))` where the operator is built"
                ),
            ));
        };
        let refers = self
            .0
            .refs
            .iter()
            .any(|(id, targets)| *id == TypeId::of::<T>() && targets.contains(key));
        if !refers {
            return Err(ChildError::wrong(
                reasons::NOT_DECLARED,
                format!(
                    "{kind} {key} is not among what the object refers to: return it from the function given to `watches`, or its changes would wake nobody"
                ),
            ));
        }
        if store.waits(&self.0.owner.key) {
            return Err(unsynced(&kind));
        }
        Ok(store)
    }
}

fn unsynced(kind: &str) -> ChildError {
    let message = format!(
        "the list of {kind} is not complete: nothing is decided without it; /readyz tells why"
    );
    ChildError::waits(reasons::NOT_SYNCED, message, SYNC)
}
