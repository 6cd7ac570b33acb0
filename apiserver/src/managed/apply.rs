//! Server-side apply.

use serde_json::{Map, Value, json};

use super::compare::Comparison;
use super::element::{PathElement, same_value};
use super::entries::{self, Identity, Operation};
use super::prune::{self, Context, Last};
use super::set::FieldSet;
use super::types::TypeRef;
use super::update::{UpdateOptions, record};
use super::{Reset, Schemas, check, fields, last_applied, merging, meta, reconcile};
use crate::schema::Schema;

/// Who applies, where and when.
#[derive(Clone, Copy)]
pub struct ApplyOptions<'a> {
    /// The field manager.
    pub manager: &'a str,
    /// Whether conflicting fields are taken over.
    pub force: bool,
    /// `apiVersion` of the endpoint.
    pub api_version: &'a str,
    /// The kind of the endpoint.
    pub kind: &'a str,
    /// The subresource, or empty.
    pub subresource: &'a str,
    /// The time of the request, as RFC 3339 with seconds.
    pub now: &'a str,
    /// What the endpoint leaves alone.
    pub reset: Reset,
    /// The schemas of the resource's other versions; without, all versions are taken to be alike.
    pub versions: Option<&'a dyn Schemas>,
}

/// A field that another manager owns with another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The manager as a message shows it: `"name" using v1`.
    pub manager: String,
    /// The path: `.spec.replicas`.
    pub field: String,
    pub(super) path: Vec<PathElement>,
    sort_key: String,
}

/// Why a configuration was not applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// 409: fields of others, one entry for each field and owner.
    #[error("{}", conflict_message(.0))]
    Conflicts(Vec<Conflict>),
    /// 400.
    #[error("{0}")]
    BadRequest(String),
    /// 500, which the real server answers without a reason.
    #[error("{0}")]
    Internal(String),
}

fn conflict_message(conflicts: &[Conflict]) -> String {
    if let [one] = conflicts {
        return format!(
            "Apply failed with 1 conflict: conflict with {}: {}",
            one.manager, one.field
        );
    }
    let mut lines = Vec::new();
    let mut previous = None;
    for conflict in conflicts {
        if previous != Some(&conflict.manager) {
            lines.push(format!("conflicts with {}:", conflict.manager));
            previous = Some(&conflict.manager);
        }
        lines.push(format!("- {}", conflict.field));
    }
    format!(
        "Apply failed with {} conflicts: {}",
        conflicts.len(),
        lines.join("\n")
    )
}

/// The object after `config` was applied to `live` (`None`: it is to be created), `managedFields` included.
///
/// If nothing changes, neither does `managedFields`, its times included. Defaults and validation are the caller's.
///
/// # Errors
/// See [`ApplyError`].
pub fn apply(
    schema: &Schema,
    live: Option<&Value>,
    config: &Value,
    options: &ApplyOptions<'_>,
) -> Result<Value, ApplyError> {
    last_applied::apply(schema, live, config, options)
}

/// [`apply`] without regard to the annotation of client-side apply.
pub(super) fn merge_and_record(
    schema: &Schema,
    live: Option<&Value>,
    config: &Value,
    options: &ApplyOptions<'_>,
) -> Result<Value, ApplyError> {
    check_config(schema, config, options)?;
    let context = Context {
        schema,
        api_version: options.api_version,
        versions: options.versions,
    };
    let kind = TypeRef::Object(schema);
    let base = base(live, options);
    let mut before = before(schema, live, &base, options);
    reconcile::with_schema(context, &mut before);
    let me = identity(options);
    let (mine, others): (Vec<Value>, Vec<Value>) =
        before.into_iter().partition(|entry| me.is_that_of(entry));

    let mut owned = fields::of_value(kind, config);
    options.reset.filter(&mut owned);
    let merged = merging::merge(kind, &base, config)
        .map_err(|text| ApplyError::Internal(format!("failed to merge config: {text}")))?;
    let mut new = pruned(context, merged, mine.first(), &others, &owned, options)?;

    let changes = Changes::new(context, &base, &new, options.reset);
    let mut entries = without_changes(others, changes, options.force)?;
    options.reset.restore(&base, &mut new);
    let is_same = live.is_some() && same_value(&base, &new);
    entries.extend(own_entry(me, mine, &meta::strip(owned), is_same, options));
    entries::cap(&mut entries);
    entries::sort(&mut entries);
    entries::put(&mut new, entries);
    Ok(new)
}

