//! Admission and conversion webhooks, in process and over HTTP.
#![allow(clippy::unwrap_used)]

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

#[tokio::test(start_paused = true)]
async fn a_validating_webhook_sees_each_write_and_may_refuse_it() {
    let cluster = Cluster::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    cluster.webhook("default/judge/review", move |review| {
        let request = &review["request"];
        log.lock().unwrap().push(request.clone());
        let bad = request["object"]["data"]["color"] == "red";
        answer(
            review,
            json!({
                "allowed": !bad, "warnings": ["careful"],
                "status": { "code": 403, "reason": "Forbidden", "message": "no red" },
            }),
        )
    });
    cluster
        .create_raw(hook("Validating", "judge", service("judge"), json!({})))
        .unwrap();
    let api = maps(&cluster);
    let made = api
        .create(
            &PostParams::default(),
            &map("a", json!({ "color": "blue" })),
        )
        .await
        .unwrap();
    assert!(made.metadata.uid.is_some());
    let patch = Patch::Merge(json!({ "data": { "color": "red" } }));
    let error = api
        .patch("a", &PatchParams::default(), &patch)
        .await
        .unwrap_err();
    assert_eq!(
        refusal(error),
        (
            403,
            "admission webhook \"judge.example.com\" denied the request: no red".to_owned()
        )
    );
    assert_eq!(
        api.get("a").await.unwrap().metadata.resource_version,
        made.metadata.resource_version
    );
    api.delete("a", &DeleteParams::default()).await.unwrap();
    let seen = seen.lock().unwrap();
    let told: Vec<&Value> = seen.iter().map(|request| &request["operation"]).collect();
    assert_eq!(told, ["CREATE", "UPDATE", "DELETE"]);
    assert_eq!(seen[1]["oldObject"]["data"]["color"], "blue");
    assert_eq!(seen[1]["options"]["kind"], "PatchOptions");
    assert_eq!(seen[2]["object"], Value::Null);
    assert_eq!(seen[2]["name"], "a");
    assert_eq!(seen[0]["userInfo"]["username"], "kubernetes-admin");
}

