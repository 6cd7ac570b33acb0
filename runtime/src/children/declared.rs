//! What a kind owns and refers to: declared by its builder, built when it runs.

use std::{any::TypeId, sync::Arc};

use kube::Resource;

use crate::{
    children::{
        ChildResource, Children, Index, ObjectRef, OwnedOptions, WatchedOptions,
        caches::Indexed,
        erased::{AnyOwned, AnyRelated},
        owner::{OwnerKind, is_namespaced},
        related::Related,
        store::Store,
    },
    engine::owned_bell::Bell,
    manifests::{NeededList, RoleRule},
    metrics::Metrics,
};

/// What an owned kind needs: `get` past the cache after a lost race, `list` and `watch` for the cache, `patch` and
/// `create` for server-side apply.
const OWNED_VERBS: &[&str] = &["get", "list", "watch", "create", "patch"];
/// For `delete_child`, `prune` and `recreate_on_immutable`, where an option asks for one of them.
const DELETE: &str = "delete";
/// A watched kind is only ever read from its cache.
const WATCHED_VERBS: &[&str] = &["list", "watch"];

type MakeOwned = dyn Fn(Arc<OwnerKind>, Arc<Bell>) -> Arc<dyn AnyOwned> + Send + Sync;
type MakeRelated = dyn Fn(Arc<Bell>) -> Arc<dyn AnyRelated> + Send + Sync;
pub(super) type Refs<R> = dyn Fn(&R) -> Vec<ObjectRef> + Send + Sync;

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
    list: NeededList,
    make: Arc<MakeOwned>,
}

struct RelatedKind<R> {
    type_id: TypeId,
    kind: String,
    rule: RoleRule,
    list: NeededList,
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
            list: one.list.clone(),
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

fn list<T: ChildResource>() -> NeededList {
    NeededList {
        kind: T::kind(&()).into_owned(),
        everywhere: T::url_path(&(), None),
        plural: T::plural(&()).into_owned(),
        namespaced: is_namespaced::<T>(),
    }
}

impl<R: Resource<DynamicType = ()> + 'static> Declared<R> {
    pub(crate) fn own<T: ChildResource>(&mut self, options: OwnedOptions) {
        let type_id = TypeId::of::<T>();
        self.owned.retain(|one| one.type_id != type_id);
        let mut verbs = OWNED_VERBS.to_vec();
        if options.deletes || options.recreate {
            verbs.push(DELETE);
        }
        self.owned.push(OwnedKind {
            type_id,
            kind: T::kind(&()).into_owned(),
            rule: rule::<T>(&verbs),
            list: list::<T>(),
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
            list: list::<T>(),
            options,
            namespaced: is_namespaced::<T>(),
            refs: Arc::new(refs),
            make: Arc::new(|bell| Arc::new(Related::<T>::new(bell))),
        });
    }

    /// Whether it owns any kind.
    pub(crate) fn owns_any(&self) -> bool {
        !self.owned.is_empty()
    }

    /// What the server has to serve, and let be listed: the path of each list.
    pub(crate) fn lists(&self) -> Vec<NeededList> {
        let owned = self.owned.iter().map(|one| &one.list);
        let related = self.related.iter().map(|one| &one.list);
        owned.chain(related).cloned().collect()
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
