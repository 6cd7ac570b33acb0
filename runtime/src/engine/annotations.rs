//! The handles for people: annotations an admin may set.

use crate::mutant::{Mutant, mutated};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Declares the handles, and the table of them all.
macro_rules! handles {
    ($($ident:ident = $name:literal, $values:literal, $says:literal;)*) => {
        $(
            #[doc = $says]
            pub const $ident: &str = $name;
        )*

        /// Name, values and meaning of each.
        pub const TABLE: &[(&str, &str, &str)] = &[$(($ident, $values, $says)),*];
    };
}

handles! {
    PAUSED = "opgen.dev/paused", "`\"true\"`", "holds every run of the object, its deletion too";
    RECONCILE_AT = "opgen.dev/reconcile-at", "any text", "any change of it makes the object run once";
    DELETION_POLICY = "opgen.dev/deletion-policy", "`delete` (default), `retain`", "what becomes of the outside when the object is deleted";
    ORPHAN_EXTERNAL = "opgen.dev/orphan-external", "`\"true\"`", "lets go of an object whose outside cannot be cleaned up";
    ALLOW_DESTROY = "opgen.dev/allow-destroy", "`\"true\"`", "lets an object's clean-up begin although too many of its kind are being deleted at once";
}

fn is(meta: &ObjectMeta, name: &str, wanted: &str) -> bool {
    meta.annotations
        .as_ref()
        .and_then(|all| all.get(name))
        .is_some_and(|value| value == wanted)
}

pub(crate) fn is_paused(meta: &ObjectMeta) -> bool {
    is(meta, PAUSED, "true") && !mutated(Mutant::Pause)
}

/// Whether an admin let this one pass the brake on mass deletions.
pub(crate) fn may_destroy(meta: &ObjectMeta) -> bool {
    is(meta, ALLOW_DESTROY, "true")
}

/// Whether an admin wants the object to go and what it made outside to stay.
pub(crate) fn releases_external(meta: &ObjectMeta) -> bool {
    is(meta, ORPHAN_EXTERNAL, "true") || is(meta, DELETION_POLICY, "retain")
}
