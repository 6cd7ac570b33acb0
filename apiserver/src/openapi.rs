//! OpenAPI v3 documents, as far as kubectl reads them: which parameters a path has, and what the fields are.

use serde_json::{Map, Value, json};

use crate::cluster::Shared;
use crate::error::ApiError;
use crate::model::Model;
use crate::resource::Resource;
use crate::schema::{Additional, ListType, MapType, Schema};

const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

impl Shared {
    /// The list of documents, one per group version.
    pub(crate) fn openapi_index(&self) -> Value {
        let registry = self.registry();
        let mut paths = Map::new();
        for group in registry.groups() {
            for version in registry.versions(group) {
                let place = if group.is_empty() {
                    format!("api/{version}")
                } else {
                    format!("apis/{group}/{version}")
                };
                let url = format!("/openapi/v3/{place}?hash={}", self.openapi_hash(group));
                paths.insert(place, json!({ "serverRelativeURL": url }));
            }
        }
        json!({ "paths": paths })
    }

    /// Changes with the definitions of a group, so that clients may cache.
    fn openapi_hash(&self, group: &str) -> u64 {
        let state = self.store.lock();
        let newest = state.table(DEFINITIONS).and_then(|table| {
            table
                .scan("")
                .filter(|(_, definition)| definition.object.value()["spec"]["group"] == *group)
                .map(|(_, definition)| definition.revision)
                .max()
        });
        newest.unwrap_or(0)
    }

    /// The document of a group version.
    pub(crate) fn openapi_document(&self, group: &str, version: &str) -> Result<Value, ApiError> {
        let registry = self.registry();
        if !registry.has_version(group, version) {
            return Err(ApiError::page_not_found());
        }
        let (mut paths, mut schemas) = (Map::new(), Map::new());
        schemas.insert(METADATA.into(), to_json(crate::builtin::object_meta()));
        for resource in registry.resources(group, version) {
            schemas.insert(name(&resource), self.document_schema(&resource));
            add_paths(&resource, &mut paths);
        }
        Ok(json!({
            "openapi": "3.0.0", "info": { "title": "Kubernetes", "version": "v1.36.2" },
            "paths": paths, "components": { "schemas": schemas },
        }))
    }

    fn document_schema(&self, resource: &Resource) -> Value {
        let mut schema = match &resource.model {
            Model::BuiltIn(kind) => to_json(kind.schema()),
            // The definition has the descriptions, which the compiled schema leaves out.
            Model::Custom { .. } => self.written_schema(resource),
        };
        let reference = json!({ "description": METADATA_TEXT, "allOf": [{ "$ref": format!("#/components/schemas/{METADATA}") }], "default": {} });
        let properties = crate::object::top(&mut schema)
            .entry("properties")
            .or_insert_with(|| json!({}));
        let properties = crate::object::top(properties);
        let text = |about: &str| json!({ "type": "string", "description": about });
        properties.insert("apiVersion".into(), text(API_VERSION_TEXT));
        properties.insert("kind".into(), text(KIND_TEXT));
        properties.insert("metadata".into(), reference);
        schema["x-kubernetes-group-version-kind"] = json!([gvk(resource)]);
        schema
    }

    fn written_schema(&self, resource: &Resource) -> Value {
        self.store
            .get(DEFINITIONS, &resource.table)
            .and_then(|definition| {
                let definition = definition.object.value();
                let versions = definition["spec"]["versions"].as_array()?;
                let version = versions.iter().find(|v| v["name"] == *resource.version)?;
                version["schema"].get("openAPIV3Schema").cloned()
            })
            .unwrap_or_else(|| json!({ "type": "object" }))
    }
}

const API_VERSION_TEXT: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND_TEXT: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const METADATA_TEXT: &str = "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
const METADATA: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

fn gvk(resource: &Resource) -> Value {
    json!({ "group": resource.group, "version": resource.version, "kind": resource.kind })
}

