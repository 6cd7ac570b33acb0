//! Changes of the owner's own labels, annotations and finalizers.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde_json::{Value, json};

use crate::mutant::{Mutant, mutated};
use crate::{
    children::scope::ChildScope,
    engine::{
        api::{ObjectApi, Part, Patched},
        key::ObjectKey,
        predicate::ANNOTATION_PREFIX,
    },
    error::{Error, Result},
};

/// How often a change is computed anew after somebody else wrote first.
const RACES: usize = 5;

/// Applies `change` to the metadata, read anew as often as others write first. Sends nothing if nothing changes.
pub(super) async fn update<K>(
    api: &ObjectApi<K>,
    scope: &ChildScope,
    finalizer: &str,
    mut meta: ObjectMeta,
    mut change: impl FnMut(&mut ObjectMeta),
) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + serde::de::DeserializeOwned,
{
    let (key, uid) = (ObjectKey::of(&meta), meta.uid.clone());
    for _ in 0..RACES {
        let mut wanted = meta.clone();
        change(&mut wanted);
        let operations = operations(&meta, &wanted, finalizer)?;
        if operations.is_empty() {
            return Ok(());
        }
        let mut patch = vec![
            json!({"op": "test", "path": "/metadata/uid", "value": meta.uid}),
            json!({"op": "test", "path": "/metadata/resourceVersion", "value": meta.resource_version}),
        ];
        if mutated(Mutant::MetadataVersion) {
            patch.pop();
        }
        patch.extend(operations);
        match api.patch(&key, Part::Main, &patch).await {
            Patched::Done(envelope) => {
                let mut notes = scope.notes();
                notes.version = notes.version.max(envelope.version());
                return Ok(());
            }
            // The tests name the version: somebody else wrote in between.
            Patched::TestFailed => match api.get(&key).await? {
                Some(envelope) if envelope.meta().uid == uid => meta = envelope.meta().clone(),
                _ => return Err(gone(&key)),
            },
            Patched::Gone => return Err(gone(&key)),
            Patched::Refused(message) => {
                return Err(Error::msg(format!(
                    "the server refuses the metadata of {key}: {message}"
                )));
            }
            Patched::Failed(kube::Error::Api(status)) if status.code == 409 => {
                match api.get(&key).await? {
                    Some(envelope) if envelope.meta().uid == uid => meta = envelope.meta().clone(),
                    _ => return Err(gone(&key)),
                }
            }
            Patched::Failed(error) => return Err(error.into()),
        }
    }
    Err(Error::msg(format!(
        "others keep changing {key} while its metadata is written"
    )))
}

fn gone(key: &ObjectKey) -> Error {
    Error::msg(format!("{key} is gone: its metadata cannot be written"))
}

type Map = BTreeMap<String, String>;

fn operations(meta: &ObjectMeta, wanted: &ObjectMeta, finalizer: &str) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    replace(
        &mut all,
        "/metadata/labels",
        meta.labels.as_ref(),
        wanted.labels.as_ref(),
    );
    let ours = |map: Option<&Map>| -> Map {
        let all = map.into_iter().flatten();
        all.filter(|(name, _)| name.starts_with(ANNOTATION_PREFIX))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    };
    if ours(meta.annotations.as_ref()) != ours(wanted.annotations.as_ref()) {
        let message = "the annotations under opgen.dev/ belong to the runtime and to administrators: `update_metadata` may not change them";
        return Err(Error::msg(message).permanent());
    }
    replace(
        &mut all,
        "/metadata/annotations",
        meta.annotations.as_ref(),
        wanted.annotations.as_ref(),
    );
    let holds = |meta: &ObjectMeta| meta.finalizers.iter().flatten().any(|one| one == finalizer);
    if holds(meta) != holds(wanted) {
        let message = format!(
            "the finalizer {finalizer} belongs to the runtime: `update_metadata` may not change it"
        );
        return Err(Error::msg(message).permanent());
    }
    replace(
        &mut all,
        "/metadata/finalizers",
        meta.finalizers.as_ref(),
        wanted.finalizers.as_ref(),
    );
    Ok(all)
}

/// The whole field at once: the version was tested, so nothing of anybody's is lost.
fn replace<T: serde::Serialize + PartialEq + Default>(
    all: &mut Vec<Value>,
    path: &str,
    old: Option<&T>,
    new: Option<&T>,
) {
    let empty = T::default();
    let (old, new) = (old.unwrap_or(&empty), new.unwrap_or(&empty));
    if old == new {
        return;
    }
    if *new == empty {
        all.push(json!({"op": "remove", "path": path}));
    } else {
        all.push(json!({"op": "add", "path": path, "value": new}));
    }
}
