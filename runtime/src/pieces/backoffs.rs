//! A backoff of its own for each object.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::engine::{backoff::Backoff, key::ObjectKey};

/// Failures in a row, by object: for the `error_policy` of a `kube::runtime::Controller`, which has no backoff of its own.
/// Clones share it. It holds as many entries as there are objects that fail.
#[derive(Clone, Debug, Default)]
pub struct Backoffs {
    failures: Arc<Mutex<HashMap<ObjectKey, u32>>>,
}

impl Backoffs {
    /// None has failed yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn failures(&self) -> MutexGuard<'_, HashMap<ObjectKey, u32>> {
        // Nothing panics while it holds the lock.
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long to wait after this failure: anywhere up to 1 s, doubled with each failure in a row, 5 min at most.
    #[must_use]
    pub fn failed(&self, object: &ObjectMeta) -> Duration {
        let mut failures = self.failures();
        let count = failures.entry(ObjectKey::of(object)).or_default();
        *count = count.saturating_add(1);
        Backoff::OBJECT.delay(*count)
    }

    /// It went well, or the object is gone: the next failure is a first one.
    pub fn succeeded(&self, object: &ObjectMeta) {
        self.failures().remove(&ObjectKey::of(object));
    }
}
