//! The answer to a write, kept until the watch brings the same.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
        *self.kept() = Some(envelope);
    }

    /// Whether nobody will ask for it: there is none, it was taken, or the watch brought as much before it came.
    pub(crate) fn is_needless(&self, cached: u64) -> bool {
        self.kept()
            .as_ref()
            .is_none_or(|kept| kept.version() <= cached)
    }

    /// The answer, if it is exactly this version of the object.
    pub(crate) fn take(&self, meta: &ObjectMeta) -> Option<Envelope<K>> {
        self.kept().take_if(|kept| {
            let kept = kept.meta();
            kept.uid == meta.uid && kept.resource_version == meta.resource_version
        })
    }

    fn kept(&self) -> MutexGuard<'_, Option<Envelope<K>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    fn version(uid: &str, version: &str) -> Envelope<ConfigMap> {
        let meta = json!({"name": "a", "uid": uid, "resourceVersion": version});
        Envelope::from_json(&json!({ "metadata": meta }).to_string()).unwrap()
    }

    #[test]
    fn only_the_same_version_of_the_same_object_is_taken_and_once() {
        let reply = Reply::default();
        assert!(reply.is_needless(0));
        reply.keep(version("u", "7"));
        for other in [version("u", "6"), version("u", "8"), version("v", "7")] {
            assert!(reply.take(other.meta()).is_none(), "{other:?}");
        }
        assert!(!reply.is_needless(6));
        assert!(reply.is_needless(7));
        let same = version("u", "7");
        assert_eq!(reply.take(same.meta()).unwrap().version(), 7);
        assert!(reply.is_needless(0));
        assert!(reply.take(same.meta()).is_none());
    }
}
