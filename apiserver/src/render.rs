//! How answers look: the object itself, its metadata alone, or a table.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use crate::call::{Call, Reply};
use crate::cluster::Shared;
use crate::error::{ApiError, ApiResult};
use crate::resource::Resource;
use crate::table;

/// The representation that a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Object,
    Metadata,
    Table,
}

/// Whether YAML is what the client likes best of what there is.
pub(crate) fn wants_yaml(accept: &str) -> bool {
    let known = [
        "application/json",
        "application/yaml",
        "application/*",
        "*/*",
    ];
    accept
        .split(',')
        .filter_map(|alternative| alternative.split(';').next())
        .map(str::trim)
        .find(|media| known.contains(media))
        == Some("application/yaml")
}

/// What the rows of a table carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Include {
    None,
    Metadata,
    Object,
}

/// The `includeObject` parameter.
pub(crate) fn include_object(call: &Call) -> Include {
    match call.query.get("includeObject") {
        "None" => Include::None,
        "Object" => Include::Object,
        _ => Include::Metadata,
    }
}

/// An item of a list of built-in objects: without apiVersion and kind.
struct Bare<'a>(&'a Value);

impl Serialize for Bare<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Value::Object(fields) = self.0 else {
            return self.0.serialize(serializer);
        };
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in fields {
            if key != "apiVersion" && key != "kind" {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

impl Shared {
    /// Negotiates the representation.
    pub(crate) fn form(&self, call: &Call) -> ApiResult<Form> {
        let accept = call.header(http::header::ACCEPT);
        if accept.is_empty() {
            return Ok(Form::Object);
        }
        for alternative in accept.split(',') {
            let mut parts = alternative.split(';').map(str::trim);
            let media = parts.next().unwrap_or_default();
            let mut form = Some(Form::Object);
            let (mut group, mut version, mut kind) = ("", "", "");
            for parameter in parts {
                match parameter.split_once('=') {
                    Some(("as", value)) => kind = value,
                    Some(("g", value)) => group = value,
                    Some(("v", value)) => version = value,
                    _ => {}
                }
            }
            if !kind.is_empty() {
                let known = group == "meta.k8s.io" && matches!(version, "v1" | "v1beta1");
                form = match kind {
                    "Table" if known => Some(Form::Table),
                    "PartialObjectMetadata" | "PartialObjectMetadataList" if known => {
                        Some(Form::Metadata)
                    }
                    _ => None,
                };
            }
            let json = matches!(
                media,
                "application/json" | "application/yaml" | "application/*" | "*/*"
            );
            if let (true, Some(form)) = (json, form) {
                return Ok(form);
            }
        }
        let offered = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
        Err(ApiError::new(
            406,
            "NotAcceptable",
            format!("only the following media types are accepted: {offered}"),
        ))
    }

    pub(crate) fn render_object(
        &self,
        call: &Call,
        resource: &Resource,
        code: u16,
        object: &Value,
    ) -> ApiResult<Reply> {
        Ok(match self.form(call)? {
            Form::Object => Reply::json(code, object),
            Form::Metadata => Reply::json(code, &partial(object)),
            Form::Table => {
                let metadata = json!({ "resourceVersion": object["metadata"]["resourceVersion"] });
                let rows = vec![table::row(
                    resource,
                    object,
                    include_object(call),
                    self.clock.now(),
                )];
                Reply::json(code, &table::table(resource, metadata, rows, true))
            }
        })
    }

    pub(crate) fn render_list(
        &self,
        call: &Call,
        resource: &Resource,
        objects: &[Arc<Value>],
        revision: u64,
        token: Option<String>,
        remaining: Option<usize>,
    ) -> ApiResult<Reply> {
        let form = self.form(call)?;
        let mut metadata = Map::new();
        metadata.insert("resourceVersion".into(), revision.to_string().into());
        match token {
            Some(token) => {
                metadata.insert("continue".into(), token.into());
            }
            // Lists of custom resources always have the field.
            None if resource.is_custom() && form == Form::Object => {
                metadata.insert("continue".into(), "".into());
            }
            None => {}
        }
        if let Some(remaining) = remaining {
            metadata.insert("remainingItemCount".into(), remaining.into());
        }
        Ok(match form {
            Form::Object => Reply::json(
                200,
                &List {
                    resource,
                    objects,
                    metadata,
                },
            ),
            Form::Metadata => {
                let items: Vec<Value> = objects.iter().map(|o| partial(o)).collect();
                Reply::json(
                    200,
                    &json!({
                        "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
                        "metadata": metadata, "items": items,
                    }),
                )
            }
            Form::Table => {
                let include = include_object(call);
                let now = self.clock.now();
                let rows = objects
                    .iter()
                    .map(|o| table::row(resource, o, include, now))
                    .collect();
                Reply::json(200, &table::table(resource, metadata.into(), rows, true))
            }
        })
    }
}

/// A list, serialised from the stored objects without a copy.
struct List<'a> {
    resource: &'a Resource,
    objects: &'a [Arc<Value>],
    metadata: Map<String, Value>,
}

impl Serialize for List<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("apiVersion", &self.resource.api_version)?;
        if self.resource.is_custom() {
            let items: Vec<&Value> = self.objects.iter().map(|o| &**o).collect();
            map.serialize_entry("items", &items)?;
        } else {
            let items: Vec<Bare<'_>> = self.objects.iter().map(|o| Bare(o)).collect();
            map.serialize_entry("items", &items)?;
        }
        map.serialize_entry("kind", &self.resource.list_kind)?;
        map.serialize_entry("metadata", &self.metadata)?;
        map.end()
    }
}

/// The metadata of an object, as PartialObjectMetadata.
pub(crate) fn partial(object: &Value) -> Value {
    json!({ "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object["metadata"] })
}