fn name(resource: &Resource) -> String {
    let reversed: Vec<&str> = resource
        .group
        .split('.')
        .rev()
        .filter(|part| !part.is_empty())
        .collect();
    let group = if reversed.is_empty() {
        "io.k8s.api.core".to_owned()
    } else {
        reversed.join(".")
    };
    format!("{group}.{}.{}", resource.version, resource.kind)
}

fn add_paths(resource: &Resource, paths: &mut Map<String, Value>) {
    let head = if resource.group.is_empty() {
        format!("/api/{}", resource.version)
    } else {
        format!("/apis/{}/{}", resource.group, resource.version)
    };
    let plural = &resource.plural;
    let collection = if resource.namespaced {
        format!("{head}/namespaces/{{namespace}}/{plural}")
    } else {
        format!("{head}/{plural}")
    };
    let operation = |action: &str, parameters: &[&str]| {
        let parameters: Vec<Value> = parameters
            .iter()
            .map(|name| json!({ "name": name, "in": "query", "schema": { "type": "string", "uniqueItems": true } }))
            .collect();
        let shown = json!({ "schema": { "$ref": format!("#/components/schemas/{}", self::name(resource)) } });
        json!({
            "parameters": parameters, "x-kubernetes-action": action, "x-kubernetes-group-version-kind": gvk(resource),
            "responses": { "200": { "description": "OK", "content": { "application/json": shown } } },
        })
    };
    let writing = ["dryRun", "fieldManager", "fieldValidation"];
    let mut of_collection = json!({ "post": operation("post", &writing) });
    if resource.can("list") {
        of_collection["get"] = operation(
            "list",
            &[
                "labelSelector",
                "fieldSelector",
                "limit",
                "continue",
                "watch",
            ],
        );
    }
    if resource.can("get") {
        paths.insert(
            format!("{collection}/{{name}}"),
            json!({
                "get": operation("get", &[]), "put": operation("put", &writing), "delete": operation("delete", &["dryRun"]),
                "patch": operation("patch", &["dryRun", "fieldManager", "fieldValidation", "force"]),
            }),
        );
    }
    paths.insert(collection, of_collection);
}

/// A schema in the notation of OpenAPI.
fn to_json(schema: &Schema) -> Value {
    let mut map = Map::new();
    if let Some(kind) = schema.kind {
        map.insert("type".into(), kind.as_str().into());
    }
    if !schema.properties.is_empty() {
        let properties: Map<String, Value> = schema
            .properties
            .iter()
            .map(|(name, field)| (name.clone(), to_json(field)))
            .collect();
        map.insert("properties".into(), properties.into());
    }
    match &schema.additional {
        Some(Additional::Schema(values)) => {
            map.insert("additionalProperties".into(), to_json(values));
        }
        Some(Additional::Any) => {
            map.insert("additionalProperties".into(), true.into());
        }
        Some(Additional::None) | None => {}
    }
    if let Some(items) = &schema.items {
        map.insert("items".into(), to_json(items));
    }
    if !schema.required.is_empty() {
        map.insert("required".into(), schema.required.clone().into());
    }
    if let Some(format) = &schema.format {
        map.insert("format".into(), format.clone().into());
    }
    if let Some(default) = &schema.default {
        map.insert("default".into(), default.clone());
    }
    match schema.list_type {
        Some(ListType::Map) => {
            map.insert("x-kubernetes-list-type".into(), "map".into());
            map.insert(
                "x-kubernetes-list-map-keys".into(),
                schema.list_map_keys.clone().into(),
            );
        }
        Some(ListType::Set) => {
            map.insert("x-kubernetes-list-type".into(), "set".into());
        }
        Some(ListType::Atomic) => {
            map.insert("x-kubernetes-list-type".into(), "atomic".into());
        }
        None => {}
    }
    if schema.map_type == Some(MapType::Atomic) {
        map.insert("x-kubernetes-map-type".into(), "atomic".into());
    }
    if schema.int_or_string {
        map.insert("x-kubernetes-int-or-string".into(), true.into());
    }
    if schema.preserve_unknown {
        map.insert("x-kubernetes-preserve-unknown-fields".into(), true.into());
    }
    Value::Object(map)
}
