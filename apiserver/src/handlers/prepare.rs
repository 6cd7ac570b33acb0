//! What the server sets itself before an object is stored, per kind.

use serde_json::{Map, Value, json};

use crate::object;
use crate::resource::Resource;

/// The part of an object that a request may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Everything but what its subresources own.
    Main,
    Status,
    /// The `finalize` subresource of namespaces.
    Finalize,
}

/// Takes away what only the server sets.
pub(super) fn wipe(resource: &Resource, new: &mut Value, namespace: &str) {
    let metadata = object::meta_mut(new);
    for field in ["uid", "creationTimestamp", "resourceVersion"] {
        metadata.remove(field);
    }
    for field in [
        "selfLink",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
    ] {
        metadata.remove(field);
    }
    if resource.namespaced {
        metadata.insert("namespace".into(), namespace.into());
    } else {
        metadata.remove("namespace");
    }
    if resource.status && resource.is_custom() {
        object::top(new).remove("status");
    }
}

/// Server-owned fields of a new object, with a uid and the suffix of a generated name.
pub(super) fn for_create(
    time: String,
    resource: &Resource,
    new: &mut Value,
    namespace: &str,
    (uid, suffix): (String, String),
) {
    wipe(resource, new, namespace);
    let metadata = object::meta_mut(new);
    metadata.insert("uid".into(), uid.into());
    metadata.insert("creationTimestamp".into(), time.into());
    if resource.has_generation() {
        metadata.insert("generation".into(), 1.into());
    }
    let name = metadata
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if name.is_empty()
        && let Some(prefix) = metadata.get("generateName").and_then(Value::as_str)
    {
        let prefix: String = prefix.chars().take(248).collect();
        let name = format!("{prefix}{suffix}");
        metadata.insert("name".into(), name.into());
    }
    resource.model.prepare_create(new);
    if resource.kind == "Namespace" && !resource.is_custom() {
        name_label(new);
    }
}

/// Namespaces always carry their name as a label.
fn name_label(namespace: &mut Value) {
    let name = object::meta(namespace, "name").to_owned();
    let labels = object::meta_mut(namespace)
        .entry("labels")
        .or_insert_with(|| json!({}));
    object::top(labels).insert("kubernetes.io/metadata.name".into(), name.into());
}

/// Server-owned fields of an object that replaces `old`; both in the same version.
pub(super) fn for_update(
    resource: &Resource,
    part: Part,
    old: &Value,
    new: &mut Value,
    subresource: &str,
) {
    resource.model.prepare_update(new, old, subresource);
    match part {
        Part::Status => {
            restore(old, object::top(new), &["metadata", "status"]);
            let (before, metadata) = (&old["metadata"], object::meta_mut(new));
            restore(before, metadata, &["managedFields"]);
            if let (None, Some(managed)) =
                (metadata.get("managedFields"), before.get("managedFields"))
            {
                metadata.insert("managedFields".into(), managed.clone());
            }
        }
        Part::Finalize => {
            let finalizers = new["spec"]["finalizers"].take();
            let managed = object::meta_mut(new).remove("managedFields");
            let mut kept = old.clone();
            let spec = object::top(&mut kept)
                .entry("spec")
                .or_insert_with(|| json!({}));
            match finalizers {
                Value::Array(list) if !list.is_empty() => {
                    object::top(spec).insert("finalizers".into(), list.into());
                }
                _ => {
                    object::top(spec).remove("finalizers");
                }
            }
            if let Some(managed) = managed {
                object::meta_mut(&mut kept).insert("managedFields".into(), managed);
            }
            *new = kept;
        }
        Part::Main => {
            keep_metadata(old, new);
            if resource.status || resource.kind == "Namespace" {
                set_or_remove(new, "status", old.get("status").cloned());
            }
            if resource.kind == "Namespace" {
                set_or_remove(new, "spec", old.get("spec").cloned());
                name_label(new);
            }
            if resource.has_generation() && changes_generation(resource, old, new) {
                object::meta_mut(new)
                    .insert("generation".into(), (object::generation(old) + 1).into());
            }
        }
    }
}

/// Undoes the changes of all fields but these. What did not change, which is most, is not copied.
fn restore(old: &Value, new: &mut Map<String, Value>, but: &[&str]) {
    new.retain(|name, _| but.contains(&name.as_str()) || old.get(name).is_some());
    for (name, value) in old.as_object().into_iter().flatten() {
        if !but.contains(&name.as_str()) && new.get(name) != Some(value) {
            new.insert(name.clone(), value.clone());
        }
    }
}

fn changes_generation(resource: &Resource, old: &Value, new: &Value) -> bool {
    if resource.is_custom()
        || resource.kind == "Deployment"
            && old["metadata"]["annotations"] == new["metadata"]["annotations"]
    {
        return object::content_differs(old, new, resource.status);
    }
    if resource.kind == "Deployment" {
        // Deployments count a change of their annotations, too.
        return true;
    }
    old["spec"] != new["spec"]
}

fn keep_metadata(old: &Value, new: &mut Value) {
    let (before, metadata) = (&old["metadata"], object::meta_mut(new));
    metadata.remove("selfLink");
    for field in [
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "namespace",
        "name",
        "generateName",
        "resourceVersion",
    ] {
        match before.get(field) {
            Some(value) if metadata.get(field) == Some(value) => None,
            Some(value) => metadata.insert(field.into(), value.clone()),
            None => metadata.remove(field),
        };
    }
    if !metadata.contains_key("uid")
        && let Some(uid) = before.get("uid")
    {
        metadata.insert("uid".into(), uid.clone());
    }
}

pub(super) fn set_or_remove(target: &mut Value, field: &str, value: Option<Value>) {
    match value {
        Some(value) => {
            object::top(target).insert(field.into(), value);
        }
        None => {
            object::top(target).remove(field);
        }
    }
}