#[tokio::test(start_paused = true)]
async fn mutating_webhooks_come_in_order_and_again_if_needed() {
    let cluster = Cluster::new();
    let append = |review: &Value, letter: &str| {
        let before = review["request"]["object"]["data"]["path"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        if before.ends_with(letter) {
            return answer(review, json!({ "allowed": true }));
        }
        let ops =
            json!([{ "op": "add", "path": "/data/path", "value": format!("{before}{letter}") }]);
        answer(
            review,
            json!({ "allowed": true, "patchType": "JSONPatch", "patch": json_patch(&ops) }),
        )
    };
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    cluster.webhook("default/one", move |review| {
        counted.fetch_add(1, Ordering::SeqCst);
        assert!(review["request"]["object"]["metadata"]["uid"].is_null());
        append(review, "1")
    });
    cluster.webhook("default/two", move |review| append(review, "2"));
    let again = json!({ "reinvocationPolicy": "IfNeeded" });
    let creations = json!([{ "operations": ["CREATE"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"] }]);
    cluster
        .create_raw(hook(
            "Mutating",
            "b-two",
            service("two"),
            json!({ "rules": creations.clone() }),
        ))
        .unwrap();
    let mut first = hook("Mutating", "a-one", service("one"), again);
    first["webhooks"][0]["rules"] = creations;
    cluster.create_raw(first).unwrap();
    let made = maps(&cluster)
        .create(&PostParams::default(), &map("a", json!({ "path": "0" })))
        .await
        .unwrap();
    assert_eq!(made.data.unwrap()["path"], "0121");
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_slow_webhook_times_out_in_virtual_time_as_its_policy_says() {
    let cluster = Cluster::new();
    cluster.webhook_async("default/slow", |review| async move {
        tokio::time::sleep(Duration::from_secs(60)).await;
        answer(&review, json!({ "allowed": false }))
    });
    let limit = json!({ "timeoutSeconds": 7 });
    cluster
        .create_raw(hook("Validating", "slow", service("slow"), limit))
        .unwrap();
    let api = maps(&cluster);
    let begin = tokio::time::Instant::now();
    let error = api
        .create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap_err();
    assert_eq!(begin.elapsed().as_secs(), 7);
    let (code, message) = refusal(error);
    assert_eq!(code, 500);
    assert_eq!(
        message,
        "Internal error occurred: failed calling webhook \"slow.example.com\": failed to call webhook: Post \"https://slow.default.svc:443/review?timeout=7s\": context deadline exceeded"
    );
    let patch = json!({ "webhooks": [{
        "name": "slow.example.com", "clientConfig": service("slow"), "sideEffects": "None",
        "admissionReviewVersions": ["v1"], "failurePolicy": "Ignore",
        "rules": [{ "operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"] }],
    }] });
    cluster
        .patch_raw("validatingwebhookconfigurations", "", "slow", "", &patch)
        .unwrap();
    api.create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_in_time_counts_once() {
    let cluster = Cluster::new();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    cluster.webhook_async("default/slow", move |review| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            tokio::time::sleep(Duration::from_secs(3)).await;
            answer(&review, json!({ "allowed": true }))
        }
    });
    cluster
        .create_raw(hook("Validating", "slow", service("slow"), json!({})))
        .unwrap();
    cluster
        .create_raw(hook("Mutating", "slow", service("slow"), json!({})))
        .unwrap();
    let api = maps(&cluster);
    for name in ["a", "b"] {
        api.create(&PostParams::default(), &map(name, json!({})))
            .await
            .unwrap();
    }
    assert_eq!(calls.load(Ordering::SeqCst), 4);
    api.delete_collection(&DeleteParams::default(), &ListParams::default())
        .await
        .unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 8);
    assert_eq!(cluster.log().writes(), 3);
    assert!(
        cluster
            .list_raw("configmaps", "default")
            .unwrap()
            .is_empty()
    );
}

#[tokio::test(start_paused = true)]
async fn selectors_and_dry_runs_decide_who_is_asked() {
    let cluster = Cluster::new();
    cluster.webhook("default/never", |review| {
        answer(review, json!({ "allowed": false }))
    });
    let other = json!({ "objectSelector": { "matchLabels": { "guarded": "yes" } } });
    cluster
        .create_raw(hook("Validating", "labels", service("never"), other))
        .unwrap();
    let elsewhere = json!({ "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": "kube-system" } } });
    cluster
        .create_raw(hook("Validating", "spaces", service("never"), elsewhere))
        .unwrap();
    let api = maps(&cluster);
    api.create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap();
    let mut guarded = map("b", json!({}));
    guarded.metadata.labels = Some([("guarded".to_owned(), "yes".to_owned())].into());
    let error = api
        .create(&PostParams::default(), &guarded)
        .await
        .unwrap_err();
    assert_eq!(
        refusal(error),
        (
            400,
            "admission webhook \"labels.example.com\" denied the request without explanation"
                .to_owned()
        )
    );
    let system: Api<ConfigMap> = Api::namespaced(cluster.client(), "kube-system");
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let error = system.create(&dry, &map("c", json!({}))).await.unwrap_err();
    assert!(refusal(error).1.contains("spaces.example.com"));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_nobody_serves_cannot_be_called() {
    let cluster = Cluster::new();
    cluster
        .create_raw(hook("Validating", "gone", service("gone"), json!({})))
        .unwrap();
    let error = maps(&cluster)
        .create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap_err();
    let (code, message) = refusal(error);
    assert_eq!(code, 500);
    assert!(message.ends_with("service \"gone\" not found"), "{message}");
    let secure = json!({ "url": "https://hooks.example.com/x" });
    cluster
        .create_raw(hook("Validating", "a-tls", secure, json!({})))
        .unwrap();
    let error = maps(&cluster)
        .create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap_err();
    assert_eq!(refusal(error).0, 501);
}

#[tokio::test]
async fn webhooks_are_called_over_http() {
    use http_body_util::BodyExt;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/review", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let service = hyper::service::service_fn(
                |request: http::Request<hyper::body::Incoming>| async move {
                    let body = request.into_body().collect().await.unwrap().to_bytes();
                    let review: Value = serde_json::from_slice(&body).unwrap();
                    let status = json!({ "message": "over http" });
                    let said = answer(&review, json!({ "allowed": false, "status": status }));
                    Ok::<_, std::convert::Infallible>(http::Response::new(said.to_string()))
                },
            );
            tokio::spawn(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(hyper_util::rt::TokioIo::new(stream), service),
            );
        }
    });
    let cluster = Cluster::new();
    cluster
        .create_raw(hook("Validating", "http", json!({ "url": url }), json!({})))
        .unwrap();
    let error = maps(&cluster)
        .create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap_err();
    assert_eq!(
        refusal(error).1,
        "admission webhook \"http.example.com\" denied the request: over http"
    );
}

