//! Admission and conversion webhooks, in process and over HTTP.
#![allow(clippy::unwrap_used)]

mod admission;
mod configuration;
mod conversion;
#[path = "../fixture/mod.rs"]
mod fixture;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{
    Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, WatchEvent,
    WatchParams,
};
use kube::core::{ApiResource, GroupVersionKind};
use opgen_apiserver::Cluster;
use serde_json::{Value, json};

fn answer(review: &Value, response: Value) -> Value {
    let mut response = response;
    response["uid"] = review["request"]["uid"].clone();
    json!({ "apiVersion": review["apiVersion"], "kind": review["kind"], "response": response })
}

fn json_patch(ops: &Value) -> String {
    base64::engine::general_purpose::STANDARD.encode(ops.to_string())
}

/// A configuration of one webhook for config maps; `more` is merged into it.
fn hook(kind: &str, name: &str, client: Value, more: Value) -> Value {
    let mut webhook = json!({
        "name": format!("{name}.example.com"), "clientConfig": client, "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "rules": [{ "operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"] }],
    });
    for (key, value) in more.as_object().unwrap() {
        webhook[key] = value.clone();
    }
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": format!("{kind}WebhookConfiguration"),
        "metadata": { "name": name }, "webhooks": [webhook],
    })
}

fn service(name: &str) -> Value {
    json!({ "service": { "namespace": "default", "name": name, "path": "/review" } })
}

fn map(name: &str, data: Value) -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": name }, "data": data })).unwrap()
}

fn maps(cluster: &Cluster) -> Api<ConfigMap> {
    Api::namespaced(cluster.client(), "default")
}

fn refusal(error: kube::Error) -> (u16, String) {
    match error {
        kube::Error::Api(status) => (status.code, status.message.clone()),
        other => panic!("{other}"),
    }
}
