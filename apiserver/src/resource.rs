//! A served resource in one version: its names, its rules and its schema.

use serde_json::Value;

use crate::document::Document;
use crate::error::{ApiError, Cause};
use crate::model::Model;
use crate::names::NameRule;

/// Where the scale subresource of a custom resource finds its numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScalePaths {
    pub(crate) spec: String,
    pub(crate) status: String,
    pub(crate) selector: Option<String>,
}

/// A column of the Table representation.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) format: String,
    pub(crate) description: String,
    pub(crate) priority: i64,
    /// JSONPath of the cell; empty for columns that are computed.
    pub(crate) path: String,
}

/// A resource in one served version.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) group: String,
    pub(crate) version: String,
    /// `group/version`, or the version alone for the core group.
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) namespaced: bool,
    pub(crate) verbs: Vec<String>,
    pub(crate) status: bool,
    pub(crate) scale: Option<ScalePaths>,
    pub(crate) columns: Vec<Column>,
    pub(crate) selectable: Vec<String>,
    /// `apiVersion` of stored objects.
    pub(crate) stored_as: String,
    /// Table of the store; versions of a resource share one.
    pub(crate) table: String,
    pub(crate) deprecated: Option<String>,
    /// Whether versions are converted by a webhook.
    pub(crate) webhook: bool,
    pub(crate) model: Model,
}

impl Resource {
    pub(crate) fn is_custom(&self) -> bool {
        matches!(self.model, Model::Custom { .. })
    }

    /// Key in the store.
    pub(crate) fn key(&self, namespace: &str, name: &str) -> String {
        if self.namespaced {
            format!("{namespace}/{name}")
        } else {
            name.to_owned()
        }
    }

    pub(crate) fn can(&self, verb: &str) -> bool {
        self.verbs.iter().any(|v| v == verb)
    }

    pub(crate) fn not_found(&self, name: &str) -> ApiError {
        ApiError::not_found(&self.group, &self.plural, name)
    }

    pub(crate) fn modified(&self, name: &str) -> ApiError {
        ApiError::modified(&self.group, &self.plural, name)
    }

    /// 422 about the kind.
    pub(crate) fn invalid(&self, name: &str, causes: &[Cause]) -> ApiError {
        // The core Event is the one that both groups share; other groups are named.
        let group = if self.plural == "events" && !self.is_custom() {
            ""
        } else {
            &self.group
        };
        if let Some(cause) = causes
            .iter()
            .find(|cause| cause.reason == crate::schema::NOT_IMPLEMENTED)
        {
            return ApiError::not_implemented(format!("{}: {}", cause.field, cause.message));
        }
        ApiError::invalid(group, &self.kind, name, causes)
    }

    /// Whether objects have `metadata.generation`.
    pub(crate) fn has_generation(&self) -> bool {
        match &self.model {
            Model::BuiltIn(kind) => kind.generation,
            Model::Custom { .. } => true,
        }
    }

    /// Whether a PUT may leave out the resourceVersion.
    pub(crate) fn unconditional_update(&self) -> bool {
        !self.is_custom() && !matches!(self.kind.as_str(), "Lease" | "CustomResourceDefinition")
    }

    /// Whether a PUT of a missing object creates it.
    pub(crate) fn create_on_update(&self) -> bool {
        matches!(self.kind.as_str(), "Lease" | "Event" | "Endpoints")
            || (self.group == "rbac.authorization.k8s.io")
    }

    pub(crate) fn name_rule(&self) -> NameRule {
        match (self.group.as_str(), self.kind.as_str()) {
            ("", "Namespace") => NameRule::Label,
            ("", "Service") => NameRule::Label1035,
            ("rbac.authorization.k8s.io", _) => NameRule::PathSegment,
            _ => NameRule::Subdomain,
        }
    }

    /// The object as this version shows it: converted and pruned, but not defaulted.
    pub(crate) fn present(&self, object: &Document) -> Document {
        if object.is_of_version(&self.api_version) {
            return object.clone();
        }
        let mut shown = object.to_value();
        crate::convert::convert(&mut shown, &self.table, &self.api_version);
        if self.is_custom() {
            crate::schema::prune(self.model.schema(), &mut shown);
        } else {
            self.model.default(&mut shown);
        }
        shown.into()
    }

    /// An object that was stored under an earlier schema, as the present one lets it be read.
    pub(crate) fn reread(&self, object: &mut Value) {
        let versions = self.model.versions();
        if let Some(schema) = versions.and_then(|versions| versions.schema(&self.stored_as))
            && object["apiVersion"] == *self.stored_as
        {
            crate::schema::prune(schema, object);
        }
        self.to_stored(object);
    }

    /// The object as the store keeps it: in the storage version, pruned and defaulted by its schema.
    pub(crate) fn to_stored(&self, object: &mut Value) {
        let foreign = object["apiVersion"] != *self.stored_as;
        if foreign {
            crate::convert::convert(object, &self.table, &self.stored_as);
        }
        if let Some(schema) = self
            .model
            .versions()
            .and_then(|versions| versions.schema(&self.stored_as))
        {
            if foreign {
                crate::schema::prune(schema, object);
            }
            crate::schema::default(schema, object);
        }
    }
}
