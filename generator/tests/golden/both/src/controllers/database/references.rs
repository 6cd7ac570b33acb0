//! What a `Database` refers to. The runtime keeps an index from these names to the objects: a change of one wakes
//! whoever refers to it, and no run reads anything from the server.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Secret;
use opgen_runtime::prelude::*;
use serde::Serialize;

use super::DatabasePhase;
use crate::api::Database;

/// The Secret that `spec.secretRef` names.
pub(super) fn secret(object: &Database) -> Vec<ObjectRef> {
    let to = object.spec.secret_ref.iter();
    to.map(|to| ObjectRef::new(to.name.as_str())).collect()
}

/// What is referred to and does not exist, in words.
pub(super) fn missing<P>(cx: &Cx<'_, P>) -> Result<Option<String>>
where
    P: Phase<Machine = DatabasePhase>,
{
    let spec = &cx.object.spec;
    if let Some(to) = &spec.secret_ref
        && cx
            .related::<Secret>(ObjectRef::new(to.name.as_str()))?
            .is_none()
    {
        return Ok(Some(format!("Secret {} does not exist", to.name)));
    }
    Ok(None)
}

/// The content of each as a short text that changes with it, for what has to start anew then.
pub(super) fn versions<P>(cx: &Cx<'_, P>) -> Result<BTreeMap<String, String>>
where
    P: Phase<Machine = DatabasePhase>,
{
    let spec = &cx.object.spec;
    let mut versions = BTreeMap::new();
    if let Some(to) = &spec.secret_ref
        && let Some(found) = cx.related::<Secret>(ObjectRef::new(to.name.as_str()))?
    {
        versions.insert(
            "db.example.com/secret-version".to_owned(),
            digest(&found.data)?,
        );
    }
    Ok(versions)
}

/// FNV-1a: the same in every build, which the standard library's hashes need not be.
fn digest(content: &impl Serialize) -> Result<String> {
    let bytes = serde_json::to_vec(content)?;
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, mix);
    Ok(format!("{hash:016x}"))
}
