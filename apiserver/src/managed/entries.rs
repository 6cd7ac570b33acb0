//! The list `metadata.managedFields`: reading, order, size.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::set::{FieldSet, ParseError};

/// `Update` or `Apply`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operation {
    Apply,
    Update,
}

impl Operation {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// Who an entry belongs to. An applier has one entry for all versions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity<'a> {
    pub(super) manager: &'a str,
    pub(super) operation: Operation,
    pub(super) api_version: &'a str,
    pub(super) subresource: &'a str,
}

impl<'a> Identity<'a> {
    pub(super) fn of(entry: &'a Value) -> Self {
        Self {
            manager: text(entry, "manager"),
            operation: operation(entry),
            api_version: text(entry, "apiVersion"),
            subresource: text(entry, "subresource"),
        }
    }

    pub(super) fn is_that_of(self, entry: &Value) -> bool {
        self.manager == text(entry, "manager")
            && self.operation == operation(entry)
            && self.subresource == text(entry, "subresource")
            && (self.operation == Operation::Apply || self.api_version == text(entry, "apiVersion"))
    }

    /// An entry without a time.
    pub(super) fn entry(self, fields: &FieldSet) -> Value {
        let texts = [
            ("apiVersion", self.api_version),
            ("fieldsType", "FieldsV1"),
            ("manager", self.manager),
            ("operation", self.operation.as_str()),
        ];
        let mut entry: Map<String, Value> = texts
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text.into()))
            .collect();
        entry.insert("fieldsV1".to_owned(), fields.to_value());
        if !self.subresource.is_empty() {
            entry.insert("subresource".to_owned(), self.subresource.into());
        }
        entry.into()
    }

    /// As it stands in an error message.
    pub(super) fn shown(self) -> String {
        let mut shown = format!("{:?}", self.manager);
        if !self.subresource.is_empty() {
            shown.push_str(&format!(" with subresource {:?}", self.subresource));
        }
        if self.operation == Operation::Update {
            shown.push_str(&format!(" using {}", self.api_version));
        }
        shown
    }

    /// The key by which the real server sorts managers.
    pub(super) fn sort_key(self) -> String {
        let api_version = if self.operation == Operation::Apply {
            ""
        } else {
            self.api_version
        };
        format!(
            "{:?},{},{:?},{:?}",
            self.manager,
            self.operation.as_str(),
            api_version,
            self.subresource
        )
    }
}

pub(super) fn text<'a>(entry: &'a Value, name: &str) -> &'a str {
    entry.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn operation(entry: &Value) -> Operation {
    if text(entry, "operation") == "Apply" {
        Operation::Apply
    } else {
        Operation::Update
    }
}

/// The set of an entry.
pub(super) fn fields(entry: &Value) -> Result<FieldSet, ParseError> {
    entry
        .get("fieldsV1")
        .map_or_else(|| Ok(FieldSet::new()), FieldSet::from_value)
}

pub(super) fn set_fields(entry: &mut Value, fields: &FieldSet) {
    entry["fieldsV1"] = fields.to_value();
}

/// The entries of an object.
pub(super) fn of_object(object: &Value) -> &[Value] {
    object
        .get("metadata")
        .and_then(|metadata| metadata.get("managedFields"))
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Takes the value of `metadata.managedFields` out of an object.
pub(super) fn take(object: &mut Value) -> Option<Value> {
    object
        .get_mut("metadata")?
        .as_object_mut()?
        .remove("managedFields")
}

/// Writes the entries into an object; an empty list leaves the field out.
pub(super) fn put(object: &mut Value, entries: Vec<Value>) {
    let Some(object) = object.as_object_mut() else {
        return;
    };
    if entries.is_empty() {
        return;
    }
    let metadata = object
        .entry("metadata")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Some(metadata) = metadata.as_object_mut() {
        metadata.insert("managedFields".to_owned(), Value::Array(entries));
    }
}

/// Whether the entries can be taken as they are: each is an object of a known form.
pub(super) fn are_valid(entries: &[Value]) -> bool {
    entries.iter().all(|entry| {
        matches!(text(entry, "operation"), "Apply" | "Update")
            && matches!(text(entry, "fieldsType"), "FieldsV1")
            && entry
                .get("fieldsV1")
                .is_some_and(|set| FieldSet::from_value(set).is_ok())
    })
}

/// Whether a request's value of `managedFields` asks for a reset: an empty list, or one empty entry.
pub(super) fn is_reset(value: &Value) -> bool {
    match value.as_array().map(Vec::as_slice) {
        Some([]) => true,
        Some([Value::Object(entry)]) => entry.is_empty(),
        _ => false,
    }
}

/// Sorts as the real server does: operation, time in seconds, manager, version, subresource.
pub(super) fn sort(entries: &mut [Value]) {
    entries.sort_by(compare);
}

fn compare(a: &Value, b: &Value) -> Ordering {
    let order = |name: &str| text(a, name).cmp(text(b, name));
    let [a_seconds, b_seconds] = [a, b].map(|entry| text(entry, "time").get(..19));
    order("operation")
        .then_with(|| a_seconds.cmp(&b_seconds))
        .then_with(|| order("manager"))
        .then_with(|| order("apiVersion"))
        .then_with(|| order("subresource"))
}

/// The most entries of updaters that an object keeps.
const MAX_UPDATERS: usize = 10;

/// Joins the oldest updaters of a version in one entry, `ancient-changes`, while there are too many.
pub(super) fn cap(entries: &mut Vec<Value>) {
    let is_updater = |entry: &Value| operation(entry) == Operation::Update;
    let mut count = entries.iter().filter(|entry| is_updater(entry)).count();
    if count <= MAX_UPDATERS {
        return;
    }
    sort(entries);
    let (mut updaters, mut kept): (Vec<Value>, Vec<Value>) =
        entries.drain(..).partition(is_updater);
    let mut at = 0;
    while count > MAX_UPDATERS && at < updaters.len() {
        let version = text(&updaters[at], "apiVersion").to_owned();
        let Some(first) = updaters[..at]
            .iter()
            .position(|entry| text(entry, "apiVersion") == version)
        else {
            at += 1;
            continue;
        };
        let merged = updaters.remove(at);
        let joined = fields(&updaters[first])
            .unwrap_or_default()
            .union(&fields(&merged).unwrap_or_default());
        let bucket = Identity {
            manager: "ancient-changes",
            operation: Operation::Update,
            api_version: &version,
            subresource: "",
        };
        let mut entry = bucket.entry(&joined);
        if let Some(time) = merged.get("time") {
            entry["time"] = time.clone();
        }
        updaters[first] = entry;
        count -= 1;
    }
    kept.append(&mut updaters);
    *entries = kept;
}
