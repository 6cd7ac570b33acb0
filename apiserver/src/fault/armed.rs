//! Injected faults: which requests and events they hit, and how often they have.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Action, Fault};
use crate::document::Document;
use crate::request::RequestInfo;

/// A fault that has been injected.
#[derive(Debug)]
pub(crate) struct Armed {
    fault: Fault,
    seen: AtomicUsize,
    fired: AtomicUsize,
    removed: AtomicBool,
}

impl Armed {
    /// Counts a match; whether it is one that the fault is meant for.
    fn take(&self) -> bool {
        if self.removed.load(Ordering::SeqCst) {
            return false;
        }
        let nth = self.seen.fetch_add(1, Ordering::SeqCst) + 1;
        let hit = nth >= self.fault.first && nth - self.fault.first < self.fault.times;
        if hit {
            self.fired.fetch_add(1, Ordering::SeqCst);
        }
        hit
    }

    pub(crate) fn action(&self) -> &Action {
        &self.fault.action
    }

    /// For the faults of single events: whether this event is hit.
    pub(crate) fn takes_event(&self, object: &Document) -> bool {
        self.fault
            .name
            .as_deref()
            .is_none_or(|wanted| wanted == crate::object::meta(&object.value(), "name"))
            && self.take()
    }
}

/// Tells how often an injected fault has fired.
#[derive(Clone, Debug)]
pub struct FaultHandle(Arc<Armed>);

impl FaultHandle {
    /// How often the fault has fired.
    pub fn fired(&self) -> usize {
        self.0.fired.load(Ordering::SeqCst)
    }

    /// How many requests (or events) matched its address, those before its occurrence included.
    pub fn matched(&self) -> usize {
        self.0.seen.load(Ordering::SeqCst)
    }

    /// Switches the fault off.
    pub fn remove(&self) {
        self.0.removed.store(true, Ordering::SeqCst);
    }
}

/// The faults of a cluster.
#[derive(Debug, Default)]
pub(crate) struct Faults(Mutex<Vec<Arc<Armed>>>);

impl Faults {
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Armed>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn inject(&self, fault: Fault) -> FaultHandle {
        let armed = Arc::new(Armed {
            fault,
            seen: AtomicUsize::new(0),
            fired: AtomicUsize::new(0),
            removed: AtomicBool::new(false),
        });
        self.lock().push(armed.clone());
        FaultHandle(armed)
    }

    pub(crate) fn clear(&self) {
        for armed in self.lock().drain(..) {
            armed.removed.store(true, Ordering::SeqCst);
        }
    }

    /// The faults that this request meets, in the order of their injection.
    /// `body_name` finds the name of an object that is to be created; it is only asked if there are faults.
    pub(crate) fn meet(
        &self,
        info: &RequestInfo,
        user: &str,
        body_name: impl FnOnce() -> String,
    ) -> Vec<Arc<Armed>> {
        let mut armed = self.lock();
        if armed.is_empty() {
            return Vec::new();
        }
        armed.retain(|fault| !fault.removed.load(Ordering::SeqCst));
        let name = if info.verb == "create" && info.name.is_empty() {
            body_name()
        } else {
            info.name.clone()
        };
        armed
            .iter()
            .filter(|armed| {
                let per_event = armed.fault.per_event();
                armed.fault.matches(
                    info,
                    user,
                    (!per_event && info.verb != "watch").then_some(&name),
                ) && (per_event || armed.take())
            })
            .cloned()
            .collect()
    }
}
