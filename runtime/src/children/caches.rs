//! Everything a kind depends on, and the index of who refers to what.

use std::{any::TypeId, panic::AssertUnwindSafe, sync::Arc};

use futures::future::BoxFuture;
use kube::Resource;

use crate::mutant::{Mutant, mutated};
use crate::{
    children::{
        ChildResource, WatchedOptions,
        declared::Refs,
        erased::{AnyOwned, AnyRelated},
        owner::{OWNER_KIND_LABEL, Owner, OwnerKind},
        related::Related,
        seen::Seen,
        store::Store,
    },
    engine::{key::ObjectKey, owned_bell::Bell, owned_watch::Follow, print::Print, watch::Scope},
    metrics::Metrics,
};

/// The caches of everything a kind depends on.
pub(crate) struct Children {
    pub(super) owned: Vec<(TypeId, Arc<dyn AnyOwned>)>,
    pub(super) related: Vec<(TypeId, WatchedOptions, Arc<dyn AnyRelated>)>,
    pub(super) owner_kind: Arc<OwnerKind>,
    pub(crate) bell: Arc<Bell>,
    pub(super) client: kube::Client,
    pub(super) manager: String,
    pub(super) metrics: Metrics,
}

impl Children {
    /// The watches to follow, with the names of their boards.
    pub(crate) fn watches(
        &self,
        mut with: impl FnMut(Arc<str>, Scope) -> Follow,
        namespace: Option<&str>,
    ) -> Vec<BoxFuture<'static, ()>> {
        let name = |kind: &str| -> Arc<str> { format!("{}/{kind}", self.owner_kind.kind).into() };
        let mut watches = Vec::new();
        for (_, store) in &self.owned {
            let scope = Scope {
                namespace: namespace.map(str::to_owned),
                labels: Some(format!("{OWNER_KIND_LABEL}={}", self.owner_kind.label()))
                    .filter(|_| !mutated(Mutant::OwnedSelector)),
                fields: None,
            };
            watches.push(Arc::clone(store).follow(with(name(store.kind()), scope)));
        }
        for (_, options, store) in &self.related {
            let scope = Scope {
                namespace: namespace.map(str::to_owned),
                labels: options.labels.clone(),
                fields: options.fields.clone(),
            };
            watches.push(Arc::clone(store).follow(with(name(store.kind()), scope)));
        }
        watches
    }

    /// Whether every cache has its first list, or has failed to get it.
    pub(crate) fn are_settled(&self) -> bool {
        self.owned.iter().all(|(_, store)| store.is_settled())
            && self.related.iter().all(|(_, _, store)| store.is_settled())
    }

    /// A number that changes with everything that is worth a run of the owner.
    pub(crate) fn sum(&self, owner: &ObjectKey, uid: &str) -> Print {
        let owned = self.owned.iter().map(|(_, store)| store.sum(owner, uid));
        let related = self.related.iter().map(|(_, _, store)| store.sum(owner));
        owned.chain(related).sum()
    }

    pub(super) fn snapshot(&self, owner: &Owner) -> Seen {
        let mut seen = Seen::default();
        for (_, store) in &self.owned {
            store.snapshot(owner, &mut seen);
        }
        for (_, _, store) in &self.related {
            store.snapshot(&owner.key, &mut seen);
        }
        seen
    }

    pub(super) fn store<T: ChildResource>(&self) -> Option<Arc<Store<T>>> {
        let (_, store) = self.owned.iter().find(|(id, _)| *id == TypeId::of::<T>())?;
        Arc::clone(store).any().downcast().ok()
    }

    pub(super) fn related<T: ChildResource>(&self) -> Option<Arc<Related<T>>> {
        let (_, _, store) = self
            .related
            .iter()
            .find(|(id, _, _)| *id == TypeId::of::<T>())?;
        Arc::clone(store).any().downcast().ok()
    }
}

/// Who refers to what.
pub(crate) struct Index<R> {
    pub(super) kinds: Vec<Indexed<R>>,
}

pub(super) struct Indexed<R> {
    pub(super) type_id: TypeId,
    pub(super) namespaced: bool,
    pub(super) refs: Arc<Refs<R>>,
    pub(super) store: Arc<dyn AnyRelated>,
}

impl<R: Resource<DynamicType = ()>> Index<R> {
    /// Records what an object refers to.
    pub(crate) fn put(&self, key: &ObjectKey, object: &R) {
        for one in &self.kinds {
            one.store.index(key, one.targets(object));
        }
    }

    pub(crate) fn forget(&self, key: &ObjectKey) {
        for one in &self.kinds {
            one.store.forget(key);
        }
    }

    /// What an object refers to, by kind.
    pub(crate) fn of(&self, object: &R) -> Vec<(TypeId, Vec<ObjectKey>)> {
        let of_kind = |one: &Indexed<R>| (one.type_id, one.targets(object));
        self.kinds.iter().map(of_kind).collect()
    }
}

impl<R: Resource<DynamicType = ()>> Indexed<R> {
    fn targets(&self, object: &R) -> Vec<ObjectKey> {
        let from = object.meta().namespace.as_deref();
        // The author's code runs in the loop of the kind here: its panic must not end that.
        let refs = std::panic::catch_unwind(AssertUnwindSafe(|| (self.refs)(object)));
        let refs = refs.unwrap_or_else(|_| {
            tracing::error!(kind = %R::kind(&()), "what the object refers to cannot be told: the function given to `watches` panicked");
            Vec::new()
        });
        let mut targets: Vec<_> = refs
            .iter()
            .map(|target| target.key(from, self.namespaced))
            .collect();
        targets.sort();
        targets.dedup();
        targets
    }
}