/// Widgets with `spec.size` in v1 and `spec.extent` in v2, where v1 is stored.
fn definition() -> Value {
    let version = |name: &str, field: &str, storage: bool| {
        json!({
            "name": name, "served": true, "storage": storage, "subresources": { "status": {} },
            "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": {
                "type": "object", "properties": { field: { "type": "integer" } },
            } } } },
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.test.example.com" },
        "spec": {
            "group": "test.example.com", "scope": "Namespaced",
            "names": { "kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList" },
            "versions": [version("v1", "size", true), version("v2", "extent", false)],
            "conversion": { "strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"], "clientConfig": service("convert"),
            } },
        },
    })
}

fn convert(review: &Value) -> Value {
    let request = &review["request"];
    let wanted = &request["desiredAPIVersion"];
    let (from, to) = if *wanted == "test.example.com/v2" {
        ("size", "extent")
    } else {
        ("extent", "size")
    };
    let objects: Vec<Value> = request["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|object| {
            let mut object = object.clone();
            object["apiVersion"] = wanted.clone();
            let spec = object["spec"].as_object_mut().unwrap();
            if let Some(value) = spec.remove(from) {
                spec.insert(to.to_owned(), value);
            }
            object
        })
        .collect();
    answer(
        review,
        json!({ "convertedObjects": objects, "result": { "status": "Success" } }),
    )
}

fn widgets(cluster: &Cluster, version: &str) -> Api<DynamicObject> {
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(
        "test.example.com",
        version,
        "Widget",
    ));
    Api::namespaced_with(cluster.client(), "default", &kind)
}

