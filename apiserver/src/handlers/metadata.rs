//! Validation of `metadata`, in the words of the API machinery.

use serde_json::{Map, Value};

use crate::error::Cause;
use crate::names;
use crate::object;
use crate::resource::Resource;

const ANNOTATION_LIMIT: usize = 256 * 1024;

/// What is wrong with the metadata of a new object.
pub(super) fn validate(resource: &Resource, new: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let name = object::meta(new, "name");
    let generated = object::meta(new, "generateName");
    if !generated.is_empty() {
        let masked = format!("{}a", generated.trim_end_matches('-'));
        for why in resource.name_rule().check(&masked) {
            causes.push(Cause::invalid(
                "metadata.generateName",
                &generated.into(),
                &why,
            ));
        }
    }
    if name.is_empty() {
        causes.push(Cause::required(
            "metadata.name",
            "name or generateName is required",
        ));
    } else {
        for why in resource.name_rule().check(name) {
            causes.push(Cause::invalid("metadata.name", &name.into(), &why));
        }
    }
    common(new, &mut causes);
    causes
}

/// What is wrong with the metadata of an object that replaces another.
pub(super) fn validate_update(old: &Value, new: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    common(new, &mut causes);
    let other_uid = object::meta(old, "uid") != object::meta(new, "uid");
    let found = [
        other_uid.then(|| immutable(new, "uid")),
        new_finalizers(old, new),
    ];
    // Twice, as the real server has it: the metadata is validated by two layers.
    causes.extend(found.iter().flatten().cloned());
    causes.extend(found.into_iter().flatten());
    causes
}

/// A field of the metadata that only the server sets.
pub(super) fn immutable(new: &Value, field: &str) -> Cause {
    Cause::invalid(
        &format!("metadata.{field}"),
        &new["metadata"][field],
        "field is immutable",
    )
}

fn new_finalizers(old: &Value, new: &Value) -> Option<Cause> {
    if !object::is_terminating(old) {
        return None;
    }
    let known = object::finalizers(old);
    let mut added: Vec<&str> = object::finalizers(new)
        .into_iter()
        .filter(|f| !known.contains(f))
        .collect();
    added.sort_unstable();
    if added.is_empty() {
        return None;
    }
    let list: Vec<String> = added.iter().map(|f| format!("{f:?}")).collect();
    Some(Cause::forbidden(
        "metadata.finalizers",
        &format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            list.join(", ")
        ),
    ))
}

fn common(new: &Value, causes: &mut Vec<Cause>) {
    let metadata = &new["metadata"];
    if let Some(labels) = metadata["labels"].as_object() {
        validate_labels(labels, causes);
    }
    if let Some(annotations) = metadata["annotations"].as_object() {
        validate_annotations(annotations, causes);
    }
    validate_owners(&metadata["ownerReferences"], causes);
    for finalizer in object::finalizers(new) {
        if let Some(why) = names::qualified_name(finalizer) {
            causes.push(Cause::invalid(
                "metadata.finalizers",
                &finalizer.into(),
                &why,
            ));
        }
    }
}

fn validate_labels(labels: &Map<String, Value>, causes: &mut Vec<Cause>) {
    for (key, value) in labels {
        if let Some(why) = names::qualified_name(key) {
            causes.push(Cause::invalid(
                "metadata.labels",
                &key.as_str().into(),
                &why,
            ));
        }
        if let Some(why) = value.as_str().and_then(names::label_value) {
            causes.push(Cause::invalid("metadata.labels", value, &why));
        }
    }
}

fn validate_annotations(annotations: &Map<String, Value>, causes: &mut Vec<Cause>) {
    let mut size = 0;
    for (key, value) in annotations {
        if let Some(why) = names::qualified_name(&key.to_lowercase()) {
            causes.push(Cause::invalid(
                "metadata.annotations",
                &key.as_str().into(),
                &why,
            ));
        }
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > ANNOTATION_LIMIT {
        causes.push(Cause::new(
            "FieldValueTooLong",
            "metadata.annotations",
            format!("Too long: may not be more than {ANNOTATION_LIMIT} bytes"),
        ));
    }
}

fn validate_owners(owners: &Value, causes: &mut Vec<Cause>) {
    let Some(list) = owners.as_array() else {
        return;
    };
    let mut controller: Option<String> = None;
    for owner in list {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if owner[field].as_str().unwrap_or_default().is_empty() {
                causes.push(Cause::invalid(
                    &format!("metadata.ownerReferences.{field}"),
                    &"".into(),
                    if field == "apiVersion" {
                        "version must not be empty"
                    } else {
                        "must not be empty"
                    },
                ));
            }
        }
        if owner["controller"] != true {
            continue;
        }
        let this = format!(
            "{}/{}",
            owner["kind"].as_str().unwrap_or_default(),
            owner["name"].as_str().unwrap_or_default()
        );
        match &controller {
            None => controller = Some(this),
            Some(first) => causes.push(Cause::new(
                "FieldValueInvalid",
                "metadata.ownerReferences",
                format!(
                    "Invalid value: {}: Only one reference can have Controller set to true. Found \"true\" in references for {first} and {this}",
                    owners_text(list)
                ),
            )),
        }
    }
}

/// Owner references in the field order of the Go type.
fn owners_text(list: &[Value]) -> String {
    let fields = [
        "apiVersion",
        "kind",
        "name",
        "uid",
        "controller",
        "blockOwnerDeletion",
    ];
    let items: Vec<String> = list
        .iter()
        .map(|owner| {
            let parts: Vec<String> = fields
                .iter()
                .filter_map(|field| Some(format!("\"{field}\":{}", owner.get(*field)?)))
                .collect();
            format!("{{{}}}", parts.join(","))
        })
        .collect();
    format!("[{}]", items.join(","))
}

/// Warnings about metadata that is legal but unwise.
pub(super) fn warnings(new: &Value) -> Vec<String> {
    object::finalizers(new)
        .into_iter()
        .filter(|f| !f.contains('/') && !matches!(*f, "orphan" | "foregroundDeletion" | "kubernetes"))
        .map(|f| {
            format!(
                "metadata.finalizers: {f:?}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
            )
        })
        .collect()
}