fn identity<'a>(options: &ApplyOptions<'a>) -> Identity<'a> {
    Identity {
        manager: options.manager,
        operation: Operation::Apply,
        api_version: options.api_version,
        subresource: options.subresource,
    }
}

/// Refuses a configuration of another type, with managed fields, or that does not fit the schema.
fn check_config(
    schema: &Schema,
    config: &Value,
    options: &ApplyOptions<'_>,
) -> Result<(), ApplyError> {
    let (api_version, kind) = (
        entries::text(config, "apiVersion"),
        entries::text(config, "kind"),
    );
    if api_version != options.api_version || kind != options.kind {
        return Err(ApplyError::BadRequest(format!(
            "invalid object type: {}",
            type_name(api_version, kind)
        )));
    }
    if config
        .pointer("/metadata/managedFields")
        .is_some_and(|value| !value.is_null())
    {
        return Err(ApplyError::BadRequest(
            "metadata.managedFields must be nil".to_owned(),
        ));
    }
    match check::problems(TypeRef::Object(schema), config) {
        None => Ok(()),
        Some(problems) => {
            let of = |name: &str| {
                config
                    .pointer(name)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
            };
            Err(ApplyError::Internal(format!(
                "failed to create typed patch object ({}/{}; {}): {problems}",
                of("/metadata/namespace"),
                of("/metadata/name"),
                type_name(api_version, kind),
            )))
        }
    }
}

/// A type as Go prints it: `group/version, Kind=Kind`.
fn type_name(api_version: &str, kind: &str) -> String {
    if api_version.contains('/') {
        format!("{api_version}, Kind={kind}")
    } else {
        format!("/{api_version}, Kind={kind}")
    }
}

/// The object that the configuration is merged into, without managed fields.
fn base(live: Option<&Value>, options: &ApplyOptions<'_>) -> Value {
    let Some(live) = live else {
        return json!({"apiVersion": options.api_version, "kind": options.kind});
    };
    let mut base = live.clone();
    entries::take(&mut base);
    if let Some(map) = base.as_object_mut() {
        map.insert("apiVersion".to_owned(), options.api_version.into());
        map.insert("kind".to_owned(), options.kind.into());
    }
    base
}

/// The entries of the live object. An object that was never tracked counts as written by `before-first-apply`.
fn before(
    schema: &Schema,
    live: Option<&Value>,
    base: &Value,
    options: &ApplyOptions<'_>,
) -> Vec<Value> {
    let Some(live) = live else { return Vec::new() };
    let present = entries::of_object(live);
    if !present.is_empty() {
        return present.to_vec();
    }
    let first = UpdateOptions {
        manager: "before-first-apply",
        api_version: options.api_version,
        subresource: options.subresource,
        now: options.now,
        reset: options.reset,
        versions: options.versions,
    };
    record(schema, &Value::Object(Map::new()), base, Vec::new(), &first)
}

/// The merged object without what this manager no longer applies.
fn pruned(
    context: Context<'_>,
    merged: Value,
    mine: Option<&Value>,
    others: &[Value],
    owned: &FieldSet,
    options: &ApplyOptions<'_>,
) -> Result<Value, ApplyError> {
    let Some(mine) = mine else { return Ok(merged) };
    let fields = entries::fields(mine).map_err(|error| {
        ApplyError::Internal(format!("failed to decode managed fields: {error}"))
    })?;
    let is_at_hand = |entry: &Value| entries::text(entry, "apiVersion") == options.api_version;
    let one_version = options.versions.is_none() || others.iter().chain([mine]).all(is_at_hand);
    if one_version && fields.difference(owned).is_empty() {
        // Nothing was dropped.
        return Ok(merged);
    }
    let mut managers = prune::sets_of(others).map_err(ApplyError::Internal)?;
    managers.push((options.api_version, owned.clone()));
    let last = Last {
        fields,
        api_version: entries::text(mine, "apiVersion"),
    };
    prune::prune(context, merged, &last, &managers)
        .map_err(|text| ApplyError::Internal(format!("failed to prune fields: {text}")))
}

