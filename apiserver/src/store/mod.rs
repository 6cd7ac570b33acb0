//! The synchronous store: all objects, one revision sequence, and the history that watches resume from.

mod table;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

use crate::document::{Document, Pool};
use crate::object;

pub(crate) use table::Table;

/// Revision of a fresh store. The history before it counts as compacted, so that version 1 is too old.
pub(crate) const FIRST_REVISION: u64 = 100;

/// An object at one revision.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) revision: u64,
    pub(crate) object: Document,
    /// What was written, if a later schema lets less or more of it be seen.
    pub(crate) written: Option<Document>,
}

/// What a revision did to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Modified,
    Deleted,
}

impl Change {
    /// What a watch calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// One revision in the history of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) revision: u64,
    pub(crate) change: Change,
    /// Namespace and name as stored: `ns/name`, or `name` for cluster-scoped resources.
    pub(crate) key: String,
    /// The new object; for a deletion the last one, at the revision of the deletion.
    pub(crate) object: Document,
    pub(crate) previous: Option<Stored>,
}

/// What the commit expects to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    Absent,
    Revision(u64),
}

/// Why a commit did not happen: what is there instead.
#[derive(Debug)]
pub(crate) enum Lost {
    Exists(Stored),
    Gone,
    Moved,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) revision: u64,
    tables: HashMap<String, Table>,
    /// The last events of resources that are gone, for the watches that have yet to end.
    ended: VecDeque<(String, u64, Vec<Arc<Event>>)>,
    history: usize,
    pub(crate) random: fastrand::Rng,
    pool: Arc<Pool>,
    /// Wakes those who wait for a revision.
    pub(crate) advanced: Arc<Notify>,
    /// How often all watches were cut: each ends that began before the last time.
    pub(crate) cuts: u64,
}

/// The store, shared by all handles of a cluster. It holds nothing of any runtime.
#[derive(Debug)]
pub(crate) struct Store(Mutex<State>);

impl Store {
    pub(crate) fn new(seed: u64, history: usize) -> Self {
        Self(Mutex::new(State {
            revision: FIRST_REVISION,
            tables: HashMap::new(),
            ended: VecDeque::new(),
            history: history.max(1),
            random: fastrand::Rng::with_seed(seed),
            pool: Arc::default(),
            advanced: Arc::new(Notify::new()),
            cuts: 0,
        }))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, table: &str, key: &str) -> Option<Stored> {
        self.lock().tables.get(table)?.objects.get(key).cloned()
    }

    pub(crate) fn revision(&self) -> u64 {
        self.lock().revision
    }

    /// A version 4 UUID from the seeded generator.
    pub(crate) fn uid(&self) -> String {
        let bits = self.lock().random.u128(..);
        let bits = (bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
        let hex = format!("{bits:032x}");
        format!(
            "{}-{}-{}-{}-{}",
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..]
        )
    }

    /// Five characters of the alphabet of generated names.
    pub(crate) fn suffix(&self) -> String {
        const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        let random = &mut self.lock().random;
        (0..5)
            .map(|_| char::from(ALPHABET[random.usize(..ALPHABET.len())]))
            .collect()
    }
}

