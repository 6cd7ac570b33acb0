//! The cache of one owned kind, fed by its watch and by the replies to our own writes.

mod sink;

use std::{
    any::TypeId,
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::mutant::{Mutant, mutated};
use crate::{
    children::{
        ChildError, ChildResource, OwnedOptions,
        budget::Turns,
        content::Content,
        memo::Memo,
        owner::{Owner, OwnerKind},
        seen::Seen,
        undecodable::Undecodable,
    },
    engine::{
        envelope::version_of,
        key::ObjectKey,
        owned_bell::{Bell, Change},
        owned_watch::TROUBLED,
        print::Print,
    },
};

/// How long a reply to our own write is believed without the watch having shown it.
const UNCONFIRMED: Duration = Duration::from_secs(5);
/// How long the memory of an object without traces is kept.
const FORGET: Duration = Duration::from_secs(3600);
/// How many memories without an object are not worth looking through.
const SPARE: usize = 1024;

/// One cached child.
#[derive(Clone, Debug)]
pub(super) struct Entry<T> {
    pub(super) object: Arc<T>,
    pub(super) version: u64,
    pub(super) content: Content,
    /// Changes with everything that is worth a run of the owner.
    pub(super) print: Print,
    pub(super) owner: Option<Owner>,
    /// It comes from a reply, and the watch has not shown it until this moment.
    pub(super) unconfirmed: Option<Instant>,
}

/// All children of one kind, of all owners of one kind.
pub(crate) struct Store<T> {
    /// The child's kind, for people.
    pub(super) kind: String,
    pub(super) owner_kind: Arc<OwnerKind>,
    pub(super) options: OwnedOptions,
    bell: Arc<Bell>,
    inner: Mutex<Inner<T>>,
    turns: Mutex<Turns>,
}

struct Inner<T> {
    objects: HashMap<ObjectKey, Entry<T>>,
    by_owner: HashMap<ObjectKey, BTreeSet<ObjectKey>>,
    /// What a list in progress has brought so far.
    incoming: Option<HashMap<ObjectKey, Entry<T>>>,
    complete: bool,
    failed_at: Option<Instant>,
    /// Owners that wait for the first list.
    waiting: BTreeSet<ObjectKey>,
    /// Uids that we deleted: what still arrives of them is history.
    deleted: HashMap<String, Instant>,
    undecodable: Undecodable,
    memos: HashMap<ObjectKey, Memo>,
}

impl<T: ChildResource> Store<T> {
    pub(super) fn new(owner_kind: Arc<OwnerKind>, options: OwnedOptions, bell: Arc<Bell>) -> Self {
        Self {
            kind: T::kind(&()).into_owned(),
            turns: Mutex::new(Turns::new(options.rollout.burst, options.rollout.every)),
            owner_kind,
            options,
            bell,
            inner: Mutex::new(Inner {
                objects: HashMap::new(),
                by_owner: HashMap::new(),
                incoming: None,
                complete: false,
                failed_at: None,
                waiting: BTreeSet::new(),
                deleted: HashMap::new(),
                undecodable: Undecodable::default(),
                memos: HashMap::new(),
            }),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner<T>> {
        // Nothing panics while it holds the lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self, object: Arc<T>) -> (ObjectKey, Entry<T>) {
        let meta = object.meta();
        let key = ObjectKey::of(meta);
        let content = Content::of(&*object);
        let entry = Entry {
            version: version_of(meta),
            print: content.print(&self.kind, meta),
            content,
            owner: self.owner_kind.owner_of(meta),
            unconfirmed: None,
            object,
        };
        (key, entry)
    }

    fn ring(&self, owners: impl IntoIterator<Item = ObjectKey>, change: Change) {
        for owner in owners {
            self.bell.look(&owner, change);
        }
    }

    // ---- what runs ask ----

    /// Whether a first list has ended.
    pub(crate) fn is_complete(&self) -> bool {
        self.inner().complete
    }

    /// Whether the watch fails at present.
    pub(crate) fn is_troubled(&self) -> bool {
        self.inner()
            .failed_at
            .is_some_and(|at| at.elapsed() < TROUBLED)
    }

    /// Whether something may be concluded from an object's absence: the list is complete, none is under way, and the
    /// watch does not fail.
    pub(super) fn proves_absence(&self) -> bool {
        let inner = self.inner();
        if mutated(Mutant::CompletePrune) {
            return true;
        }
        inner.complete
            && inner.incoming.is_none()
            && inner.failed_at.is_none_or(|at| at.elapsed() >= TROUBLED)
    }

    /// Remembers that an owner waits for the first list. False if it has ended.
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

    /// Why nothing can be said of all children of the owner, if one does not decode.
    pub(super) fn undecodable_of(&self, owner: &Owner) -> Option<ChildError> {
        self.inner().undecodable.of(&self.kind, owner)
    }

    pub(super) fn get(&self, key: &ObjectKey) -> Option<Entry<T>> {
        self.inner().objects.get(key).cloned()
    }

    /// The children of an owner, by name.
    pub(super) fn of_owner(&self, owner: &Owner) -> Vec<Arc<T>> {
        let inner = self.inner();
        let keys = inner.by_owner.get(&owner.key);
        keys.into_iter()
            .flatten()
            .filter_map(|key| inner.objects.get(key))
            .filter(|entry| is_of(entry, owner))
            .map(|entry| Arc::clone(&entry.object))
            .collect()
    }

    pub(super) fn sum(&self, owner: &ObjectKey, uid: &str) -> Print {
        let inner = self.inner();
        let keys = inner.by_owner.get(owner);
        keys.into_iter()
            .flatten()
            .filter_map(|key| inner.objects.get(key))
            .filter(|entry| entry.owner.as_ref().is_some_and(|owner| owner.uid == uid))
            .map(|entry| entry.print)
            .sum()
    }

    pub(super) fn snapshot(&self, owner: &Owner, seen: &mut Seen) {
        let inner = self.inner();
        for key in inner.by_owner.get(&owner.key).into_iter().flatten() {
            if let Some(entry) = inner.objects.get(key).filter(|entry| is_of(entry, owner)) {
                seen.set(TypeId::of::<T>(), key.clone(), entry.print);
            }
        }
    }

    // ---- what runs write ----

    /// Takes in what the server answered to a write or to a read past the cache.
    pub(super) fn answered(&self, object: Arc<T>) -> Entry<T> {
        let (key, mut entry) = self.entry(object);
        let mut inner = self.inner();
        // It is there: what looked like its end was a race.
        if let Some(uid) = &entry.object.meta().uid {
            inner.deleted.remove(uid);
        }
        if let Some(known) = inner.objects.get_mut(&key)
            && same_uid(known, &entry)
            && known.version >= entry.version
        {
            // The server says the same as the last reply: that is good for as long again.
            if known.unconfirmed.is_some() {
                known.unconfirmed = Some(Instant::now() + UNCONFIRMED);
            }
            return known.clone();
        }
        entry.unconfirmed = Some(Instant::now() + UNCONFIRMED);
        inner.insert(key, entry.clone());
        entry
    }

    /// The server says that the object is not there (any more).
    pub(super) fn vanished(&self, key: &ObjectKey, uid: Option<&str>) {
        let mut inner = self.inner();
        let known = inner.objects.get(key);
        if known.is_some_and(|known| uid.is_none() || known.object.meta().uid.as_deref() == uid) {
            inner.remove(key);
        }
        if let Some(uid) = uid {
            inner.deleted.insert(uid.to_owned(), Instant::now());
        }
    }

    /// What is remembered of writing this child.
    pub(super) fn memo<R>(&self, key: &ObjectKey, with: impl FnOnce(&mut Memo) -> R) -> R {
        let mut inner = self.inner();
        if inner.memos.len() > 2 * inner.objects.len() + SPARE {
            inner.tidy();
        }
        with(inner.memos.entry(key.clone()).or_default())
    }

    /// The next free turn to change a child that no spec asked to change.
    pub(super) fn next_turn(&self) -> Instant {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.next(Instant::now())
    }

    pub(super) fn bell(&self) -> &Bell {
        &self.bell
    }
}

impl<T: ChildResource> Inner<T> {
    fn is_history(&self, entry: &Entry<T>) -> bool {
        let uid = entry.object.meta().uid.as_deref().unwrap_or_default();
        self.deleted.contains_key(uid)
    }

    fn insert(&mut self, key: ObjectKey, entry: Entry<T>) {
        self.remove(&key);
        if let Some(owner) = &entry.owner {
            self.by_owner
                .entry(owner.key.clone())
                .or_default()
                .insert(key.clone());
        }
        self.objects.insert(key, entry);
    }

    /// Returns whose child it was.
    fn remove(&mut self, key: &ObjectKey) -> Option<ObjectKey> {
        let owner = self.objects.remove(key)?.owner?.key;
        if let Some(children) = self.by_owner.get_mut(&owner) {
            children.remove(key);
            if children.is_empty() {
                self.by_owner.remove(&owner);
            }
        }
        Some(owner)
    }

    /// Forgets what nothing refers to any more.
    fn tidy(&mut self) {
        self.deleted.retain(|_, at| at.elapsed() < FORGET);
        let objects = &self.objects;
        self.memos
            .retain(|key, memo| objects.contains_key(key) || !memo.is_older_than(FORGET));
    }
}

fn is_of<T>(entry: &Entry<T>, owner: &Owner) -> bool {
    entry
        .owner
        .as_ref()
        .is_some_and(|found| found.uid == owner.uid)
}

fn same_uid<T: ChildResource>(one: &Entry<T>, other: &Entry<T>) -> bool {
    one.object.meta().uid == other.object.meta().uid
}

/// The owners before and after.
fn owners<T>(known: Option<&Entry<T>>, new: &Entry<T>) -> BTreeSet<ObjectKey> {
    let both = [
        known.and_then(|known| known.owner.as_ref()),
        new.owner.as_ref(),
    ];
    both.into_iter()
        .flatten()
        .map(|owner| owner.key.clone())
        .collect()
}
