//! What the server fills into a definition.

use serde_json::{Value, json};

/// The finalizer that holds a definition until its instances are gone.
pub const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Singular, listKind, conversion, the port of a conversion webhook.
pub fn default(definition: &mut Value) {
    let spec = &mut definition["spec"];
    let Some(kind) = spec["names"]["kind"].as_str().map(str::to_owned) else {
        return;
    };
    fill_text(&mut spec["names"]["singular"], &kind.to_lowercase());
    if !kind.is_empty() {
        fill_text(&mut spec["names"]["listKind"], &format!("{kind}List"));
    }
    if spec["conversion"].is_null() {
        spec["conversion"] = json!({ "strategy": "None" });
    }
    if spec["preserveUnknownFields"] == false
        && let Some(map) = spec.as_object_mut()
    {
        map.remove("preserveUnknownFields");
    }
    fill_version_defaults(spec);
}

fn fill_text(field: &mut Value, text: &str) {
    if field.as_str().is_none_or(str::is_empty) {
        *field = json!(text);
    }
}

/// A subresource without content is an object; a column has a priority only if it is not 0.
fn fill_version_defaults(spec: &mut Value) {
    for version in spec["versions"].as_array_mut().into_iter().flatten() {
        let columns = version
            .get_mut("additionalPrinterColumns")
            .and_then(Value::as_array_mut);
        for column in columns.into_iter().flatten() {
            if column["priority"] == 0
                && let Some(map) = column.as_object_mut()
            {
                map.remove("priority");
            }
        }
    }
}

/// The status of a new definition: nothing accepted yet, stored in the storage version.
pub fn prepare_create(definition: &mut Value) {
    let stored = storage_versions(definition).first().cloned();
    definition["status"] = json!({
        "conditions": null,
        "acceptedNames": { "plural": "", "kind": "" },
        "storedVersions": stored.into_iter().collect::<Vec<_>>(),
    });
}

/// On an update of the definition its status stays; a new storage version is noted in it. On an update of the status
/// everything else stays.
pub fn prepare_update(definition: &mut Value, old: &Value, subresource: &str) {
    if subresource == "status" {
        definition["spec"] = old["spec"].clone();
        return;
    }
    definition["status"] = old["status"].clone();
    for version in storage_versions(definition) {
        if let Some(stored) = definition["status"]["storedVersions"].as_array_mut()
            && !stored.iter().any(|name| *name == version)
        {
            stored.push(json!(version));
        }
    }
}

/// The versions marked for storage: one, in a valid definition.
pub(super) fn storage_versions(definition: &Value) -> Vec<String> {
    let versions = definition["spec"]["versions"]
        .as_array()
        .into_iter()
        .flatten();
    let storage = versions.filter(|version| version["storage"] == true);
    storage
        .filter_map(|version| version["name"].as_str().map(str::to_owned))
        .collect()
}

/// Sets the condition `Terminating` and the finalizer, as the deletion of a definition does; `now` is RFC 3339.
pub fn mark_terminating(definition: &mut Value, now: &str) {
    let finalizers = &mut definition["metadata"]["finalizers"];
    match finalizers.as_array_mut() {
        Some(list) if list.iter().any(|name| *name == FINALIZER) => {}
        Some(list) => list.push(json!(FINALIZER)),
        None => *finalizers = json!([FINALIZER]),
    }
    let condition = json!({
        "type": "Terminating",
        "status": "True",
        "lastTransitionTime": now,
        "reason": "InstanceDeletionPending",
        "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    });
    set_condition(&mut definition["status"], condition);
}

/// Puts a condition into a status; its transition time stays unless its status changes.
pub(super) fn set_condition(status: &mut Value, mut condition: Value) {
    if !status["conditions"].is_array() {
        status["conditions"] = json!([]);
    }
    let Some(list) = status["conditions"].as_array_mut() else {
        return;
    };
    match list
        .iter_mut()
        .find(|existing| existing["type"] == condition["type"])
    {
        Some(existing) => {
            if existing["status"] == condition["status"] {
                condition["lastTransitionTime"] = existing["lastTransitionTime"].clone();
            }
            *existing = condition;
        }
        None => list.push(condition),
    }
}