/// The difference between two objects, for each version that an entry may have.
pub(super) struct Changes<'a> {
    context: Context<'a>,
    old: &'a Value,
    new: &'a Value,
    reset: Reset,
    known: Vec<(String, Option<Comparison>)>,
}

impl<'a> Changes<'a> {
    pub(super) fn new(context: Context<'a>, old: &'a Value, new: &'a Value, reset: Reset) -> Self {
        Self {
            context,
            old,
            new,
            reset,
            known: Vec::new(),
        }
    }

    /// The difference as an entry of that version sees it; `None` if the version is gone.
    pub(super) fn at(&mut self, api_version: &str) -> Option<&Comparison> {
        let place = match self
            .known
            .iter()
            .position(|(known, _)| known == api_version)
        {
            Some(place) => place,
            None => {
                let comparison = self.context.schema_of(api_version).map(|schema| {
                    Comparison::through(self.reset, TypeRef::Object(schema), self.old, self.new)
                });
                self.known.push((api_version.to_owned(), comparison));
                self.known.len() - 1
            }
        };
        self.known.get(place)?.1.as_ref()
    }

    /// As [`Changes::at`], of changes that are not looked at any more.
    pub(super) fn into_at(mut self, api_version: &str) -> Option<Comparison> {
        self.at(api_version)?;
        let mut known = self.known.into_iter();
        known.find(|(known, _)| known == api_version)?.1
    }
}

/// The entries of the others without what changed; what is left empty goes, as do those of versions that are gone.
fn without_changes(
    others: Vec<Value>,
    mut changes: Changes<'_>,
    force: bool,
) -> Result<Vec<Value>, ApplyError> {
    let mut kept = Vec::with_capacity(others.len());
    let mut conflicts = Vec::new();
    let mut key = String::new();
    for mut entry in others {
        let Some(comparison) = changes.at(entries::text(&entry, "apiVersion")) else {
            continue;
        };
        let Comparison {
            added,
            modified,
            removed,
        } = comparison;
        let written = &entry["fieldsV1"];
        let is_touched = [added, modified, removed]
            .iter()
            .any(|set| set.meets(written, &mut key));
        if !is_touched && written.as_object().is_some_and(|map| !map.is_empty()) {
            kept.push(entry);
            continue;
        }
        let set = entries::fields(&entry).map_err(|error| {
            ApplyError::Internal(format!("failed to decode managed fields: {error}"))
        })?;
        let conflict = set.intersection(&modified.union(added));
        if !force {
            conflicts.extend(conflicts_of(&entry, &conflict));
        }
        let left = set.difference(&conflict).difference(removed);
        if left.is_empty() {
            continue;
        }
        if left != set {
            entries::set_fields(&mut entry, &left);
        }
        kept.push(entry);
    }
    if conflicts.is_empty() {
        return Ok(kept);
    }
    conflicts.sort_by(|a, b| a.sort_key.cmp(&b.sort_key));
    Err(ApplyError::Conflicts(conflicts))
}

fn conflicts_of(entry: &Value, fields: &FieldSet) -> Vec<Conflict> {
    let owner = Identity::of(entry);
    let conflict = |path: Vec<PathElement>| Conflict {
        manager: owner.shown(),
        field: path.iter().map(ToString::to_string).collect(),
        path,
        sort_key: owner.sort_key(),
    };
    fields.paths().into_iter().map(conflict).collect()
}

/// The entry of the applier: its time moves only if the object changed.
fn own_entry(
    me: Identity<'_>,
    mine: Vec<Value>,
    owned: &FieldSet,
    is_same: bool,
    options: &ApplyOptions<'_>,
) -> Option<Value> {
    if owned.is_empty() {
        return None;
    }
    let mut entry = me.entry(owned);
    let earlier = mine.first().and_then(|entry| entry.get("time")).cloned();
    let time = if is_same {
        earlier
    } else {
        Some(Value::from(options.now))
    };
    if let Some(time) = time {
        entry["time"] = time;
    }
    Some(entry)
}
