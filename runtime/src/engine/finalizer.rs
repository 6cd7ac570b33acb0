//! Our finalizer and the identity beside it: written in one patch, before any handler may touch the outside.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Serialize;
use serde_json::{Value, json};

use crate::identity::{IDENTITY_ANNOTATION, Identity};
use crate::mutant::{Mutant, mutated};

/// `~` and `/` as a JSON pointer wants them.
fn escaped(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// The identity on the object, if it is its own: a copied manifest carries a foreign one.
pub(crate) fn identity_of(meta: &ObjectMeta) -> Option<Identity> {
    if mutated(Mutant::IdentityKept) {
        return None;
    }
    written_on(meta).filter(|identity| is_of(identity, meta))
}

/// The identity on the object, if it is that of another name.
pub(crate) fn foreign_identity_of(meta: &ObjectMeta) -> Option<Identity> {
    written_on(meta).filter(|identity| !is_of(identity, meta))
}

fn written_on(meta: &ObjectMeta) -> Option<Identity> {
    Identity::parse(meta.annotations.as_ref()?.get(IDENTITY_ANNOTATION)?)
}

fn is_of(identity: &Identity, meta: &ObjectMeta) -> bool {
    let name = meta.name.as_deref().unwrap_or_default();
    identity.belongs_to(meta.namespace.as_deref(), name)
}

/// One operation of a JSON patch.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(crate) enum Operation {
    Test {
        path: Cow<'static, str>,
        value: Value,
    },
    Add {
        path: Cow<'static, str>,
        value: Value,
    },
    Remove {
        path: Cow<'static, str>,
    },
}

/// Tests on the old value (null = absent) and sets the new one.
fn swap(path: impl Into<Cow<'static, str>>, old: Value, new: Value) -> [Operation; 2] {
    let path = path.into();
    [
        Operation::Test {
            path: path.clone(),
            value: old,
        },
        Operation::Add { path, value: new },
    ]
}

fn test_uid(meta: &ObjectMeta) -> Operation {
    if mutated(Mutant::UidTest) {
        return Operation::Test {
            path: "/metadata/name".into(),
            value: json!(meta.name),
        };
    }
    Operation::Test {
        path: "/metadata/uid".into(),
        value: json!(meta.uid),
    }
}

/// The entry by which we hold an object, and those that held it for us in former versions.
#[derive(Clone, Debug)]
pub(crate) struct Finalizer {
    pub(crate) present: String,
    pub(crate) former: Vec<String>,
}

impl Finalizer {
    fn is_ours(&self, entry: &str) -> bool {
        if mutated(Mutant::FormerFinalizers) {
            return entry == self.present;
        }
        entry == self.present || self.former.iter().any(|former| former == entry)
    }

    /// Whether an entry of ours stands on the object.
    pub(crate) fn is_held(&self, meta: &ObjectMeta) -> bool {
        let mut entries = meta.finalizers.iter().flatten();
        entries.any(|entry| self.is_ours(entry))
    }

    /// Whether the present entry stands on the object, and no former one.
    pub(crate) fn is_complete(&self, meta: &ObjectMeta) -> bool {
        let entries = meta.finalizers.as_deref().unwrap_or_default();
        let mut ours = entries.iter().filter(|entry| self.is_ours(entry));
        ours.next() == Some(&self.present) && ours.next().is_none()
    }

    /// Adds what is missing of finalizer and identity; former entries give way to the present one. The list is tested as
    /// a whole, so a concurrent change of it makes the patch fail instead of being overwritten.
    pub(crate) fn adopt(&self, meta: &ObjectMeta, identity: &Identity) -> Vec<Operation> {
        let mut patch = vec![test_uid(meta)];
        if !self.is_complete(meta) {
            let old = meta.finalizers.as_ref().filter(|list| !list.is_empty());
            let foreign = old.into_iter().flatten();
            let mut new: Vec<_> = foreign.filter(|entry| !self.is_ours(entry)).collect();
            new.push(&self.present);
            patch.extend(swap("/metadata/finalizers", json!(old), json!(new)));
        }
        patch.extend(write_identity(meta, identity));
        patch
    }

    /// Takes our entries off the list, and no other.
    pub(crate) fn release(&self, meta: &ObjectMeta) -> Option<Vec<Operation>> {
        let mut patch = vec![test_uid(meta)];
        let entries = meta.finalizers.as_deref().unwrap_or_default();
        // From the end, so that the indices before stay what they are.
        for (index, entry) in entries.iter().enumerate().rev() {
            if self.is_ours(entry) || mutated(Mutant::OwnFinalizer) {
                let path = format!("/metadata/finalizers/{index}");
                patch.push(Operation::Test {
                    path: path.clone().into(),
                    value: json!(entry),
                });
                patch.push(Operation::Remove { path: path.into() });
            }
        }
        (patch.len() > 1).then_some(patch)
    }
}

/// Replaces the identity by `next`, tested on the old one.
pub(crate) fn next_attempt(meta: &ObjectMeta, next: &Identity) -> Vec<Operation> {
    let mut patch = vec![test_uid(meta)];
    patch.extend(write_identity(meta, next));
    patch
}

fn write_identity(meta: &ObjectMeta, identity: &Identity) -> Vec<Operation> {
    let text = identity.to_text();
    let annotations = meta.annotations.as_ref().filter(|map| !map.is_empty());
    let Some(annotations) = annotations else {
        let new = json!({IDENTITY_ANNOTATION: text});
        return swap("/metadata/annotations", Value::Null, new).into();
    };
    match annotations.get(IDENTITY_ANNOTATION) {
        Some(old) if *old == text => Vec::new(),
        old => {
            let path = format!("/metadata/annotations/{}", escaped(IDENTITY_ANNOTATION));
            swap(path, json!(old), text.into()).into()
        }
    }
}
