//! The children of the objects: found by their owner references, deleted and edited as users do.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};

use crate::{
    oracle::{self, Violation},
    process::reference,
    world::World,
};

/// How long healing may take, in virtual time: the longest backoff, twice.
const HEALING: Duration = Duration::from_secs(600);

/// All children of all objects, in the order of kind, namespace and name.
pub(crate) fn all<P>(world: &World<P>) -> Vec<Value> {
    let mut log = world.cluster.log().entries();
    log.retain(|entry| oracle::is_ours(world, entry) && entry.committed);
    let resources: BTreeSet<_> = log.iter().map(oracle::resource).collect();
    let list = |resource: &String| {
        let items = world.cluster.list_raw(resource, "").unwrap_or_default();
        // The items of a list do not say what they are.
        let whole = items.into_iter().filter_map(|item| {
            let (_, namespace, name) = reference(&item);
            world.cluster.get_raw(resource, &namespace, &name).ok()
        });
        whole.collect::<Vec<_>>()
    };
    let mut found: Vec<_> = resources.iter().flat_map(list).collect();
    let mut owners: BTreeSet<String> = found.iter().map(uid).collect();
    owners.remove("");
    found.retain(|object| {
        let references = object.pointer("/metadata/ownerReferences");
        let references = references.and_then(Value::as_array);
        references
            .into_iter()
            .flatten()
            .any(|owner| owners.contains(owner["uid"].as_str().unwrap_or_default()))
    });
    found.sort_by_key(reference);
    found
}

fn uid(object: &Value) -> String {
    let uid = object.pointer("/metadata/uid").and_then(Value::as_str);
    uid.unwrap_or_default().to_owned()
}

/// What the children are called.
pub(crate) fn names<P>(world: &World<P>) -> Vec<String> {
    all(world).iter().map(name).collect()
}

fn name(child: &Value) -> String {
    let (kind, namespace, name) = reference(child);
    format!("{kind} {namespace}/{name}")
}

fn nth<P>(world: &World<P>, child: usize) -> Result<Value, Violation> {
    let mut all = all(world);
    if child == 0 || child > all.len() {
        return Err(Violation::NoSuchMoment(format!(
            "there is no child {child}: there are {}",
            all.len()
        )));
    }
    Ok(all.swap_remove(child - 1))
}

/// Waits until `holds` of the child as it is now.
async fn heals<P>(
    world: &World<P>,
    child: &Value,
    what: &str,
    holds: impl Fn(&Value) -> bool,
) -> Result<(), Violation> {
    let healed = async {
        while !world.get(child).is_some_and(|found| holds(&found)) {
            world.advance(Duration::from_secs(1)).await;
        }
    };
    if tokio::time::timeout(HEALING, healed).await.is_err() {
        return Err(Violation::NotHealed(format!("{}: {what}", name(child))));
    }
    Ok(())
}

/// Deletes the n-th child, and waits until there is another one in its place.
pub(crate) async fn delete<P>(world: &World<P>, child: usize) -> Result<(), Violation> {
    let child = nth(world, child)?;
    world.delete(&child);
    let old = uid(&child);
    heals(world, &child, "deleted by a user", |found| {
        uid(found) != old && found.pointer("/metadata/deletionTimestamp").is_none()
    })
    .await
}

/// Edits a field of the n-th child that the operator has set, and waits until it is as it was.
pub(crate) async fn edit<P>(world: &World<P>, child: usize) -> Result<(), Violation> {
    let child = nth(world, child)?;
    let (kind, namespace, called) = reference(&child);
    for pointer in set_fields(&child) {
        let Some(before) = child.pointer(&pointer).cloned() else {
            continue;
        };
        let Some(other) = another(&before) else {
            continue;
        };
        let patch = merge_patch(&pointer, other);
        let edited = world
            .cluster
            .patch_raw(&kind, &namespace, &called, "", &patch);
        // A field that may not change, or not to that: the next one.
        if !edited.is_ok_and(|edited| edited.pointer(&pointer) != Some(&before)) {
            continue;
        }
        let what = format!("{pointer} edited by a user");
        return heals(world, &child, &what, |found| {
            found.pointer(&pointer) == Some(&before)
        })
        .await;
    }
    Err(Violation::NoSuchMoment(format!(
        "{} has no field that the operator has set and a user can edit",
        name(&child)
    )))
}

/// Pointers to the fields outside of the metadata that appliers have set: through objects only, since a merge patch
/// replaces lists.
fn set_fields(child: &Value) -> Vec<String> {
    let managers = child.pointer("/metadata/managedFields");
    let mut found = BTreeSet::new();
    for manager in managers.and_then(Value::as_array).into_iter().flatten() {
        if manager["operation"] == "Apply" && manager.get("subresource").is_none() {
            leaves(&manager["fieldsV1"], "", &mut found);
        }
    }
    found.retain(|pointer: &String| !pointer.starts_with("/metadata/"));
    found.into_iter().collect()
}

fn leaves(fields: &Value, at: &str, found: &mut BTreeSet<String>) {
    let Some(fields) = fields.as_object().filter(|fields| !fields.is_empty()) else {
        found.insert(at.to_owned());
        return;
    };
    for (key, below) in fields {
        if let Some(field) = key.strip_prefix("f:") {
            let field = field.replace('~', "~0").replace('/', "~1");
            leaves(below, &format!("{at}/{field}"), found);
        }
    }
}

/// Another value of the same type.
fn another(value: &Value) -> Option<Value> {
    Some(match value {
        Value::String(text) => json!(format!("{text}x")),
        Value::Number(number) => json!(number.as_i64()? + 1),
        Value::Bool(is) => json!(!is),
        _ => return None,
    })
}

fn merge_patch(pointer: &str, value: Value) -> Value {
    pointer
        .split('/')
        .skip(1)
        .map(|token| token.replace("~1", "/").replace("~0", "~"))
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .fold(value, |value, key| json!({ key: value }))
}
