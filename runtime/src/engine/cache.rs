//! The objects of one kind as the watch last told them.

use kube::Resource;

use crate::engine::{
    envelope::Envelope,
    key::{ByKey, Keys, ObjectKey},
};

/// Kept by the kind's own loop; nobody else writes to it.
pub(crate) struct Cache<K> {
    objects: ByKey<Envelope<K>>,
    /// What a list in progress has brought so far.
    incoming: Option<ByKey<Envelope<K>>>,
    /// What else came in meanwhile: it may be newer than the list.
    meanwhile: Keys,
    complete: bool,
}

impl<K: Resource<DynamicType = ()> + Clone> Cache<K> {
    pub(crate) fn new() -> Self {
        Self {
            objects: ByKey::default(),
            incoming: None,
            meanwhile: Keys::default(),
            complete: false,
        }
    }

    pub(crate) fn get(&self, key: &ObjectKey) -> Option<&Envelope<K>> {
        self.objects.get(key)
    }

    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// About how many bytes all of them came with.
    pub(crate) fn bytes(&self) -> usize {
        self.objects.values().map(Envelope::bytes).sum()
    }

    /// Whether a first list has ended.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Takes an object in, unless a newer one is there already.
    pub(crate) fn apply(&mut self, key: ObjectKey, envelope: Envelope<K>) -> bool {
        let older = self.objects.get(&key).is_some_and(|known| {
            known.meta().uid == envelope.meta().uid && known.version() > envelope.version()
        });
        if !older {
            self.replace(key, envelope);
        }
        !older
    }

    /// Takes an object in, whatever is there.
    pub(crate) fn replace(&mut self, key: ObjectKey, envelope: Envelope<K>) {
        if self.incoming.is_some() {
            self.meanwhile.insert(key.clone());
        }
        self.objects.insert(key, envelope);
    }

    pub(crate) fn remove(&mut self, key: &ObjectKey) {
        self.objects.remove(key);
    }

    pub(crate) fn list_begins(&mut self) {
        self.incoming = Some(ByKey::default());
        self.meanwhile.clear();
    }

    pub(crate) fn listed(&mut self, key: ObjectKey, envelope: Envelope<K>) {
        if let Some(incoming) = &mut self.incoming {
            incoming.insert(key, envelope);
        }
    }

    /// The list has ended: what it lacks is gone, and what it has replaces what was known, also where that is newer: a
    /// server that was restored from a backup counts its versions from further back. Returns the keys it held, then those it lacked.
    pub(crate) fn list_ends(&mut self) -> (Vec<ObjectKey>, Vec<ObjectKey>) {
        let mut incoming = self.incoming.take().unwrap_or_default();
        let known = std::mem::take(&mut self.objects);
        let mut lost = Vec::new();
        for (key, envelope) in known {
            match incoming.get_mut(&key) {
                // Read past the cache while the list was under way.
                Some(listed)
                    if self.meanwhile.contains(&key)
                        && listed.meta().uid == envelope.meta().uid
                        && listed.version() < envelope.version() =>
                {
                    *listed = envelope;
                }
                Some(_) => {}
                None => lost.push(key),
            }
        }
        // Sorted: the order of a hash map would make a seeded test run differ from the next one.
        lost.sort();
        let mut listed: Vec<_> = incoming.keys().cloned().collect();
        listed.sort();
        self.objects = incoming;
        self.complete = true;
        (listed, lost)
    }
}
