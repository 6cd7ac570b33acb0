//! Removes from the merged object what a manager no longer applies and nobody else owns.

use serde_json::Value;

use super::element::same_value;
use super::entries;
use super::set::FieldSet;
use super::types::TypeRef;
use super::{Schemas, check, fields, removal};
use crate::schema::Schema;

/// The versions at play.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) schema: &'a Schema,
    pub(super) api_version: &'a str,
    pub(super) versions: Option<&'a dyn Schemas>,
}

impl<'a> Context<'a> {
    /// The schema of `api_version`; `None` if that version is not served.
    pub(super) fn schema_of(&self, api_version: &str) -> Option<&'a Schema> {
        match self.versions {
            Some(versions) if api_version != self.api_version => versions.schema(api_version),
            _ => Some(self.schema),
        }
    }

    /// Fails if the object does not fit the schema of another version, as a conversion in the real server does.
    pub(super) fn convert(
        &self,
        object: &Value,
        api_version: &str,
        schema: &Schema,
    ) -> Result<(), String> {
        if api_version == self.api_version || self.versions.is_none() {
            return Ok(());
        }
        check::problems(TypeRef::Object(schema), object).map_or(Ok(()), Err)
    }
}

/// The set that a manager applied last time, and in which version.
pub(super) struct Last<'a> {
    pub(super) fields: FieldSet,
    pub(super) api_version: &'a str,
}

/// The merged object without what `last` has, unless an entry of `managers` (the new set of the applier is one of
/// them) has it too.
pub(super) fn prune(
    context: Context<'_>,
    merged: Value,
    last: &Last<'_>,
    managers: &[(&str, FieldSet)],
) -> Result<Value, String> {
    let Some(schema) = context
        .schema_of(last.api_version)
        .filter(|_| !last.fields.is_empty())
    else {
        return Ok(merged);
    };
    let kind = TypeRef::Object(schema);
    context
        .convert(&merged, last.api_version, schema)
        .map_err(|text| {
            format!("failed to convert merged object to last applied version: {text}")
        })?;
    let last_fields = fields::with_parents(kind, &last.fields);
    let mut pruned = removal::remove(kind, merged.clone(), &last_fields);
    if same_value(&pruned, &merged) {
        return Ok(merged);
    }
    for (api_version, owned) in by_version(managers, last.api_version) {
        let Some(schema) = context.schema_of(api_version) else {
            continue;
        };
        context.convert(&merged, api_version, schema).map_err(|text| {
            format!("failed add back owned items: failed to convert merged object at version {api_version}: {text}")
        })?;
        let kind = TypeRef::Object(schema);
        let keep = all(kind, &pruned).union(&fields::with_parents(kind, &owned));
        pruned = removal::remove(kind, merged.clone(), &all(kind, &merged).difference(&keep));
    }
    let gone = all(kind, &merged)
        .difference(&all(kind, &pruned))
        .intersection(&last_fields);
    Ok(removal::remove(kind, merged, &gone))
}

fn all(kind: TypeRef<'_>, value: &Value) -> FieldSet {
    fields::with_parents(kind, &fields::of_value(kind, value))
}

/// What is owned in each version, that of the last application first.
fn by_version<'a>(managers: &[(&'a str, FieldSet)], first: &str) -> Vec<(&'a str, FieldSet)> {
    let mut sets: Vec<(&str, FieldSet)> = Vec::new();
    for (api_version, owned) in managers {
        match sets.iter_mut().find(|(version, _)| version == api_version) {
            Some((_, set)) => *set = set.union(owned),
            None => sets.push((api_version, owned.clone())),
        }
    }
    sets.sort_by_key(|(version, _)| *version != first);
    sets
}

/// The sets of all entries with their versions.
pub(super) fn sets_of(entries: &[Value]) -> Result<Vec<(&str, FieldSet)>, String> {
    let read = |entry| Ok((entries::text(entry, "apiVersion"), entries::fields(entry)?));
    let sets: Result<Vec<_>, super::ParseError> = entries.iter().map(read).collect();
    sets.map_err(|error| format!("failed to decode managed fields: {error}"))
}
