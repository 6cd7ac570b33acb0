//! The request log: what clients asked for, and what it changed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

/// One request that the server has answered (or hung).
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// Position in the log, from 1, never reused.
    pub sequence: u64,
    /// Time of the cluster's clock.
    pub time: Timestamp,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or a method in lower case.
    pub verb: String,
    /// API group, empty for the core group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Resource in the plural, empty for paths that are no resources.
    pub resource: String,
    /// Subresource, empty if none.
    pub subresource: String,
    /// Namespace, empty if none.
    pub namespace: String,
    /// Object name, empty for collections; for a create, the name the object got.
    pub name: String,
    /// User, as impersonated.
    pub user: String,
    /// Field manager of a write.
    pub field_manager: String,
    /// HTTP status of the answer; 0 if the request was hung by a fault or a hook.
    pub code: u16,
    /// Whether it changed the store.
    pub committed: bool,
    /// How many revisions it made.
    pub revisions: u32,
}

impl LogEntry {
    /// Whether the verb is one that writes (reviews and dry runs included).
    pub fn is_write_verb(&self) -> bool {
        matches!(
            self.verb.as_str(),
            "create" | "update" | "patch" | "delete" | "deletecollection"
        )
    }
}

#[derive(Debug, Default)]
struct Entries {
    list: Vec<LogEntry>,
    next: u64,
}

/// Handle to the request log of a cluster. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RequestLog(Arc<Mutex<Entries>>);

impl RequestLog {
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, mut entry: LogEntry) {
        let mut entries = self.lock();
        entries.next += 1;
        entry.sequence = entries.next;
        // A server that runs for weeks must not grow for ever.
        if entries.list.len() >= 500_000 {
            entries.list.drain(..250_000);
        }
        entries.list.push(entry);
    }

    /// A copy of all entries.
    pub fn entries(&self) -> Vec<LogEntry> {
        self.lock().list.clone()
    }

    /// Entries after this sequence number.
    pub fn since(&self, sequence: u64) -> Vec<LogEntry> {
        self.lock()
            .list
            .iter()
            .filter(|e| e.sequence > sequence)
            .cloned()
            .collect()
    }

    /// Sequence number of the newest entry, 0 if there was none.
    pub fn last(&self) -> u64 {
        self.lock().next
    }

    /// Requests that changed the store.
    pub fn writes(&self) -> usize {
        self.count(|entry| entry.committed)
    }

    /// Entries for which the predicate holds.
    pub fn count(&self, mut predicate: impl FnMut(&LogEntry) -> bool) -> usize {
        self.lock().list.iter().filter(|e| predicate(e)).count()
    }

    /// Forgets the entries; sequence numbers go on.
    pub fn clear(&self) {
        self.lock().list.clear();
    }
}
