//! The built-in kinds: what they are called, what they look like, and how the real server fills and checks them.
//!
//! One file per group: a text with the types and kinds (the notation is explained in `dsl`; the texts of core and of
//! pods are `.txt` files beside it), and a `Group` with what
//! a text cannot say. To add a kind, write it into the file of its group; to add a group, write a file and name it in
//! `GROUPS`.

mod admissionregistration;
mod apiextensions;
mod apps;
mod auth;
mod autoscaling;
mod batch;
mod coordination;
mod core;
mod discovery;
mod dsl;
mod events;
mod labels;
mod meta;
mod networking;
mod normal;
mod pod;
mod policy;
mod quantity;
mod rbac;
mod registry;
mod scheduling;
mod service;
mod storage;
mod table;

use std::sync::OnceLock;

use registry::REGISTRY;

use serde_json::Value;

use crate::schema::{Cause, Schema};

pub use registry::{all, find, object_meta};
pub use table::Column;

/// What the text of a group cannot say. Every method has a default that does nothing.
trait Group: Sync {
    /// The group and its version: `apps/v1`, or `v1`.
    fn name(&self) -> (&'static str, &'static str);
    /// Types and kinds.
    fn text(&self) -> &'static str;
    /// Computed defaults, after the fixed ones.
    fn fill(&self, _kind: &str, _object: &mut Value) {}
    /// Called before an object is created, after defaults: initial status, fields that clients may not set.
    fn prepare_create(&self, _kind: &str, _object: &mut Value) {}
    /// Called before an object is replaced, to carry over what clients may not change.
    fn prepare_update(&self, _kind: &str, _object: &mut Value, _old: &Value, _subresource: &str) {}
    /// The causes for which the object is refused.
    fn check(&self, _kind: &str, _object: &Value, _old: Option<&Value>) -> Vec<Cause> {
        Vec::new()
    }
    /// Warnings that go with an accepted write.
    fn warnings(&self, _kind: &str, _object: &Value) -> Vec<String> {
        Vec::new()
    }
    /// What a field selector compares, where the selector's name for it is not its path in the stored object.
    fn selected(&self, _object: &Value, _field: &str) -> Option<Value> {
        None
    }
    /// A computed cell of a table.
    fn cell(&self, _kind: &str, _column: &str, _object: &Value) -> Value {
        Value::Null
    }
}

static GROUPS: &[&dyn Group] = &[
    &meta::Meta,
    &core::Core,
    &pod::Pods,
    &service::Services,
    &apps::Apps,
    &batch::Batch,
    &autoscaling::Autoscaling,
    &networking::Networking,
    &policy::Policy,
    &coordination::Coordination,
    &events::Events,
    &discovery::Discovery,
    &rbac::Rbac,
    &auth::Authorization,
    &auth::Authentication,
    &apiextensions::Apiextensions,
    &admissionregistration::Admissionregistration,
    &scheduling::Scheduling,
    &storage::Storage,
];

/// A subresource beside `status` and `scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// `binding`, `finalize`, ...
    pub name: &'static str,
    /// The kind of its bodies: group (empty: that of the resource), version, kind.
    pub kind: (&'static str, &'static str, &'static str),
    /// What may be done with it.
    pub verbs: &'static [&'static str],
}

/// A built-in resource.
pub struct BuiltIn {
    /// The group; empty for core.
    pub group: &'static str,
    /// The version.
    pub version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The name in URLs.
    pub plural: &'static str,
    /// The name of one.
    pub singular: String,
    /// The kind of lists.
    pub list_kind: String,
    /// Short names that kubectl knows.
    pub short_names: Vec<&'static str>,
    /// Categories.
    pub categories: Vec<&'static str>,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// The verbs in the order of discovery.
    pub verbs: Vec<&'static str>,
    /// Whether there is a `status` subresource.
    pub status: bool,
    /// Whether there is a `scale` subresource; its paths are `.spec.replicas`, `.status.replicas` and the selector
    /// `.spec.selector`.
    pub scale: bool,
    /// Whether objects have a `metadata.generation`.
    pub generation: bool,
    /// Further subresources.
    pub subresources: Vec<Subresource>,
    /// Fields, beside name and namespace, that field selectors may name.
    pub selectable_fields: Vec<&'static str>,
    /// The columns of the table form.
    pub columns: Vec<Column>,
    behaviour: &'static dyn Group,
    schema: OnceLock<Schema>,
}

