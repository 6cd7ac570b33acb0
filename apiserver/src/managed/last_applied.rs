//! The passage from client-side to server-side apply.
//!
//! For the manager `kubectl` alone, fields that the annotation of client-side apply names, and that nobody changed
//! since, do not conflict; and the annotation, where there is one, follows each apply.

use serde_json::Value;

use super::apply::{ApplyError, ApplyOptions, merge_and_record};
use super::compare::Comparison;
use super::set::FieldSet;
use super::types::TypeRef;
use super::{check, entries, fields};
use crate::schema::Schema;

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The annotations of an object may have that many bytes in all.
const MAX_ANNOTATIONS: usize = 256 << 10;

pub(super) fn apply(
    schema: &Schema,
    live: Option<&Value>,
    config: &Value,
    options: &ApplyOptions<'_>,
) -> Result<Value, ApplyError> {
    let applied = merge_and_record(schema, live, config, options);
    if options.manager != "kubectl" {
        return applied;
    }
    let applied = match (applied, live) {
        (Err(ApplyError::Conflicts(mut conflicts)), Some(live)) => {
            if let Some(allowed) = allowed(schema, live, options.api_version) {
                conflicts.retain(|conflict| !allowed.has(&conflict.path));
            }
            if !conflicts.is_empty() {
                return Err(ApplyError::Conflicts(conflicts));
            }
            merge_and_record(
                schema,
                Some(live),
                config,
                &ApplyOptions {
                    force: true,
                    ..*options
                },
            )
        }
        (applied, _) => applied,
    };
    applied.map(|object| with_annotation(object, config))
}

fn annotation(object: &Value) -> Option<&str> {
    let text = object
        .get("metadata")?
        .get("annotations")?
        .get(ANNOTATION)?
        .as_str()?;
    Some(text).filter(|text| !text.is_empty())
}

/// The fields of the annotation whose values the live object still has.
fn allowed(schema: &Schema, live: &Value, api_version: &str) -> Option<FieldSet> {
    let last: Value = serde_json::from_str(annotation(live)?).ok()?;
    let kind = TypeRef::Object(schema);
    if entries::text(&last, "apiVersion") != api_version || check::problems(kind, &last).is_some() {
        return None;
    }
    let changes = Comparison::of(kind, &last, live);
    let all = fields::of_value(kind, &last);
    Some(
        all.difference(&changes.modified)
            .difference(&changes.added)
            .difference(&changes.removed),
    )
}

/// The object with its annotation, if it has one, set to the configuration; an annotation too large goes.
fn with_annotation(mut object: Value, config: &Value) -> Value {
    if annotation(&object).is_none() {
        return object;
    }
    let mut config = config.clone();
    if let Some(annotations) = annotations(&mut config) {
        annotations.remove(ANNOTATION);
    }
    let text = format!("{config}\n");
    if let Some(annotations) = annotations(&mut object) {
        let size =
            |(name, value): (&String, &Value)| name.len() + value.as_str().map_or(0, str::len);
        let others: usize = annotations
            .iter()
            .filter(|(name, _)| *name != ANNOTATION)
            .map(size)
            .sum();
        if others + ANNOTATION.len() + text.len() > MAX_ANNOTATIONS {
            annotations.remove(ANNOTATION);
        } else {
            annotations.insert(ANNOTATION.to_owned(), text.into());
        }
    }
    object
}

fn annotations(object: &mut Value) -> Option<&mut serde_json::Map<String, Value>> {
    object
        .get_mut("metadata")?
        .get_mut("annotations")?
        .as_object_mut()
}
