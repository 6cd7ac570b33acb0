//! Shortcuts for tests: requests with all rights, answered at once, without a client.

use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::error::{ApiError, ApiResult};
use crate::registry::Registry;
use crate::resource::Resource;

impl Cluster {
    /// Creates an object with all rights, without a client. The namespace is that of the object, or `default`.
    ///
    /// # Errors
    /// What the API server refuses, and a kind that it does not serve.
    pub fn create_raw(&self, object: Value) -> ApiResult<Value> {
        let path = self.collection_path(&object)?;
        self.call_sync("POST", &path, "application/json", &object)
    }

    /// Reads an object. `resource` is `pods`, `deployments.apps`, `widgets.v1.example.com`, or a kind.
    ///
    /// # Errors
    /// 404 for an unknown resource or object.
    pub fn get_raw(&self, resource: &str, namespace: &str, name: &str) -> ApiResult<Value> {
        let path = format!("{}/{name}", self.resource_path(resource, namespace)?);
        self.call_sync("GET", &path, "application/json", &Value::Null)
    }

    /// Lists the objects of a resource, in a namespace or (if that is empty) in all.
    ///
    /// # Errors
    /// 404 for an unknown resource.
    pub fn list_raw(&self, resource: &str, namespace: &str) -> ApiResult<Vec<Value>> {
        let path = self.resource_path(resource, namespace)?;
        let mut list = self.call_sync("GET", &path, "application/json", &Value::Null)?;
        match list["items"].take() {
            Value::Array(items) => Ok(items),
            _ => Ok(Vec::new()),
        }
    }

    /// Merge-patches an object (with `subresource`, or that empty).
    ///
    /// # Errors
    /// What the API server refuses.
    pub fn patch_raw(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        subresource: &str,
        patch: &Value,
    ) -> ApiResult<Value> {
        let mut path = format!("{}/{name}", self.resource_path(resource, namespace)?);
        if !subresource.is_empty() {
            path.push('/');
            path.push_str(subresource);
        }
        self.call_sync("PATCH", &path, "application/merge-patch+json", patch)
    }

    /// Deletes an object.
    ///
    /// # Errors
    /// What the API server refuses.
    pub fn delete_raw(&self, resource: &str, namespace: &str, name: &str) -> ApiResult<Value> {
        let path = format!("{}/{name}", self.resource_path(resource, namespace)?);
        self.call_sync("DELETE", &path, "application/json", &Value::Null)
    }

    /// Creates the objects in order; those that exist are merge-patched to the given content.
    ///
    /// # Errors
    /// The first refusal.
    pub fn apply_manifests(&self, objects: &[Value]) -> ApiResult<()> {
        for object in objects {
            let path = self.collection_path(object)?;
            match self.call_sync("POST", &path, "application/json", object) {
                Err(error) if error.reason() == "AlreadyExists" => {
                    let name = crate::object::meta(object, "name");
                    let path = format!("{path}/{name}");
                    self.call_sync("PATCH", &path, "application/merge-patch+json", object)?;
                }
                other => {
                    other?;
                }
            }
        }
        Ok(())
    }

    fn collection_path(&self, object: &Value) -> ApiResult<String> {
        let api_version = object["apiVersion"].as_str().unwrap_or_default();
        let kind = object["kind"].as_str().unwrap_or_default();
        let (group, version) = crate::object::split_api_version(api_version);
        let registry = self.0.registry();
        let found = registry.find_kind(group, version, kind).ok_or_else(|| {
            ApiError::new(
                404,
                "NotFound",
                format!("no resource of kind {kind:?} is served in {api_version:?}"),
            )
        })?;
        Ok(path_of(found, crate::object::meta(object, "namespace")))
    }

    fn resource_path(&self, resource: &str, namespace: &str) -> ApiResult<String> {
        let registry = self.0.registry();
        let found = registry
            .all()
            .find(|r| {
                let qualified = crate::error::qualified(&r.plural, &r.group);
                resource == qualified
                    || resource == format!("{}.{}.{}", r.plural, r.version, r.group)
                    || (resource == r.plural || resource == r.kind) && is_preferred(&registry, r)
            })
            .ok_or_else(|| {
                ApiError::new(
                    404,
                    "NotFound",
                    format!("no resource {resource:?} is served"),
                )
            })?;
        if namespace.is_empty() {
            return Ok(format!("{}/{}", version_path(found), found.plural));
        }
        Ok(path_of(found, namespace))
    }

    /// One request with all rights, answered at once.
    fn call_sync(
        &self,
        method: &str,
        path: &str,
        content_type: &'static str,
        body: &Value,
    ) -> ApiResult<Value> {
        let body = if body.is_null() {
            Vec::new()
        } else {
            body.to_string().into_bytes()
        };
        let (code, answer) = self.0.serve_sync(method, path, content_type, &body)?;
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_else(|_| json!({}));
        if code < 400 {
            return Ok(answer);
        }
        Err(ApiError::from_status(code, &answer))
    }
}

fn is_preferred(registry: &Registry, resource: &Resource) -> bool {
    registry
        .find_any(&resource.group, &resource.plural)
        .is_some_and(|preferred| preferred.version == resource.version)
}

fn version_path(resource: &Resource) -> String {
    if resource.group.is_empty() {
        format!("/api/{}", resource.version)
    } else {
        format!("/apis/{}/{}", resource.group, resource.version)
    }
}

fn path_of(resource: &Resource, namespace: &str) -> String {
    let head = version_path(resource);
    if resource.namespaced {
        let namespace = if namespace.is_empty() {
            "default"
        } else {
            namespace
        };
        format!("{head}/namespaces/{namespace}/{}", resource.plural)
    } else {
        format!("{head}/{}", resource.plural)
    }
}
