//! What a kind owns and refers to: declared by its builder, built when it runs.

use std::{
    any::{Any, TypeId},
    panic::AssertUnwindSafe,
    sync::Arc,
};

use futures::future::BoxFuture;
use kube::Resource;

use crate::{
    children::{
        ChildResource, ObjectRef, OwnedOptions, WatchedOptions,
        owner::{OWNER_KIND_LABEL, Owner, OwnerKind, is_namespaced},
        related::Related,
        seen::Seen,
        store::Store,
    },
    engine::{
        key::ObjectKey,
        owned_bell::Bell,
        owned_watch::{Follow, Sink, follow},
        watch::Scope,
    },
    manifests::RoleRule,
    metrics::Metrics,
};

/// What an owned kind needs: `get` past the cache after a lost race, `list` and `watch` for the cache, `patch` and
/// `create` for server-side apply, `delete` for `delete_child`, `prune` and `recreate_on_immutable`.
const OWNED_VERBS: &[&str] = &["get", "list", "watch", "create", "patch", "delete"];
/// A watched kind is only ever read from its cache.
const WATCHED_VERBS: &[&str] = &["list", "watch"];

type MakeOwned = dyn Fn(Arc<OwnerKind>, Arc<Bell>) -> Arc<dyn AnyOwned> + Send + Sync;
type MakeRelated = dyn Fn(Arc<Bell>) -> Arc<dyn AnyRelated> + Send + Sync;
type Refs<R> = dyn Fn(&R) -> Vec<ObjectRef> + Send + Sync;

/// The declarations of one kind.
pub(crate) struct Declared<R> {
    owned: Vec<OwnedKind>,
    related: Vec<RelatedKind<R>>,
}

#[derive(Clone)]
struct OwnedKind {
    type_id: TypeId,
    kind: String,
    rule: RoleRule,
    make: Arc<MakeOwned>,
}

struct RelatedKind<R> {
    type_id: TypeId,
    kind: String,
    rule: RoleRule,
    options: WatchedOptions,
    namespaced: bool,
    refs: Arc<Refs<R>>,
    make: Arc<MakeRelated>,
}

impl<R> Default for Declared<R> {
    fn default() -> Self {
        Self {
            owned: Vec::new(),
            related: Vec::new(),
        }
    }
}

impl<R> Clone for Declared<R> {
    fn clone(&self) -> Self {
        let related = self.related.iter().map(|one| RelatedKind {
            type_id: one.type_id,
            kind: one.kind.clone(),
            rule: one.rule.clone(),
            options: one.options.clone(),
            namespaced: one.namespaced,
            refs: Arc::clone(&one.refs),
            make: Arc::clone(&one.make),
        });
        Self {
            owned: self.owned.clone(),
            related: related.collect(),
        }
    }
}

impl<R> std::fmt::Debug for Declared<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let owned: Vec<_> = self.owned.iter().map(|one| &one.kind).collect();
        let related: Vec<_> = self.related.iter().map(|one| &one.kind).collect();
        f.debug_struct("Declared")
            .field("owns", &owned)
            .field("watches", &related)
            .finish()
    }
}

fn rule<T: ChildResource>(verbs: &[&'static str]) -> RoleRule {
    RoleRule {
        group: T::group(&()).into_owned(),
        resource: T::plural(&()).into_owned(),
        names: Vec::new(),
        verbs: verbs.to_vec(),
        cluster: !is_namespaced::<T>(),
    }
}

impl<R: Resource<DynamicType = ()> + 'static> Declared<R> {
    pub(crate) fn own<T: ChildResource>(&mut self, options: OwnedOptions) {
        let type_id = TypeId::of::<T>();
        self.owned.retain(|one| one.type_id != type_id);
        self.owned.push(OwnedKind {
            type_id,
            kind: T::kind(&()).into_owned(),
            rule: rule::<T>(OWNED_VERBS),
            make: Arc::new(move |owner, bell| {
                Arc::new(Store::<T>::new(owner, options.clone(), bell))
            }),
        });
    }

    pub(crate) fn refer<T: ChildResource>(
        &mut self,
        options: WatchedOptions,
        refs: impl Fn(&R) -> Vec<ObjectRef> + Send + Sync + 'static,
    ) {
        let type_id = TypeId::of::<T>();
        self.related.retain(|one| one.type_id != type_id);
        self.related.push(RelatedKind {
            type_id,
            kind: T::kind(&()).into_owned(),
            rule: rule::<T>(WATCHED_VERBS),
            options,
            namespaced: is_namespaced::<T>(),
            refs: Arc::new(refs),
            make: Arc::new(|bell| Arc::new(Related::<T>::new(bell))),
        });
    }

    /// The lines of the role.
    pub(crate) fn rules(&self) -> Vec<RoleRule> {
        let owned = self.owned.iter().map(|one| one.rule.clone());
        owned
            .chain(self.related.iter().map(|one| one.rule.clone()))
            .collect()
    }

    /// The caches, empty, and the index.
    pub(crate) fn build(
        &self,
        client: kube::Client,
        manager: &str,
        metrics: Metrics,
    ) -> (Children, Index<R>) {
        let bell = Arc::new(Bell::default());
        let owner_kind = Arc::new(OwnerKind::of::<R>());
        let owned = self.owned.iter().map(|one| {
            let store = (one.make)(Arc::clone(&owner_kind), Arc::clone(&bell));
            (one.type_id, store)
        });
        let mut index = Vec::new();
        let mut related = Vec::new();
        for one in &self.related {
            let store = (one.make)(Arc::clone(&bell));
            index.push(Indexed {
                type_id: one.type_id,
                namespaced: one.namespaced,
                refs: Arc::clone(&one.refs),
                store: Arc::clone(&store),
            });
            related.push((one.type_id, one.options.clone(), store));
        }
        let children = Children {
            owned: owned.collect(),
            related,
            owner_kind,
            bell,
            client,
            manager: manager.to_owned(),
            metrics,
        };
        (children, Index { kinds: index })
    }
}

