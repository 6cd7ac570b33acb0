//! What the watch tells.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tokio::time::Instant;

use super::{Store, owners, same_uid};
use crate::{
    children::{ChildResource, memo::Memo},
    engine::{key::ObjectKey, owned_bell::Change, owned_watch::Sink},
    mutant::{Mutant, mutated},
};

impl<T: ChildResource> Sink<T> for Store<T> {
    fn seen(&self, object: Arc<T>) {
        let (key, entry) = self.entry(object);
        let mut inner = self.inner();
        inner.failed_at = None;
        inner.undecodable.remove(&key);
        if inner.is_history(&entry) {
            return;
        }
        let (change, owners) = match inner.objects.get_mut(&key) {
            Some(known) if same_uid(known, &entry) && known.version >= entry.version => {
                if known.version == entry.version {
                    known.unconfirmed = None;
                }
                return;
            }
            Some(known) => (
                known.print.change_to(entry.print),
                owners(Some(known), &entry),
            ),
            None => (Change::Content, owners(None, &entry)),
        };
        inner.insert(key, entry);
        drop(inner);
        self.ring(owners, change);
    }

    fn gone(&self, meta: &ObjectMeta) {
        let key = ObjectKey::of(meta);
        let mut inner = self.inner();
        inner.failed_at = None;
        inner.undecodable.remove(&key);
        if let Some(uid) = &meta.uid {
            inner.deleted.remove(uid);
        }
        let known = inner.objects.get(&key);
        let is_it = known.is_some_and(|known| known.object.meta().uid == meta.uid);
        let waits = inner.memos.get_mut(&key).and_then(Memo::freed);
        let owner = is_it.then(|| inner.remove(&key)).flatten();
        drop(inner);
        if mutated(Mutant::ChildDeletions) {
            return;
        }
        self.ring(owner, Change::Content);
        if let Some(owner) = waits {
            self.bell.run(&owner);
        }
    }

    fn list_begins(&self) {
        let mut inner = self.inner();
        inner.incoming = Some(HashMap::new());
        inner.undecodable.list_begins();
    }

    fn broken(&self, meta: &ObjectMeta, error: &str) -> bool {
        let owner = self.owner_kind.owner_of(meta);
        let mut inner = self.inner();
        inner.failed_at = None;
        // What was known of it is history.
        let former = inner.remove(&ObjectKey::of(meta));
        let is_new = inner.undecodable.add(meta, owner.clone(), error);
        drop(inner);
        if is_new {
            self.ring(former.or(owner.map(|owner| owner.key)), Change::Content);
        }
        is_new
    }

    fn broken_count(&self) -> usize {
        self.inner().undecodable.len()
    }

    fn listed(&self, object: Arc<T>) {
        let (key, entry) = self.entry(object);
        let mut inner = self.inner();
        if !inner.is_history(&entry)
            && let Some(incoming) = &mut inner.incoming
        {
            incoming.insert(key, entry);
        }
    }

    fn list_ends(&self) {
        let mut inner = self.inner();
        let Some(incoming) = inner.incoming.take() else {
            return;
        };
        inner.undecodable.list_ends();
        let now = Instant::now();
        let known = std::mem::take(&mut inner.objects);
        let mut touched: BTreeSet<ObjectKey> = inner.by_owner.keys().cloned().collect();
        inner.by_owner.clear();
        let mut kept = Vec::new();
        for (key, entry) in known {
            let listed = incoming.get(&key);
            // Only a reply to our own write may be newer than the list, and only for a while: a server that was
            // restored counts its versions from further back.
            let may_be_newer = entry.unconfirmed.is_some_and(|until| until > now);
            let newer = may_be_newer
                && listed.is_none_or(|listed| {
                    same_uid(listed, &entry) && listed.version < entry.version
                });
            if newer {
                kept.push((key, entry));
            } else if listed.is_none()
                && let Some(owner) = inner.memos.get_mut(&key).and_then(Memo::freed)
            {
                touched.insert(owner);
            }
        }
        for (key, entry) in incoming.into_iter().chain(kept) {
            inner.insert(key, entry);
        }
        touched.extend(inner.by_owner.keys().cloned());
        inner.complete = true;
        inner.failed_at = None;
        inner.tidy();
        let waiting = std::mem::take(&mut inner.waiting);
        drop(inner);
        for owner in waiting {
            self.bell.run(&owner);
        }
        for owner in touched {
            self.bell.look(&owner, Change::Content);
        }
    }

    fn failed(&self) {
        self.inner().failed_at = Some(Instant::now());
    }

    fn len(&self) -> usize {
        self.inner().objects.len()
    }

    fn is_complete(&self) -> bool {
        Self::is_complete(self)
    }
}
