//! What about an object is worth a run.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::identity::{Fnv, IDENTITY_ANNOTATION};
use crate::mutant::{Mutant, mutated};

/// Every annotation of ours starts with it.
pub(crate) const ANNOTATION_PREFIX: &str = "opgen.dev/";

/// Labels and annotations that the author wants to be woken by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    pub(crate) labels: Vec<String>,
    pub(crate) annotations: Vec<String>,
}

/// A number that changes with the uid, the generation, the finalizers, the deletion, the watched labels and
/// annotations, and every annotation of ours but the identity. Two equal ones need no second run: it is compared with
/// what the last handler saw, so neither a missed event nor a relist can lose or repeat work.
pub(crate) fn trigger(meta: &ObjectMeta, watched: &Watched) -> u64 {
    let mut hash = Fnv::default();
    let mut field = |bytes: &[u8]| {
        hash.write(bytes);
        hash.write(&[0xff]);
    };
    if mutated(Mutant::PredicateWidth) {
        field(&meta.generation.unwrap_or_default().to_be_bytes());
        return hash.0;
    }
    if mutated(Mutant::StatusIsNoNews) {
        field(
            meta.resource_version
                .as_deref()
                .unwrap_or_default()
                .as_bytes(),
        );
    }
    field(meta.uid.as_deref().unwrap_or_default().as_bytes());
    field(&meta.generation.unwrap_or_default().to_be_bytes());
    field(&[u8::from(meta.deletion_timestamp.is_some())]);
    for finalizer in meta.finalizers.iter().flatten() {
        field(finalizer.as_bytes());
    }
    let annotations = meta.annotations.iter().flat_map(BTreeMap::iter);
    for (name, value) in annotations {
        let ours = name.starts_with(ANNOTATION_PREFIX)
            && name != IDENTITY_ANNOTATION
            && !mutated(Mutant::ReconcileAt);
        if ours || watched.annotations.contains(name) {
            field(name.as_bytes());
            field(value.as_bytes());
        }
    }
    for (name, value) in meta.labels.iter().flat_map(BTreeMap::iter) {
        if watched.labels.contains(name) {
            field(name.as_bytes());
            field(value.as_bytes());
        }
    }
    hash.0
}
