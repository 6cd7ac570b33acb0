//! What a run has seen of the objects it depends on.

use std::{any::TypeId, collections::HashMap};

use crate::engine::{key::ObjectKey, print::Print};

/// A number per object that the run has seen. Their sum is compared with the caches' after the run: what changed since
/// is worth another one, and what the run wrote itself is not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen(HashMap<(TypeId, ObjectKey), Print>);

impl Seen {
    pub(super) fn set(&mut self, kind: TypeId, key: ObjectKey, print: Print) {
        self.0.insert((kind, key), print);
    }

    pub(super) fn remove(&mut self, kind: TypeId, key: &ObjectKey) {
        self.0.remove(&(kind, key.clone()));
    }

    /// Zero if nothing was seen.
    pub(crate) fn sum(&self) -> Print {
        self.0.values().copied().sum()
    }
}
