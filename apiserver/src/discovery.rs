//! Documents that are no resources: discovery, health, version.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::call::{Call, Handled, Outcome, Reply};
use crate::cluster::Shared;
use crate::error::ApiError;
use crate::registry::Registry;
use crate::resource::Resource;

impl Shared {
    pub(crate) fn document(&self, call: &Call) -> Handled {
        if call.method != "GET" {
            return Err(ApiError::method_not_allowed().into());
        }
        let registry = self.registry();
        let path = call.info.path.trim_end_matches('/');
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        let reply = match segments.as_slice() {
            ["healthz" | "livez" | "readyz", ..] => Reply::text(200, "ok"),
            ["version"] => Reply::json(200, &version()),
            ["api"] if aggregated(call) => self.aggregated_reply(&registry, true),
            ["apis"] if aggregated(call) => self.aggregated_reply(&registry, false),
            ["api"] => Reply::json(
                200,
                &json!({
                    "kind": "APIVersions", "versions": ["v1"],
                    "serverAddressByClientCIDRs": [{ "clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1" }],
                }),
            ),
            ["apis"] => Reply::json(200, &groups(&registry)),
            ["apis", name] if !name.is_empty() => match group(&registry, name) {
                Some(mut group) => {
                    group["kind"] = "APIGroup".into();
                    group["apiVersion"] = "v1".into();
                    Reply::json(200, &group)
                }
                None => return Err(ApiError::page_not_found().into()),
            },
            ["api", version] => return resource_list(&registry, "", version),
            ["apis", group, version] => return resource_list(&registry, group, version),
            ["openapi", "v3"] => Reply {
                content_type: "text/plain; charset=utf-8",
                ..Reply::json(200, &self.openapi_index())
            },
            ["openapi", "v3", "api", version] => {
                Reply::json(200, &self.openapi_document("", version)?)
            }
            ["openapi", "v3", "apis", group, version] => {
                Reply::json(200, &self.openapi_document(group, version)?)
            }
            ["openapi", ..] => {
                return Err(ApiError::not_implemented(
                    "this server publishes OpenAPI v3 documents only, of group versions",
                )
                .into());
            }
            ["metrics"] => {
                return Err(ApiError::not_implemented("this server has no metrics").into());
            }
            [""] | [] => Reply::json(
                200,
                &json!({ "paths": ["/api", "/apis", "/healthz", "/livez", "/readyz", "/version"] }),
            ),
            _ => return Err(ApiError::page_not_found().into()),
        };
        Ok(Outcome::Reply(reply))
    }

    fn aggregated_reply(&self, registry: &Registry, core: bool) -> Reply {
        let items: Vec<Value> = registry
            .groups()
            .filter(|group| group.is_empty() == core)
            .map(|group| aggregated_group(registry, group))
            .collect();
        Reply {
            content_type: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
            ..Reply::json(
                200,
                &json!({
                    "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items,
                }),
            )
        }
    }
}

fn version() -> Value {
    json!({
        "major": "1", "minor": "36", "gitVersion": "v1.36.2", "gitCommit": "", "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z", "goVersion": "none", "compiler": "rustc", "platform": "linux/amd64",
    })
}

fn aggregated(call: &Call) -> bool {
    let accept = call.header(http::header::ACCEPT);
    accept.split(',').next().is_some_and(|first| {
        first.contains("as=APIGroupDiscoveryList")
            && first.contains("v=v2")
            && !first.contains("v2beta1")
    })
}

fn group_version(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

fn group(registry: &Registry, name: &str) -> Option<Value> {
    let versions: Vec<Value> = registry
        .versions(name)
        .into_iter()
        .map(|version| json!({ "groupVersion": group_version(name, &version), "version": version }))
        .collect();
    let preferred = versions.first()?.clone();
    Some(json!({ "name": name, "versions": versions, "preferredVersion": preferred }))
}

fn groups(registry: &Registry) -> Value {
    let groups: Vec<Value> = registry
        .groups()
        .filter(|name| !name.is_empty())
        .filter_map(|name| group(registry, name))
        .collect();
    json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups })
}

