//! The objects of one resource and their history.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use tokio::sync::Notify;

use super::{Event, Stored};

/// All objects of one resource.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) objects: BTreeMap<String, Stored>,
    pub(crate) history: VecDeque<Arc<Event>>,
    /// Revisions up to this one can no longer be replayed.
    pub(crate) floor: u64,
    /// Revision of the newest event that was forgotten: a watch that has not seen it has missed something.
    pub(crate) dropped: u64,
    /// Wakes the watches of this resource.
    pub(crate) changed: Arc<Notify>,
    /// Differs after the resource was removed or changed and served again: watches of the former one end.
    pub(crate) incarnation: u64,
    /// Watches of this incarnation reach no further back.
    pub(crate) started: u64,
    /// What the resource is served by, for custom ones.
    pub(super) served_by: Option<String>,
}

impl Table {
    pub(super) fn remember(&mut self, limit: usize, event: Event) {
        self.history.push_back(Arc::new(event));
        while self.history.len() > limit {
            if let Some(oldest) = self.history.pop_front() {
                self.floor = oldest.revision;
                self.dropped = oldest.revision;
            }
        }
        self.changed.notify_waiters();
    }

    /// Objects in key order, from those of a namespace or of all.
    pub(crate) fn scan(&self, namespace: &str) -> impl Iterator<Item = (&String, &Stored)> {
        self.scan_after(namespace, "")
    }

    /// The same, past the key `after`.
    pub(crate) fn scan_after(
        &self,
        namespace: &str,
        after: &str,
    ) -> impl Iterator<Item = (&String, &Stored)> {
        let prefix = if namespace.is_empty() {
            String::new()
        } else {
            format!("{namespace}/")
        };
        let start = if after < prefix.as_str() {
            Bound::Included(prefix.as_str())
        } else {
            Bound::Excluded(after)
        };
        self.objects
            .range::<str, _>((start, Bound::Unbounded))
            .take_while(move |(key, _)| key.starts_with(&prefix))
    }

    /// The objects as they were at a revision; `None` if the history does not reach back.
    pub(crate) fn at(&self, revision: u64, namespace: &str) -> Option<BTreeMap<String, Stored>> {
        if revision < self.floor {
            return None;
        }
        let mut objects: BTreeMap<String, Stored> = self
            .scan(namespace)
            .map(|(key, stored)| (key.clone(), stored.clone()))
            .collect();
        let prefix = if namespace.is_empty() {
            String::new()
        } else {
            format!("{namespace}/")
        };
        for event in self
            .history
            .iter()
            .rev()
            .take_while(|event| event.revision > revision)
        {
            if !event.key.starts_with(&prefix) {
                continue;
            }
            match &event.previous {
                Some(previous) => objects.insert(event.key.clone(), previous.clone()),
                None => objects.remove(&event.key),
            };
        }
        Some(objects)
    }

    /// Events after a revision, oldest first.
    pub(crate) fn since(&self, revision: u64) -> impl Iterator<Item = &Arc<Event>> {
        let start = self
            .history
            .partition_point(|event| event.revision <= revision);
        self.history.range(start..)
    }
}
