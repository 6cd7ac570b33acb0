//! The record of creations, updates and patches.

use serde_json::{Map, Value};

use super::apply::Changes;
use super::element::same_value;
use super::entries::{self, Identity, Operation};
use super::prune::Context;
use super::set::FieldSet;
use super::{Reset, Schemas, meta, reconcile, zero};
use crate::schema::Schema;

/// Who writes, where and when.
#[derive(Clone, Copy)]
pub struct UpdateOptions<'a> {
    /// The field manager.
    pub manager: &'a str,
    /// `apiVersion` of the endpoint.
    pub api_version: &'a str,
    /// The subresource, or empty.
    pub subresource: &'a str,
    /// The time of the request, as RFC 3339 with seconds.
    pub now: &'a str,
    /// What the endpoint leaves alone.
    pub reset: Reset,
    /// The schemas of the resource's other versions; without, all versions are taken to be alike.
    pub versions: Option<&'a dyn Schemas>,
}

/// Records in `new.metadata.managedFields` who changed what against `old` (`None`: `new` is created).
///
/// Fields that changed move to this manager; what was removed, nobody owns. A request may set the field: an empty
/// list (or one empty entry) resets it, a valid one replaces it, an invalid one is ignored. An object without
/// entries stays without.
pub fn update(schema: &Schema, old: Option<&Value>, new: &mut Value, options: &UpdateOptions<'_>) {
    let sent = entries::take(new);
    let base = base(old, sent, options.subresource);
    if base.is_empty() && old.is_some() {
        // Never tracked, or reset: it is tracked again from its first apply on.
        return;
    }
    let zero;
    let before = match old {
        Some(old) => old,
        None => {
            zero = zero::object(entries::text(new, "apiVersion"), entries::text(new, "kind"));
            &zero
        }
    };
    let recorded = record(schema, before, new, base, options);
    entries::put(new, recorded);
}

/// The entries to start from. A subresource does not take them from the request.
fn base(old: Option<&Value>, sent: Option<Value>, subresource: &str) -> Vec<Value> {
    let present = old.map_or(&[][..], entries::of_object);
    match sent {
        Some(Value::Array(sent)) if sent.as_slice() == present => sent,
        Some(sent) if subresource.is_empty() && entries::is_reset(&sent) => Vec::new(),
        Some(Value::Array(sent)) if subresource.is_empty() && entries::are_valid(&sent) => sent,
        _ => present.to_vec(),
    }
}

/// The entries after the change from `old` to `new`.
pub(super) fn record(
    schema: &Schema,
    old: &Value,
    new: &Value,
    mut entries: Vec<Value>,
    options: &UpdateOptions<'_>,
) -> Vec<Value> {
    let context = Context {
        schema,
        api_version: options.api_version,
        versions: options.versions,
    };
    reconcile::with_schema(context, &mut entries);
    let mut changes = Changes::new(context, old, new, options.reset);
    let Some(comparison) = changes.at(options.api_version) else {
        return entries;
    };
    if comparison.is_empty() {
        return entries;
    }
    let me = Identity {
        manager: options.manager,
        operation: Operation::Update,
        api_version: options.api_version,
        subresource: options.subresource,
    };
    let mut mine = None;
    let mut key = String::new();
    entries.retain_mut(|entry| {
        if mine.is_none() && me.is_that_of(entry) {
            mine = Some(std::mem::take(entry));
            return false;
        }
        match changes.at(entries::text(entry, "apiVersion")) {
            Some(comparison) => lose(
                entry,
                [&comparison.added, &comparison.modified, &comparison.removed],
                &mut key,
            ),
            None => false,
        }
    });
    if let Some(comparison) = changes.into_at(options.api_version) {
        let gained = meta::strip(comparison.added.joined(comparison.modified));
        let removed = &comparison.removed;
        entries.extend(own_entry(me, mine, &gained, removed, options.now, &mut key));
    }
    entries::cap(&mut entries);
    entries::sort(&mut entries);
    entries
}

/// Takes what changed from an entry. `false`: nothing is left.
fn lose(entry: &mut Value, changed: [&FieldSet; 3], key: &mut String) -> bool {
    let Some(owned) = entry.get("fieldsV1") else {
        return false;
    };
    if !changed.iter().any(|set| set.meets(owned, key)) {
        return true;
    }
    let Ok(owned) = FieldSet::from_value(owned) else {
        return true;
    };
    let left = changed.iter().fold(owned, |left, set| left.difference(set));
    if left.is_empty() {
        return false;
    }
    entries::set_fields(entry, &left);
    true
}

/// The entry of the manager itself: it gains what it wrote, and its time moves if that is anything.
fn own_entry(
    me: Identity<'_>,
    mine: Option<Value>,
    gained: &FieldSet,
    removed: &FieldSet,
    now: &str,
    key: &mut String,
) -> Option<Value> {
    let mut entry = match mine {
        None if gained.is_empty() => return None,
        None => me.entry(gained),
        Some(mut entry) => {
            let owned = entry.get("fieldsV1").unwrap_or(&Value::Null);
            if removed.meets(owned, key) || !gained.is_within(owned, key) {
                let mut all = FieldSet::from_value(owned).unwrap_or_default();
                all.subtract(removed);
                let all = all.union(gained);
                if all.is_empty() {
                    return None;
                }
                entries::set_fields(&mut entry, &all);
            }
            entry
        }
    };
    if !gained.is_empty() {
        entry["time"] = now.into();
    }
    Some(entry)
}

/// Gives `new` the managed fields of `old` if the two differ in nothing but the times there: such a write is none.
///
/// To be called once defaults and the endpoint's strategy have made their changes.
pub fn keep_times(old: &Value, new: &mut Value) {
    let (present, entries) = (entries::of_object(old), entries::of_object(new));
    if present == entries || present.len() != entries.len() {
        return;
    }
    // Other times may mean another order.
    let alike = entries
        .iter()
        .all(|entry| present.iter().any(|before| same_but(before, entry, "time")));
    if !alike || !same_without_entries(old, new) {
        return;
    }
    let kept = present.to_vec();
    entries::put(new, kept);
}

fn same_without_entries(old: &Value, new: &Value) -> bool {
    let (Some(before), Some(after)) = (old.get("metadata"), new.get("metadata")) else {
        return false;
    };
    same_but(old, new, "metadata") && same_but(before, after, "managedFields")
}

/// Whether two objects are the same apart from the field `skip`.
fn same_but(a: &Value, b: &Value, skip: &str) -> bool {
    let (Some(a), Some(b)) = (a.as_object(), b.as_object()) else {
        return false;
    };
    let rest = |map: &Map<String, Value>| map.len() - usize::from(map.contains_key(skip));
    let same = |(name, value): (&String, &Value)| {
        name == skip || b.get(name).is_some_and(|other| same_value(value, other))
    };
    rest(a) == rest(b) && a.iter().all(same)
}