impl std::fmt::Debug for BuiltIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BuiltIn")
            .field("group", &self.group)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl BuiltIn {
    /// `apps/v1`, or `v1` for core.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// The schema: list keys and merge keys, known fields, fixed defaults. Built when first asked for.
    pub fn schema(&self) -> &Schema {
        self.schema.get_or_init(|| {
            let mut schema = REGISTRY.types.schema(self.kind_type());
            schema
                .properties
                .insert("metadata".to_owned(), object_meta().clone());
            schema
                .properties
                .insert("apiVersion".to_owned(), dsl::text());
            schema.properties.insert("kind".to_owned(), dsl::text());
            schema
        })
    }

    fn kind_type(&self) -> &'static str {
        // Two groups have an Event.
        if self.group == "events.k8s.io" {
            "EventsEvent"
        } else {
            self.kind
        }
    }

    /// Reads a body as the server does: checks the JSON types, takes stringData into data and the like, brings
    /// quantities and times to their normal form, leaves out empty values, and drops unknown fields.
    ///
    /// Returns the paths of the unknown fields (`spec.foo`), for warnings or a strict refusal.
    ///
    /// # Errors
    /// The text behind `ConfigMap in version "v1" cannot be handled as a ConfigMap: `, to be answered with 400 (422
    /// for a patch).
    pub fn decode(&self, object: &mut Value) -> Result<Vec<String>, String> {
        let unknown = crate::schema::prune(self.schema(), object);
        normal::decode(self.schema(), object)?;
        Ok(unknown)
    }

    /// Fills in defaults, fixed and computed.
    pub fn default(&self, object: &mut Value) {
        crate::schema::default(self.schema(), object);
        self.behaviour.fill(self.kind, object);
        normal::drop_empty(self.schema(), object);
    }

    /// Sets what the server sets on creation: an initial status, addresses, finalizers of namespaces. After
    /// [`BuiltIn::default`].
    pub fn prepare_create(&self, object: &mut Value) {
        if let (true, Some(map)) = (self.status, object.as_object_mut()) {
            map.remove("status");
            self.default(object);
        }
        self.behaviour.prepare_create(self.kind, object);
    }

    /// Carries over from `old` what this kind of update may not change; `subresource` is empty, `status`, ...
    pub fn prepare_update(&self, object: &mut Value, old: &Value, subresource: &str) {
        self.behaviour
            .prepare_update(self.kind, object, old, subresource);
    }

    /// Checks an object; `old` is the stored one on update.
    pub fn validate(&self, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        self.behaviour.check(self.kind, object, old)
    }

    /// The text with which a field selector on `field`, one of [`BuiltIn::selectable_fields`], is compared.
    ///
    /// `object` has the form it is stored in: that of core `v1` for the Events of both groups.
    pub fn selected(&self, object: &Value, field: &str) -> String {
        let renamed = self.behaviour.selected(object, field);
        let value = renamed
            .as_ref()
            .or_else(|| table::at(object, field))
            .unwrap_or(&Value::Null);
        match value {
            Value::String(text) => text.clone(),
            Value::Null if BOOLEAN_FIELDS.contains(&field) => "false".to_owned(),
            Value::Null if NUMERIC_FIELDS.contains(&field) => "0".to_owned(),
            Value::Null => String::new(),
            other => other.to_string(),
        }
    }

    /// Warnings that go with an accepted write.
    pub fn warnings(&self, object: &Value) -> Vec<String> {
        self.behaviour.warnings(self.kind, object)
    }

    /// The cells of the table row of `object`, one per column.
    pub fn cells(&self, object: &Value, now: jiff::Timestamp) -> Vec<Value> {
        let computed = |column: &Column| self.behaviour.cell(self.kind, &column.name, object);
        self.columns
            .iter()
            .map(|column| table::cell(column, object, now, &computed))
            .collect()
    }
}

/// Selectable flags and numbers, which are left out of the object when they are zero.
const BOOLEAN_FIELDS: &[&str] = &["spec.hostNetwork", "spec.unschedulable"];
const NUMERIC_FIELDS: &[&str] = &["status.replicas", "status.successful"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_that_a_field_names_is_declared() {
        assert_eq!(REGISTRY.types.undeclared(), Vec::<String>::new());
    }

    #[test]
    fn every_kind_has_a_type() {
        for kind in all() {
            assert!(
                !kind.schema().preserve_unknown,
                "{} {}",
                kind.group,
                kind.kind
            );
        }
    }
}
