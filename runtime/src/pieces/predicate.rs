//! What about an object is worth a reconcile.

use kube::Resource;

use crate::engine::predicate::{Watched, trigger};

/// A number that changes with the uid, the generation, the finalizers, the deletion and every annotation under
/// `opgen.dev/` but the identity, and not with the status: a predicate for kube's `WatchStreamExt::predicate_filter`. Unlike the bare
/// generation it lets through a finalizer that was added, a deletion, and an object made anew with the same generation.
///
/// ```
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # use opgen_runtime::pieces::worth_a_run;
/// let mut object = ConfigMap::default();
/// let before = worth_a_run(&object);
/// object.metadata.resource_version = Some("7".to_owned());
/// assert_eq!(worth_a_run(&object), before);
/// object.metadata.finalizers = Some(vec!["example.com/cleanup".to_owned()]);
/// assert_ne!(worth_a_run(&object), before);
/// ```
#[allow(
    clippy::unnecessary_wraps,
    reason = "kube's predicates return an option"
)]
pub fn worth_a_run<K: Resource>(object: &K) -> Option<u64> {
    Some(trigger(object.meta(), &Watched::default()))
}