/// An owned kind whose type is forgotten.
pub(super) trait AnyOwned: Send + Sync {
    fn kind(&self) -> &str;
    fn sum(&self, owner: &ObjectKey, uid: &str) -> u64;
    fn snapshot(&self, owner: &Owner, seen: &mut Seen);
    fn is_settled(&self) -> bool;
    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
    fn follow(self: Arc<Self>, with: Follow) -> BoxFuture<'static, ()>;
}

impl<T: ChildResource> AnyOwned for Store<T> {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn sum(&self, owner: &ObjectKey, uid: &str) -> u64 {
        Self::sum(self, owner, uid)
    }

    fn snapshot(&self, owner: &Owner, seen: &mut Seen) {
        Self::snapshot(self, owner, seen);
    }

    fn is_settled(&self) -> bool {
        Self::is_complete(self) || self.is_troubled()
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn follow(self: Arc<Self>, with: Follow) -> BoxFuture<'static, ()> {
        Box::pin(follow::<T, Self>(self, with))
    }
}

/// A watched kind whose type is forgotten.
pub(super) trait AnyRelated: Send + Sync {
    fn kind(&self) -> &str;
    fn index(&self, primary: &ObjectKey, targets: Vec<ObjectKey>);
    fn forget(&self, primary: &ObjectKey);
    fn sum(&self, primary: &ObjectKey) -> u64;
    fn snapshot(&self, primary: &ObjectKey, seen: &mut Seen);
    fn is_settled(&self) -> bool;
    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
    fn follow(self: Arc<Self>, with: Follow) -> BoxFuture<'static, ()>;
}

impl<T: ChildResource> AnyRelated for Related<T> {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn index(&self, primary: &ObjectKey, targets: Vec<ObjectKey>) {
        Self::index(self, primary, targets);
    }

    fn forget(&self, primary: &ObjectKey) {
        Self::forget(self, primary);
    }

    fn sum(&self, primary: &ObjectKey) -> u64 {
        Self::sum(self, primary)
    }

    fn snapshot(&self, primary: &ObjectKey, seen: &mut Seen) {
        Self::snapshot(self, primary, seen);
    }

    fn is_settled(&self) -> bool {
        Sink::is_complete(self) || self.is_troubled()
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn follow(self: Arc<Self>, with: Follow) -> BoxFuture<'static, ()> {
        Box::pin(follow::<T, Self>(self, with))
    }
}

/// The caches of everything a kind depends on.
pub(crate) struct Children {
    owned: Vec<(TypeId, Arc<dyn AnyOwned>)>,
    related: Vec<(TypeId, WatchedOptions, Arc<dyn AnyRelated>)>,
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
                labels: Some(format!("{OWNER_KIND_LABEL}={}", self.owner_kind.label())),
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
    pub(crate) fn sum(&self, owner: &ObjectKey, uid: &str) -> u64 {
        let owned = self.owned.iter().map(|(_, store)| store.sum(owner, uid));
        let related = self.related.iter().map(|(_, _, store)| store.sum(owner));
        owned.chain(related).fold(0, u64::wrapping_add)
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
    kinds: Vec<Indexed<R>>,
}

struct Indexed<R> {
    type_id: TypeId,
    namespaced: bool,
    refs: Arc<Refs<R>>,
    store: Arc<dyn AnyRelated>,
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
