//! The handles for people: annotations an admin may set.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// `"true"` holds every run of the object, its deletion too.
pub const PAUSED: &str = "opgen.dev/paused";
/// Any change of it makes the object run once.
pub const RECONCILE_AT: &str = "opgen.dev/reconcile-at";
/// `delete` (default) or `retain`: what becomes of the outside when the object is deleted.
pub const DELETION_POLICY: &str = "opgen.dev/deletion-policy";
/// `"true"` lets go of an object whose outside cannot be cleaned up.
pub const ORPHAN_EXTERNAL: &str = "opgen.dev/orphan-external";

/// `"true"` lets an object's clean-up begin although too many of its kind are being deleted at once.
pub const ALLOW_DESTROY: &str = "opgen.dev/allow-destroy";

fn is(meta: &ObjectMeta, name: &str, wanted: &str) -> bool {
    meta.annotations
        .as_ref()
        .and_then(|all| all.get(name))
        .is_some_and(|value| value == wanted)
}

pub(crate) fn is_paused(meta: &ObjectMeta) -> bool {
    is(meta, PAUSED, "true")
}

/// Whether an admin let this one pass the brake on mass deletions.
pub(crate) fn may_destroy(meta: &ObjectMeta) -> bool {
    is(meta, ALLOW_DESTROY, "true")
}

/// Whether an admin wants the object to go and what it made outside to stay.
pub(crate) fn releases_external(meta: &ObjectMeta) -> bool {
    is(meta, ORPHAN_EXTERNAL, "true") || is(meta, DELETION_POLICY, "retain")
}
