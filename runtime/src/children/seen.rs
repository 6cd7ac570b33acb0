//! What a run has seen of the objects it depends on.

use std::{any::TypeId, collections::HashMap};

use crate::engine::key::ObjectKey;

/// A number per object that the run has seen. Their sum is compared with the caches' after the run: what changed since
/// is worth another one, and what the run wrote itself is not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen(HashMap<(TypeId, ObjectKey), u64>);

impl Seen {
    pub(super) fn set(&mut self, kind: TypeId, key: ObjectKey, print: u64) {
        self.0.insert((kind, key), print);
    }

    pub(super) fn remove(&mut self, kind: TypeId, key: &ObjectKey) {
        self.0.remove(&(kind, key.clone()));
    }

    /// Zero if nothing was seen.
    pub(crate) fn sum(&self) -> u64 {
        self.0
            .values()
            .fold(0, |sum, print| sum.wrapping_add(*print))
    }
}
