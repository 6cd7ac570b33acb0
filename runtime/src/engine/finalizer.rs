//! Our finalizer and the identity beside it: written in one patch, before any handler may touch the outside.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use crate::identity::{IDENTITY_ANNOTATION, Identity};

/// `~` and `/` as a JSON pointer wants them.
fn escaped(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// Whether our finalizer stands on the object.
pub(crate) fn is_held(meta: &ObjectMeta, finalizer: &str) -> bool {
    meta.finalizers
        .iter()
        .flatten()
        .any(|entry| entry == finalizer)
}

/// The identity on the object, if it is its own: a copied manifest carries a foreign one.
pub(crate) fn identity_of(meta: &ObjectMeta) -> Option<Identity> {
    let text = meta.annotations.as_ref()?.get(IDENTITY_ANNOTATION)?;
    let identity = Identity::parse(text)?;
    identity
        .belongs_to(
            meta.namespace.as_deref(),
            meta.name.as_deref().unwrap_or_default(),
        )
        .then_some(identity)
}

fn test_uid(meta: &ObjectMeta) -> Value {
    json!({"op": "test", "path": "/metadata/uid", "value": meta.uid})
}

/// Adds what is missing of finalizer and identity. The list is tested as a whole, so a concurrent change of it makes
/// the patch fail instead of being overwritten.
pub(crate) fn adopt(meta: &ObjectMeta, finalizer: &str, identity: &Identity) -> Vec<Value> {
    let mut patch = vec![test_uid(meta)];
    if !is_held(meta, finalizer) {
        match meta.finalizers.as_deref() {
            None | Some([]) => {
                patch.push(json!({"op": "test", "path": "/metadata/finalizers", "value": null}));
                patch.push(
                    json!({"op": "add", "path": "/metadata/finalizers", "value": [finalizer]}),
                );
            }
            Some(list) => {
                patch.push(json!({"op": "test", "path": "/metadata/finalizers", "value": list}));
                patch.push(
                    json!({"op": "add", "path": "/metadata/finalizers/-", "value": finalizer}),
                );
            }
        }
    }
    patch.extend(write_identity(meta, identity));
    patch
}

/// Replaces the identity by `next`, tested on the old one.
pub(crate) fn next_attempt(meta: &ObjectMeta, next: &Identity) -> Vec<Value> {
    let mut patch = vec![test_uid(meta)];
    patch.extend(write_identity(meta, next));
    patch
}

fn write_identity(meta: &ObjectMeta, identity: &Identity) -> Vec<Value> {
    let annotations = meta.annotations.as_ref().filter(|map| !map.is_empty());
    let Some(annotations) = annotations else {
        return vec![
            json!({"op": "test", "path": "/metadata/annotations", "value": null}),
            json!({"op": "add", "path": "/metadata/annotations", "value": {IDENTITY_ANNOTATION: identity.to_text()}}),
        ];
    };
    let path = format!("/metadata/annotations/{}", escaped(IDENTITY_ANNOTATION));
    let text = identity.to_text();
    match annotations.get(IDENTITY_ANNOTATION) {
        Some(old) if *old == text => Vec::new(),
        old => vec![
            json!({"op": "test", "path": path, "value": old}),
            json!({"op": "add", "path": path, "value": text}),
        ],
    }
}

/// Takes our entry off the list, and no other.
pub(crate) fn release(meta: &ObjectMeta, finalizer: &str) -> Option<Vec<Value>> {
    let index = meta
        .finalizers
        .as_ref()?
        .iter()
        .position(|entry| entry == finalizer)?;
    let path = format!("/metadata/finalizers/{index}");
    Some(vec![
        test_uid(meta),
        json!({"op": "test", "path": path, "value": finalizer}),
        json!({"op": "remove", "path": path}),
    ])
}