async fn check_conversion(cluster: &Cluster) {
    let (old, new) = (widgets(cluster, "v1"), widgets(cluster, "v2"));
    let mut seen = new
        .watch(&WatchParams::default(), "0")
        .await
        .unwrap()
        .boxed();
    let widget: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "test.example.com/v2", "kind": "Widget", "metadata": { "name": "a" }, "spec": { "extent": 3 },
    }))
    .unwrap();
    let made = new.create(&PostParams::default(), &widget).await.unwrap();
    assert_eq!(made.data["spec"], json!({ "extent": 3 }));
    assert_eq!(
        old.get("a").await.unwrap().data["spec"],
        json!({ "size": 3 })
    );
    let patch = Patch::Merge(json!({ "spec": { "size": 4 } }));
    old.patch("a", &PatchParams::default(), &patch)
        .await
        .unwrap();
    let patch = Patch::Merge(json!({ "metadata": { "finalizers": ["test.example.com/x"] } }));
    let patched = new
        .patch("a", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_eq!(patched.data["spec"], json!({ "extent": 4 }));
    assert_eq!(
        patched.metadata.resource_version,
        old.get("a").await.unwrap().metadata.resource_version
    );
    let listed = new.list(&ListParams::default()).await.unwrap();
    assert_eq!(listed.items[0].data["spec"], json!({ "extent": 4 }));
    let marked = new
        .delete("a", &DeleteParams::default())
        .await
        .unwrap()
        .left()
        .unwrap();
    assert_eq!(marked.data["spec"], json!({ "extent": 4 }));
    let mut extents = Vec::new();
    while extents.len() < 4 {
        match seen.next().await.unwrap().unwrap() {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                extents.push(object.data["spec"]["extent"].as_i64().unwrap());
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(extents, [3, 4, 4, 4]);
}

#[tokio::test(start_paused = true)]
async fn custom_resources_are_converted_by_webhook() {
    let cluster = Cluster::new();
    cluster.create_raw(definition()).unwrap();
    cluster.webhook("default/convert", convert);
    check_conversion(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn a_conversion_may_take_its_time() {
    let cluster = Cluster::new();
    cluster.create_raw(definition()).unwrap();
    cluster.webhook_async("default/convert", |review| async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        convert(&review)
    });
    check_conversion(&cluster).await;
    assert_eq!(cluster.log().writes(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_conversion_that_fails_is_an_error_of_the_server() {
    let cluster = Cluster::new();
    cluster.create_raw(definition()).unwrap();
    cluster.webhook("default/convert", |review| {
        answer(
            review,
            json!({ "result": { "status": "Failure", "message": "cannot" } }),
        )
    });
    let widget: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "test.example.com/v2", "kind": "Widget", "metadata": { "name": "a" }, "spec": { "extent": 3 },
    }))
    .unwrap();
    let error = widgets(&cluster, "v2")
        .create(&PostParams::default(), &widget)
        .await
        .unwrap_err();
    assert_eq!(
        refusal(error),
        (
            500,
            "conversion webhook for test.example.com/v2, Kind=Widget failed: cannot".to_owned()
        )
    );
}

#[tokio::test(start_paused = true)]
async fn a_rule_for_another_version_matches_what_is_equivalent() {
    let cluster = Cluster::new();
    cluster.create_raw(definition()).unwrap();
    cluster.webhook("default/convert", convert);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    cluster.webhook("default/limit", move |review| {
        let request = &review["request"];
        log.lock().unwrap().push(request.clone());
        let ops = json!([{ "op": "replace", "path": "/spec/extent", "value": 9 }]);
        answer(
            review,
            json!({ "allowed": true, "patchType": "JSONPatch", "patch": json_patch(&ops) }),
        )
    });
    let rules = json!([{
        "operations": ["CREATE"], "apiGroups": ["test.example.com"], "apiVersions": ["v2"], "resources": ["widgets"],
    }]);
    let exact = json!({ "rules": rules.clone(), "matchPolicy": "Exact" });
    cluster
        .create_raw(hook("Validating", "exact", service("gone"), exact))
        .unwrap();
    let limit = hook(
        "Mutating",
        "limit",
        service("limit"),
        json!({ "rules": rules }),
    );
    cluster.create_raw(limit).unwrap();
    let widget: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "test.example.com/v1", "kind": "Widget", "metadata": { "name": "a" }, "spec": { "size": 3 },
    }))
    .unwrap();
    let made = widgets(&cluster, "v1")
        .create(&PostParams::default(), &widget)
        .await
        .unwrap();
    assert_eq!(made.data["spec"], json!({ "size": 9 }));
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0]["object"]["spec"], json!({ "extent": 3 }));
    assert_eq!(seen[0]["kind"]["version"], "v2");
    assert_eq!(seen[0]["requestKind"]["version"], "v1");
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_another_question_is_none() {
    let cluster = Cluster::new();
    cluster.webhook("default/odd", |review| {
        let mut said = answer(review, json!({ "allowed": true }));
        said["response"]["uid"] = "x".into();
        said
    });
    cluster
        .create_raw(hook("Validating", "odd", service("odd"), json!({})))
        .unwrap();
    let error = maps(&cluster)
        .create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap_err();
    let (code, message) = refusal(error);
    assert_eq!(code, 500);
    assert!(
        message.contains("received invalid webhook response: expected response.uid="),
        "{message}"
    );
    assert!(
        cluster
            .list_raw("configmaps", "default")
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_configuration_is_checked() {
    let cluster = Cluster::new();
    let wrong = json!({ "sideEffects": "Some", "timeoutSeconds": 31, "failurePolicy": "Maybe", "clientConfig": {} });
    let refused = cluster
        .create_raw(hook("Validating", "wrong", json!({}), wrong))
        .unwrap_err();
    assert_eq!(refused.code(), 422);
    for text in [
        "webhooks[0].sideEffects: Unsupported value: \"Some\"",
        "webhooks[0].timeoutSeconds: Invalid value: 31",
        "webhooks[0].failurePolicy: Unsupported value: \"Maybe\"",
        "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
    ] {
        assert!(
            refused.message().contains(text),
            "{text}: {}",
            refused.message()
        );
    }
}

#[test]
fn a_url_is_checked() {
    let cluster = Cluster::new();
    for (url, why) in [
        (
            "ftp://h/x",
            "Invalid value: \"ftp\": 'https' is the only allowed URL scheme",
        ),
        ("https:///x", "Invalid value: \"\": host must be specified"),
        (
            "https://u:p@h/x",
            "Invalid value: \"u:p\": user information is not permitted",
        ),
        (
            "https://h/x#f",
            "Invalid value: \"f\": fragments are not permitted",
        ),
        (
            "https://h/x?q=1",
            "Invalid value: \"q=1\": query parameters are not permitted",
        ),
    ] {
        let config = hook("Validating", "w", json!({ "url": url }), json!({}));
        let refused = cluster.create_raw(config).unwrap_err();
        let text = format!("webhooks[0].clientConfig.url: {why}");
        assert!(refused.message().contains(&text), "{}", refused.message());
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_that_changes_nothing_is_shown_to_webhooks_too() {
    let cluster = Cluster::new();
    let api = maps(&cluster);
    let made = api
        .create(&PostParams::default(), &map("a", json!({ "x": "1" })))
        .await
        .unwrap();
    cluster.webhook("default/never", |review| {
        answer(review, json!({ "allowed": false }))
    });
    cluster
        .create_raw(hook("Validating", "never", service("never"), json!({})))
        .unwrap();
    let same = Patch::Merge(json!({ "data": { "x": "1" } }));
    let error = api
        .patch("a", &PatchParams::default(), &same)
        .await
        .unwrap_err();
    assert!(refusal(error).1.contains("denied the request"));
    let now = api.get("a").await.unwrap();
    assert_eq!(
        now.metadata.resource_version,
        made.metadata.resource_version
    );
}

#[tokio::test(start_paused = true)]
async fn match_conditions_decide_who_is_asked() {
    let cluster = Cluster::new();
    cluster.webhook("default/never", |review| {
        answer(review, json!({ "allowed": false }))
    });
    let conditions = json!({ "matchConditions": [
        { "name": "not-deleted", "expression": "request.operation != 'DELETE'" },
        { "name": "red", "expression": "has(object.data) && object.data.color == 'red'" },
        { "name": "human", "expression": "!('system:nodes' in request.userInfo.groups)" },
    ] });
    cluster
        .create_raw(hook("Validating", "red", service("never"), conditions))
        .unwrap();
    let api = maps(&cluster);
    let params = PostParams::default();
    api.create(&params, &map("a", json!({ "color": "blue" })))
        .await
        .unwrap();
    let error = api
        .create(&params, &map("b", json!({ "color": "red" })))
        .await
        .unwrap_err();
    assert!(refusal(error).1.contains("denied the request"));
    api.delete("a", &DeleteParams::default()).await.unwrap();
    let odd =
        json!({ "matchConditions": [{ "name": "odd", "expression": "object.nosuch.field == 1" }] });
    cluster
        .create_raw(hook("Validating", "odd", service("never"), odd))
        .unwrap();
    let error = api.create(&params, &map("c", json!({}))).await.unwrap_err();
    assert_eq!(refusal(error).0, 501);
    let broken = json!({ "matchConditions": [{ "name": "broken", "expression": "object.(" }] });
    let refused = cluster
        .create_raw(hook("Validating", "broken", service("never"), broken))
        .unwrap_err();
    assert_eq!(refused.code(), 422);
}
