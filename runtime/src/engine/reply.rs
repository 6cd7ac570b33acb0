//! The answer to a write, kept until the watch brings the same.

use std::sync::{Arc, Mutex, PoisonError};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use crate::engine::envelope::Envelope;

/// The newest answer that a run got. Clones are the same. The cache takes only what the watch brings; but that need not
/// be decoded twice.
#[derive(Clone)]
pub(crate) struct Reply<K>(Arc<Mutex<Option<Envelope<K>>>>);

impl<K> Default for Reply<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Resource<DynamicType = ()> + Clone> Reply<K> {
    /// Keeps an answer in place of the one before.
    pub(crate) fn keep(&self, envelope: Envelope<K>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(envelope);
    }

    /// Whether there is none, or it was taken.
    pub(crate) fn is_empty(&self) -> bool {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.is_none()
    }

    /// The answer, if it is exactly this version of the object.
    pub(crate) fn take(&self, meta: &ObjectMeta) -> Option<Envelope<K>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take_if(|kept| {
            let kept = kept.meta();
            kept.uid == meta.uid && kept.resource_version == meta.resource_version
        })
    }
}