impl State {
    pub(crate) fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name)
    }

    /// The table of a resource, made if it is not there.
    pub(crate) fn table_mut(&mut self, name: &str) -> &mut Table {
        let revision = self.revision;
        if !self.tables.contains_key(name) {
            self.tables.insert(
                name.to_owned(),
                Table {
                    objects: BTreeMap::new(),
                    history: VecDeque::new(),
                    floor: revision,
                    dropped: 0,
                    changed: Arc::new(Notify::new()),
                    incarnation: revision,
                    started: 0,
                    served_by: None,
                },
            );
        }
        match self.tables.get_mut(name) {
            Some(table) => table,
            None => unreachable!("inserted above"),
        }
    }

    /// Drops a resource that is no longer served; its watches end.
    pub(crate) fn remove_table(&mut self, name: &str) {
        if let Some(table) = self.tables.remove(name) {
            let events = table.history.into_iter().collect();
            self.end(name, table.incarnation, events);
            table.changed.notify_waiters();
        }
    }

    /// Notes what a resource is served by from now on. After a change its watches end, and later ones cannot go on
    /// where these were: the real server has to build the storage of the resource anew.
    pub(crate) fn serve_table(&mut self, name: &str, served_by: String) {
        let revision = self.revision;
        let table = self.table_mut(name);
        let former = table.served_by.replace(served_by);
        if former.is_none() || former == table.served_by {
            return;
        }
        let events = table.history.iter().cloned().collect();
        let incarnation = std::mem::replace(&mut table.incarnation, revision);
        table.started = revision;
        let changed = table.changed.clone();
        self.end(name, incarnation, events);
        changed.notify_waiters();
    }

    fn end(&mut self, name: &str, incarnation: u64, events: Vec<Arc<Event>>) {
        self.ended.push_back((name.to_owned(), incarnation, events));
        if self.ended.len() > 16 {
            self.ended.pop_front();
        }
    }

    /// The history of a resource that is gone.
    pub(crate) fn last_of(&self, name: &str, incarnation: u64) -> Vec<Arc<Event>> {
        self.ended
            .iter()
            .find(|(table, number, _)| table == name && *number == incarnation)
            .map(|(_, _, events)| events.clone())
            .unwrap_or_default()
    }

    /// Writes an object. The new revision is stamped into it.
    pub(crate) fn put(
        &mut self,
        table: &str,
        key: &str,
        expect: Expect,
        mut object: Value,
    ) -> Result<Stored, Lost> {
        let revision = self.revision + 1;
        let limit = self.history;
        // A resource that is no longer served takes nothing more.
        let place = self.tables.get_mut(table).ok_or(Lost::Gone)?;
        let previous = place.objects.get(key);
        match (expect, previous) {
            (Expect::Absent, Some(found)) => return Err(Lost::Exists(found.clone())),
            (Expect::Revision(_), None) => return Err(Lost::Gone),
            (Expect::Revision(wanted), Some(found)) if found.revision != wanted => {
                return Err(Lost::Moved);
            }
            _ => {}
        }
        let change = match previous {
            Some(_) => Change::Modified,
            None => Change::Added,
        };
        stamp(&mut object, revision);
        let stored = Stored {
            written: None,
            revision,
            object: self.pool.keep(object, change.name()),
        };
        let previous = place.objects.insert(key.to_owned(), stored.clone());
        if let Some(previous) = &previous {
            previous.object.cool();
        }
        place.remember(
            limit,
            Event {
                revision,
                change,
                key: key.to_owned(),
                object: stored.object.clone(),
                previous,
            },
        );
        self.advance(revision);
        Ok(stored)
    }

    /// Removes an object. The event, and the answer, carry the last state at the new revision.
    pub(crate) fn remove(&mut self, table: &str, key: &str, expect: u64) -> Result<Stored, Lost> {
        let revision = self.revision + 1;
        let limit = self.history;
        let place = self.tables.get_mut(table).ok_or(Lost::Gone)?;
        match place.objects.get(key) {
            None => return Err(Lost::Gone),
            Some(found) if found.revision != expect => return Err(Lost::Moved),
            Some(_) => {}
        }
        let Some(previous) = place.objects.remove(key) else {
            return Err(Lost::Gone);
        };
        let mut last = previous.object.to_value();
        stamp(&mut last, revision);
        let last = Stored {
            written: None,
            revision,
            object: self.pool.keep(last, Change::Deleted.name()),
        };
        place.remember(
            limit,
            Event {
                revision,
                change: Change::Deleted,
                key: key.to_owned(),
                object: last.object.clone(),
                previous: Some(previous),
            },
        );
        self.advance(revision);
        Ok(last)
    }

    /// Where the parsed forms of objects live.
    pub(crate) fn pool(&self) -> Arc<Pool> {
        self.pool.clone()
    }

    fn advance(&mut self, revision: u64) {
        self.revision = revision;
        self.advanced.notify_waiters();
    }

    /// Ends the watches that are open.
    pub(crate) fn cut_watches(&mut self) {
        self.cuts += 1;
        // In a fixed order, so that a test's replay wakes them alike.
        let tables: BTreeMap<_, _> = self.tables.iter().collect();
        for table in tables.values() {
            table.changed.notify_waiters();
        }
    }

    /// Forgets the history of every resource: whoever resumes from before now is told that it expired.
    pub(crate) fn compact(&mut self) {
        let revision = self.revision;
        for table in self.tables.values_mut() {
            if let Some(newest) = table.history.back() {
                table.dropped = newest.revision;
            }
            table.history.clear();
            table.floor = revision;
        }
    }
}

fn stamp(object: &mut Value, revision: u64) {
    object::meta_mut(object).insert("resourceVersion".into(), revision.to_string().into());
}
