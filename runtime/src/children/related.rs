//! The cache of a kind that objects refer to, and the index of who refers to what.

use std::{
    any::TypeId,
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tokio::time::Instant;

use crate::mutant::{Mutant, mutated};
use crate::{
    children::{ChildError, ChildResource, content::Content, seen::Seen, undecodable::Undecodable},
    engine::{
        envelope::version_of,
        key::ObjectKey,
        owned_bell::{Bell, Change},
        owned_watch::{Sink, TROUBLED},
        print::Print,
    },
};

/// One object that others may refer to.
struct Target<T> {
    object: Arc<T>,
    version: u64,
    print: Print,
}

/// All objects of one watched kind.
pub(crate) struct Related<T> {
    pub(super) kind: String,
    bell: Arc<Bell>,
    inner: Mutex<Inner<T>>,
}

struct Inner<T> {
    objects: HashMap<ObjectKey, Target<T>>,
    incoming: Option<HashMap<ObjectKey, Target<T>>>,
    complete: bool,
    failed_at: Option<Instant>,
    waiting: BTreeSet<ObjectKey>,
    undecodable: Undecodable,
    /// What each primary refers to.
    targets: HashMap<ObjectKey, Vec<ObjectKey>>,
    /// Who refers to each.
    referrers: HashMap<ObjectKey, BTreeSet<ObjectKey>>,
}

impl<T: ChildResource> Related<T> {
    pub(super) fn new(bell: Arc<Bell>) -> Self {
        Self {
            kind: T::kind(&()).into_owned(),
            bell,
            inner: Mutex::new(Inner {
                objects: HashMap::new(),
                incoming: None,
                complete: false,
                failed_at: None,
                waiting: BTreeSet::new(),
                undecodable: Undecodable::default(),
                targets: HashMap::new(),
                referrers: HashMap::new(),
            }),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner<T>> {
        // Nothing panics while it holds the lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn target(&self, object: Arc<T>) -> (ObjectKey, Target<T>) {
        let meta = object.meta();
        let key = ObjectKey::of(meta);
        let target = Target {
            version: version_of(meta),
            print: Content::of(&*object).print(&self.kind, meta),
            object,
        };
        (key, target)
    }

    fn wake(&self, referrers: BTreeSet<ObjectKey>, change: Change) {
        if mutated(Mutant::DependencyIndex) {
            return;
        }
        for referrer in referrers {
            self.bell.look(&referrer, change);
        }
    }

    /// Records what a primary refers to.
    pub(super) fn index(&self, primary: &ObjectKey, targets: Vec<ObjectKey>) {
        let mut inner = self.inner();
        if inner.targets.get(primary) == Some(&targets) {
            return;
        }
        inner.forget(primary);
        for target in &targets {
            inner
                .referrers
                .entry(target.clone())
                .or_default()
                .insert(primary.clone());
        }
        if !targets.is_empty() {
            inner.targets.insert(primary.clone(), targets);
        }
    }

    pub(super) fn forget(&self, primary: &ObjectKey) {
        self.inner().forget(primary);
    }

    pub(super) fn is_troubled(&self) -> bool {
        self.inner()
            .failed_at
            .is_some_and(|at| at.elapsed() < TROUBLED)
    }

    pub(super) fn waits(&self, owner: &ObjectKey) -> bool {
        let mut inner = self.inner();
        if !inner.complete {
            inner.waiting.insert(owner.clone());
        }
        !inner.complete
    }

    /// Why nothing can be said of this object, if it does not decode.
    pub(super) fn undecodable(&self, key: &ObjectKey) -> Option<ChildError> {
        self.inner().undecodable.at(&self.kind, key)
    }

    pub(super) fn get(&self, key: &ObjectKey) -> Option<Arc<T>> {
        self.inner()
            .objects
            .get(key)
            .map(|target| Arc::clone(&target.object))
    }

    pub(super) fn sum(&self, primary: &ObjectKey) -> Print {
        let inner = self.inner();
        let targets = inner.targets.get(primary);
        targets
            .into_iter()
            .flatten()
            .filter_map(|key| inner.objects.get(key))
            .map(|target| target.print)
            .sum()
    }

    pub(super) fn snapshot(&self, primary: &ObjectKey, seen: &mut Seen) {
        let inner = self.inner();
        for key in inner.targets.get(primary).into_iter().flatten() {
            if let Some(target) = inner.objects.get(key) {
                seen.set(TypeId::of::<Related<T>>(), key.clone(), target.print);
            }
        }
    }
}

impl<T> Inner<T> {
    fn forget(&mut self, primary: &ObjectKey) {
        for target in self.targets.remove(primary).into_iter().flatten() {
            if let Some(referrers) = self.referrers.get_mut(&target) {
                referrers.remove(primary);
                if referrers.is_empty() {
                    self.referrers.remove(&target);
                }
            }
        }
    }

    fn referrers(&self, key: &ObjectKey) -> BTreeSet<ObjectKey> {
        self.referrers.get(key).cloned().unwrap_or_default()
    }
}

impl<T: ChildResource> Sink<T> for Related<T> {
    fn seen(&self, object: Arc<T>) {
        let (key, target) = self.target(object);
        let mut inner = self.inner();
        inner.failed_at = None;
        inner.undecodable.remove(&key);
        let known = inner.objects.get(&key);
        let change = known.map_or(Change::Content, |known| known.print.change_to(target.print));
        let older = inner.objects.get(&key).is_some_and(|known| {
            known.version > target.version && known.object.meta().uid == target.object.meta().uid
        });
        if older {
            return;
        }
        inner.objects.insert(key.clone(), target);
        let referrers = inner.referrers(&key);
        drop(inner);
        self.wake(referrers, change);
    }

    fn gone(&self, meta: &ObjectMeta) {
        let key = ObjectKey::of(meta);
        let mut inner = self.inner();
        inner.failed_at = None;
        inner.undecodable.remove(&key);
        let is_it = inner
            .objects
            .get(&key)
            .is_some_and(|known| known.object.meta().uid == meta.uid);
        if !is_it {
            return;
        }
        inner.objects.remove(&key);
        let referrers = inner.referrers(&key);
        drop(inner);
        self.wake(referrers, Change::Content);
    }

    fn list_begins(&self) {
        let mut inner = self.inner();
        inner.incoming = Some(HashMap::new());
        inner.undecodable.list_begins();
    }

    fn broken(&self, meta: &ObjectMeta, error: &str) -> bool {
        let key = ObjectKey::of(meta);
        let mut inner = self.inner();
        inner.failed_at = None;
        inner.objects.remove(&key);
        let is_new = inner.undecodable.add(meta, None, error);
        let referrers = inner.referrers(&key);
        drop(inner);
        if is_new {
            self.wake(referrers, Change::Content);
        }
        is_new
    }

    fn broken_count(&self) -> usize {
        self.inner().undecodable.len()
    }

    fn listed(&self, object: Arc<T>) {
        let (key, target) = self.target(object);
        if let Some(incoming) = &mut self.inner().incoming {
            incoming.insert(key, target);
        }
    }

    fn list_ends(&self) {
        let mut inner = self.inner();
        let Some(incoming) = inner.incoming.take() else {
            return;
        };
        inner.undecodable.list_ends();
        inner.objects = incoming;
        inner.complete = true;
        inner.failed_at = None;
        let waiting = std::mem::take(&mut inner.waiting);
        let referrers: BTreeSet<_> = inner.targets.keys().cloned().collect();
        drop(inner);
        for owner in waiting {
            self.bell.run(&owner);
        }
        self.wake(referrers, Change::Content);
    }

    fn failed(&self) {
        if mutated(Mutant::StaleKept) {
            self.inner().objects.clear();
        }
        self.inner().failed_at = Some(Instant::now());
    }

    fn len(&self) -> usize {
        self.inner().objects.len()
    }

    fn is_complete(&self) -> bool {
        self.inner().complete
    }
}