fn resource_list(registry: &Registry, group: &str, version: &str) -> Handled {
    if !registry.has_version(group, version) {
        let known = registry.groups().any(|g| g == group);
        return Err(if known {
            ApiError::unknown_resource()
        } else {
            ApiError::page_not_found()
        }
        .into());
    }
    let resources: Vec<Value> = registry
        .resources(group, version)
        .iter()
        .flat_map(entries)
        .collect();
    let mut list = json!({
        "kind": "APIResourceList", "groupVersion": group_version(group, version), "resources": resources,
    });
    if !group.is_empty() {
        list["apiVersion"] = "v1".into();
    }
    Ok(Outcome::Reply(Reply::json(200, &list)))
}

const SUB_VERBS: [&str; 3] = ["get", "patch", "update"];

/// Subresources: name, kind (group, version, kind), verbs.
fn subresources(resource: &Resource) -> Vec<(&'static str, [String; 3], Vec<&'static str>)> {
    let own = [
        resource.group.clone(),
        resource.version.clone(),
        resource.kind.clone(),
    ];
    let mut list = Vec::new();
    if resource.kind == "Namespace" && resource.group.is_empty() {
        list.push(("finalize", own.clone(), vec!["update"]));
    }
    if resource.status {
        list.push(("status", own, SUB_VERBS.to_vec()));
    }
    if resource.scale.is_some() {
        let kind = [
            "autoscaling".to_owned(),
            "v1".to_owned(),
            "Scale".to_owned(),
        ];
        list.push(("scale", kind, SUB_VERBS.to_vec()));
    }
    list
}

fn entries(resource: &Arc<Resource>) -> Vec<Value> {
    let mut main = json!({
        "name": resource.plural, "singularName": resource.singular, "namespaced": resource.namespaced,
        "kind": resource.kind, "verbs": resource.verbs,
    });
    if !resource.short_names.is_empty() {
        main["shortNames"] = resource.short_names.clone().into();
    }
    if !resource.categories.is_empty() {
        main["categories"] = resource.categories.clone().into();
    }
    if resource.can("list") {
        main["storageVersionHash"] =
            hash(&format!("{}/{}", resource.stored_as, resource.kind)).into();
    }
    let mut all = vec![main];
    for (name, [group, version, kind], verbs) in subresources(resource) {
        let mut entry = json!({
            "name": format!("{}/{name}", resource.plural), "singularName": "", "namespaced": resource.namespaced,
            "kind": kind, "verbs": verbs,
        });
        if group != resource.group {
            entry["group"] = group.into();
            entry["version"] = version.into();
        }
        all.push(entry);
    }
    all
}

/// Eight bytes in base64, as the storage version hash is: opaque, equal for equal versions.
fn hash(text: &str) -> String {
    use base64::Engine as _;
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    base64::prelude::BASE64_STANDARD.encode(state.to_be_bytes())
}

fn aggregated_group(registry: &Registry, group: &str) -> Value {
    let versions: Vec<Value> = registry
        .versions(group)
        .into_iter()
        .map(|version| {
            let resources: Vec<Value> = registry
                .resources(group, &version)
                .iter()
                .map(|r| aggregated_resource(r))
                .collect();
            json!({ "version": version, "resources": resources, "freshness": "Current" })
        })
        .collect();
    let metadata = if group.is_empty() {
        json!({})
    } else {
        json!({ "name": group })
    };
    json!({ "metadata": metadata, "versions": versions })
}

fn aggregated_resource(resource: &Resource) -> Value {
    let kind = |[group, version, kind]: &[String; 3]| json!({ "group": group, "version": version, "kind": kind });
    let own = [
        resource.group.clone(),
        resource.version.clone(),
        resource.kind.clone(),
    ];
    let mut entry = json!({
        "resource": resource.plural, "responseKind": kind(&own),
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": resource.singular, "verbs": resource.verbs,
    });
    if !resource.short_names.is_empty() {
        entry["shortNames"] = resource.short_names.clone().into();
    }
    if !resource.categories.is_empty() {
        entry["categories"] = resource.categories.clone().into();
    }
    let subresources: Vec<Value> = subresources(resource)
        .into_iter()
        .map(|(name, response, verbs)| json!({ "subresource": name, "responseKind": kind(&response), "verbs": verbs }))
        .collect();
    if !subresources.is_empty() {
        entry["subresources"] = subresources.into();
    }
    entry
}
