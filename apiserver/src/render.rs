//! How answers look: the object itself, its metadata alone, or a table.

use bytes::Bytes;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use crate::call::{Call, Reply};
use crate::cluster::Shared;
use crate::document::Document;
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
        object: &Document,
    ) -> ApiResult<Reply> {
        Ok(match self.form(call)? {
            Form::Object => Reply::json_text(code, object.text().clone()),
            Form::Metadata => Reply::json(code, &partial(&object.value())),
            Form::Table => {
                let object = &*object.value();
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
        objects: &[Document],
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
            Form::Object => Reply::json_text(200, list(resource, objects, &metadata.into())),
            Form::Metadata => {
                let items: Vec<Value> = objects.iter().map(|o| partial(&o.value())).collect();
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
                    .map(|o| table::row(resource, &o.value(), include, now))
                    .collect();
                Reply::json(200, &table::table(resource, metadata.into(), rows, true))
            }
        })
    }
}

/// The text of a list, joined from the texts of its items where these are shown as they are stored.
fn list(resource: &Resource, objects: &[Document], metadata: &Value) -> Bytes {
    let room: usize = objects.iter().map(|object| object.text().len() + 1).sum();
    let mut text = Vec::with_capacity(room + 256);
    // Writing plain JSON values into memory cannot fail.
    text.extend_from_slice(b"{\"apiVersion\":");
    let _ = serde_json::to_writer(&mut text, &resource.api_version);
    text.extend_from_slice(b",\"items\":[");
    for (place, object) in objects.iter().enumerate() {
        if place > 0 {
            text.push(b',');
        }
        if resource.is_custom() {
            text.extend_from_slice(object.text());
        } else {
            let _ = serde_json::to_writer(&mut text, &Bare(&object.value()));
        }
    }
    text.extend_from_slice(b"],\"kind\":");
    let _ = serde_json::to_writer(&mut text, &resource.list_kind);
    text.extend_from_slice(b",\"metadata\":");
    let _ = serde_json::to_writer(&mut text, metadata);
    text.push(b'}');
    text.into()
}

/// The metadata of an object, as PartialObjectMetadata.
pub(crate) fn partial(object: &Value) -> Value {
    json!({ "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object["metadata"] })
}
