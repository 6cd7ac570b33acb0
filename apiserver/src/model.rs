//! What a resource knows of the content of its objects: built-in kinds by their tables, custom ones by their schema.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::builtin::{self, BuiltIn};
use crate::error::Cause;
use crate::managed::Schemas;
use crate::resource::{Column, Resource, ScalePaths};
use crate::schema::{self, Schema};

/// The schemas of all served versions of a custom resource, by `apiVersion`.
pub(crate) type VersionSchemas = Arc<Vec<(String, Arc<Schema>)>>;

/// The content model of a resource in one version.
#[derive(Debug)]
pub(crate) enum Model {
    BuiltIn(&'static BuiltIn),
    Custom {
        schema: Arc<Schema>,
        versions: VersionSchemas,
    },
}

impl Model {
    pub(crate) fn schema(&self) -> &Schema {
        match self {
            Self::BuiltIn(kind) => kind.schema(),
            Self::Custom { schema, .. } => schema,
        }
    }

    /// The schemas of the other versions, for managed fields that were recorded there.
    pub(crate) fn versions(&self) -> Option<&dyn Schemas> {
        match self {
            Self::BuiltIn(_) => None,
            Self::Custom { versions, .. } => Some(&**versions),
        }
    }

    /// Reads an object: checks JSON types (of built-in kinds), drops unknown fields and returns their paths.
    ///
    /// # Errors
    /// The text behind `K in version "v1" cannot be handled as a K: `.
    pub(crate) fn decode(&self, object: &mut Value) -> Result<Vec<String>, String> {
        match self {
            Self::BuiltIn(kind) => kind.decode(object),
            Self::Custom { schema, .. } => {
                let mut unknown = crate::handlers::metadata_types(object)?;
                unknown.extend(schema::prune(schema, object));
                Ok(unknown)
            }
        }
    }

    pub(crate) fn default(&self, object: &mut Value) {
        match self {
            Self::BuiltIn(kind) => kind.default(object),
            Self::Custom { schema, .. } => schema::default(schema, object),
        }
    }

    /// What the kind itself sets on creation.
    pub(crate) fn prepare_create(&self, object: &mut Value) {
        if let Self::BuiltIn(kind) = self {
            kind.prepare_create(object);
        }
    }

    /// What the kind itself carries over on update.
    pub(crate) fn prepare_update(&self, object: &mut Value, old: &Value, subresource: &str) {
        if let Self::BuiltIn(kind) = self {
            kind.prepare_update(object, old, subresource);
        }
    }

    /// What is wrong with the content, apart from `metadata`.
    pub(crate) fn validate(
        &self,
        new: &Value,
        old: Option<&Value>,
        subresource: &str,
    ) -> Vec<Cause> {
        let causes = match self {
            Self::BuiltIn(kind) => kind.validate(new, old),
            Self::Custom { schema, .. } if subresource == "status" => {
                validate_status(schema, new, old)
            }
            Self::Custom { schema, .. } => schema::validate(schema, new, old),
        };
        causes.into_iter().map(Cause::from).collect()
    }

    /// Warnings that go with an accepted write.
    pub(crate) fn warnings(&self, object: &Value) -> Vec<String> {
        match self {
            Self::BuiltIn(kind) => kind.warnings(object),
            Self::Custom { .. } => Vec::new(),
        }
    }

    /// The cells of a table row, for kinds that compute theirs.
    pub(crate) fn cells(&self, object: &Value, now: Timestamp) -> Option<Vec<Value>> {
        match self {
            Self::BuiltIn(kind) => Some(kind.cells(object, now)),
            Self::Custom { .. } => None,
        }
    }
}

impl From<schema::Cause> for Cause {
    fn from(cause: schema::Cause) -> Self {
        Self {
            reason: cause.reason.to_owned(),
            message: cause.message,
            field: cause.field,
        }
    }
}

/// A status update is checked below `status` only; the messages do not name that field.
fn validate_status(schema: &Schema, new: &Value, old: Option<&Value>) -> Vec<schema::Cause> {
    let (Some(part), Some(status)) = (schema.properties.get("status"), new.get("status")) else {
        return Vec::new();
    };
    let mut causes = schema::validate(part, status, old.and_then(|old| old.get("status")));
    if schema.has_rules && causes.is_empty() {
        // Rules above the status may look at it. What did not change is let pass.
        return schema::validate(schema, new, old);
    }
    if schema.has_rules && !part.has_rules {
        causes.push(schema::Cause::invalid(
            "<nil>",
            &Value::Null,
            "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
        ));
    }
    for cause in &mut causes {
        cause.field = match cause.field.as_str() {
            "" => "status".to_owned(),
            "<nil>" => continue,
            field if field.starts_with('[') => format!("status{field}"),
            field => format!("status.{field}"),
        };
    }
    causes
}

/// The built-in resources.
pub(crate) fn builtins() -> Vec<Resource> {
    builtin::all().iter().map(resource).collect()
}

fn resource(kind: &'static BuiltIn) -> Resource {
    let owned = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    // Both groups of events show the same objects; they are stored in the form of the core group.
    let shared_events = kind.kind == "Event";
    Resource {
        group: kind.group.to_owned(),
        version: kind.version.to_owned(),
        api_version: kind.api_version(),
        kind: kind.kind.to_owned(),
        list_kind: kind.list_kind.clone(),
        plural: kind.plural.to_owned(),
        singular: kind.singular.clone(),
        short_names: owned(&kind.short_names),
        categories: owned(&kind.categories),
        namespaced: kind.namespaced,
        verbs: owned(&kind.verbs),
        status: kind.status,
        scale: kind.scale.then(|| ScalePaths {
            spec: ".spec.replicas".into(),
            status: ".status.replicas".into(),
            selector: Some(".spec.selector".into()),
        }),
        columns: kind
            .columns
            .iter()
            .map(|column| Column {
                name: column.name.clone(),
                kind: column.kind.to_owned(),
                format: column.format.to_owned(),
                description: String::new(),
                priority: column.priority,
                path: String::new(),
            })
            .collect(),
        selectable: owned(&kind.selectable_fields),
        stored_as: if shared_events {
            "v1".into()
        } else {
            kind.api_version()
        },
        table: if shared_events {
            "events".into()
        } else {
            crate::error::qualified(kind.plural, kind.group)
        },
        deprecated: None,
        webhook: false,
        model: Model::BuiltIn(kind),
    }
}
