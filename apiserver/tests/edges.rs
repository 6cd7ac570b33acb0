//! Rules of the real server that are met seldom.
#![allow(clippy::unwrap_used)]

mod fixture;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::{Stream, StreamExt};
use http_body_util::BodyExt;
use opgen_apiserver::{Cluster, ClusterService, Stage, WriteVerdict};
use serde_json::{Value, json};
use tower::Service;

const WIDGETS: &str = "/apis/test.example.com/v1/namespaces/default/widgets";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn widgets(spec: &Value) -> Cluster {
    let cluster = Cluster::new();
    cluster.create_raw(fixture::widgets(spec)).unwrap();
    cluster
}

fn widget(name: &str, spec: Value) -> Value {
    json!({ "apiVersion": "test.example.com/v1", "kind": "Widget", "metadata": { "name": name }, "spec": spec })
}

/// Gives the widgets another schema.
fn change(cluster: &Cluster, spec: &Value) {
    let versions = &fixture::widgets(spec)["spec"]["versions"];
    let patch = json!({ "spec": { "versions": versions } });
    cluster
        .patch_raw(
            "customresourcedefinitions",
            "",
            "widgets.test.example.com",
            "",
            &patch,
        )
        .unwrap();
}

async fn send(mut service: ClusterService, request: http::Request<String>) -> (u16, Value) {
    let response = service.call(request).await.unwrap();
    let code = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&body).unwrap())
}

async fn post(cluster: &Cluster, path: &str, body: Value) -> (u16, Value) {
    let request = http::Request::post(path)
        .header("content-type", "application/json")
        .body(body.to_string())
        .unwrap();
    send(cluster.service(), request).await
}

/// The lines of a watch.
async fn watch(cluster: &Cluster, path: &str, query: &str) -> impl Stream<Item = Value> + use<> {
    let request = http::Request::get(format!("{path}?watch=1&{query}"))
        .body(String::new())
        .unwrap();
    let response = cluster.service().call(request).await.unwrap();
    let lines = response.into_body().into_data_stream();
    lines
        .map(|line| serde_json::from_slice::<Value>(&line.unwrap()).unwrap())
        .boxed()
}

#[tokio::test(start_paused = true)]
async fn watches_end_with_the_definition_that_they_began_with() {
    let cluster = widgets(&json!({ "a": { "type": "string" } }));
    let from = cluster.revision();
    let mut lines = watch(&cluster, WIDGETS, &format!("resourceVersion={from}")).await;
    cluster
        .create_raw(widget("w", json!({ "a": "1" })))
        .unwrap();
    let seen = cluster.revision();
    // Labels and conditions of the definition do not matter.
    let labels = json!({ "metadata": { "labels": { "a": "b" } } });
    cluster
        .patch_raw(
            "customresourcedefinitions",
            "",
            "widgets.test.example.com",
            "",
            &labels,
        )
        .unwrap();
    assert_eq!(lines.next().await.unwrap()["type"], "ADDED");
    let more = tokio::time::timeout(Duration::from_secs(1), lines.next()).await;
    assert!(more.is_err(), "the watch goes on");
    cluster.create_raw(widget("x", json!({}))).unwrap();

    change(&cluster, &json!({ "b": { "type": "string" } }));
    assert_eq!(
        lines.next().await.unwrap()["object"]["metadata"]["name"],
        "x"
    );
    assert_eq!(lines.next().await, None);
    let mut lines = watch(&cluster, WIDGETS, &format!("resourceVersion={seen}")).await;
    assert_eq!(lines.next().await.unwrap()["object"]["code"], 410);
    assert_eq!(lines.next().await, None);
    // Who lists anew goes on.
    let (_, list) = send(
        cluster.service(),
        http::Request::get(WIDGETS).body(String::new()).unwrap(),
    )
    .await;
    let version = list["metadata"]["resourceVersion"].as_str().unwrap();
    let mut lines = watch(&cluster, WIDGETS, &format!("resourceVersion={version}")).await;
    cluster
        .create_raw(widget("y", json!({ "b": "1" })))
        .unwrap();
    assert_eq!(
        lines.next().await.unwrap()["object"]["spec"],
        json!({ "b": "1" })
    );
}

#[test]
fn a_field_that_comes_back_brings_its_values_back() {
    let text = json!({ "type": "string" });
    let cluster = widgets(&json!({ "a": text, "b": text }));
    for name in ["w", "touched"] {
        cluster
            .create_raw(widget(name, json!({ "a": "1", "b": "1" })))
            .unwrap();
    }
    let spec = |name: &str| cluster.get_raw("widgets", "default", name).unwrap()["spec"].clone();
    change(
        &cluster,
        &json!({ "a": text, "c": { "type": "string", "default": "new" } }),
    );
    assert_eq!(spec("w"), json!({ "a": "1", "c": "new" }));
    let patch = json!({ "spec": { "a": "2" } });
    cluster
        .patch_raw("widgets", "default", "touched", "", &patch)
        .unwrap();
    change(&cluster, &json!({ "a": text, "b": text }));
    assert_eq!(spec("w"), json!({ "a": "1", "b": "1" }));
    // What was written meanwhile was written without it.
    assert_eq!(spec("touched"), json!({ "a": "2" }));
}

#[tokio::test(start_paused = true)]
async fn a_generated_name_that_is_taken_is_drawn_again() {
    let taken = |times: usize| {
        let cluster = Cluster::new();
        let (others, count) = (cluster.clone(), Arc::new(AtomicUsize::new(0)));
        cluster.on_write(Arc::new(move |write, stage| {
            // Somebody is faster, each time just before the commit.
            if stage == Stage::Before && count.fetch_add(1, Ordering::SeqCst) < times {
                let metadata = json!({ "name": write.name });
                others
                    .create_raw(
                        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata }),
                    )
                    .unwrap();
            }
            WriteVerdict::Proceed
        }));
        cluster
    };
    let wanted =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "generateName": "m-" } });
    let cluster = taken(7);
    let (code, made) = post(&cluster, MAPS, wanted.clone()).await;
    assert_eq!(code, 201, "{made}");
    assert_eq!(cluster.list_raw("configmaps", "default").unwrap().len(), 8);
    let (code, refused) = post(&taken(8), MAPS, wanted).await;
    assert_eq!((code, &refused["reason"]), (409, &"AlreadyExists".into()));
}

#[tokio::test(start_paused = true)]
async fn rights_can_be_bound_to_the_one_name_that_is_listed() {
    let cluster = Cluster::builder().rbac(true).build();
    cluster
        .apply_manifests(&[
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
                "metadata": { "name": "one", "namespace": "default" },
                "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["m"], "verbs": ["list", "watch"] }],
            }),
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                "metadata": { "name": "one", "namespace": "default" },
                "subjects": [{ "kind": "User", "name": "jane" }],
                "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "one" },
            }),
        ])
        .unwrap();
    let list = async |query: &str| {
        let request = http::Request::get(format!("{MAPS}?{query}"))
            .body(String::new())
            .unwrap();
        send(cluster.service_as("jane"), request).await
    };
    assert_eq!(list("fieldSelector=metadata.name%3Dm").await.0, 200);
    assert_eq!(
        list("fieldSelector=metadata.namespace%3Ddefault,metadata.name%3D%3Dm")
            .await
            .0,
        200
    );
    let (code, refused) = list("fieldSelector=metadata.name%3Dn").await;
    assert_eq!(code, 403);
    let head = "configmaps \"n\" is forbidden: User \"jane\" cannot list resource \"configmaps\"";
    assert!(
        refused["message"].as_str().unwrap().starts_with(head),
        "{refused}"
    );
    assert_eq!(list("fieldSelector=metadata.name!%3Dm").await.0, 403);
    assert_eq!(list("").await.0, 403);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_kept_of_a_user_is_refused() {
    let cluster = Cluster::new();
    let request = http::Request::get(MAPS)
        .header("impersonate-user", "jane")
        .header("impersonate-extra-scopes", "view")
        .body(String::new())
        .unwrap();
    assert_eq!(send(cluster.service(), request).await.0, 501);
}

#[tokio::test(start_paused = true)]
async fn a_field_manager_can_be_printed() {
    let cluster = Cluster::new();
    let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "m" } });
    let (code, refused) = post(&cluster, &format!("{MAPS}?fieldManager=a%07b"), map).await;
    assert_eq!(code, 422);
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.contains("invalid character U+0007 (at position 1)"),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn initial_events_end_at_the_version_that_was_asked_for() {
    let cluster = Cluster::new();
    let ahead = cluster.revision() + 2;
    let query = format!(
        "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={ahead}"
    );
    let mut lines = watch(&cluster, MAPS, &query).await;
    let early = tokio::time::timeout(Duration::from_secs(5), lines.next()).await;
    assert!(early.is_err(), "the store is not there yet");
    let namespace = |name: &str| json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    cluster.create_raw(namespace("a")).unwrap();
    cluster.create_raw(namespace("b")).unwrap();
    let line = lines.next().await.unwrap();
    assert_eq!(line["type"], "BOOKMARK");
    let metadata = &line["object"]["metadata"];
    assert_eq!(metadata["annotations"]["k8s.io/initial-events-end"], "true");
    assert_eq!(metadata["resourceVersion"], ahead.to_string());
}

/// A running pod with the label `app: x`.
fn pod(cluster: &Cluster, name: &str) {
    cluster
        .create_raw(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "labels": { "app": "x" } },
            "spec": { "containers": [{ "name": "c", "image": "i" }] },
        }))
        .unwrap();
    let running = json!({ "status": { "phase": "Running" } });
    cluster
        .patch_raw("pods", "default", name, "status", &running)
        .unwrap();
}

fn budget(cluster: &Cluster, name: &str, selector: Value, allowed: i64) {
    cluster
        .create_raw(json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": name },
            "spec": { "minAvailable": 1, "selector": selector },
        }))
        .unwrap();
    let status = json!({ "status": {
        "observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2,
    } });
    cluster
        .patch_raw(
            "poddisruptionbudgets.policy",
            "default",
            name,
            "status",
            &status,
        )
        .unwrap();
}

async fn evict(cluster: &Cluster, name: &str, options: Value) -> (u16, Value) {
    let eviction = json!({
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": name }, "deleteOptions": options,
    });
    post(
        cluster,
        &format!("/api/v1/namespaces/default/pods/{name}/eviction"),
        eviction,
    )
    .await
}

#[tokio::test(start_paused = true)]
async fn each_eviction_takes_from_the_budget() {
    let cluster = Cluster::new();
    pod(&cluster, "a");
    pod(&cluster, "b");
    let expression =
        json!({ "matchExpressions": [{ "key": "app", "operator": "In", "values": ["x"] }] });
    budget(&cluster, "one", expression, 1);
    budget(
        &cluster,
        "others",
        json!({ "matchExpressions": [{ "key": "app", "operator": "DoesNotExist" }] }),
        0,
    );
    assert_eq!(
        evict(&cluster, "a", json!({ "dryRun": ["All"] })).await.0,
        201
    );
    // Its options are those of a delete, and checked as those are.
    for wrong in [
        json!({ "propagationPolicy": "Sideways" }),
        json!({ "dryRun": ["Some"] }),
        json!({ "propagationPolicy": "Orphan", "orphanDependents": true }),
    ] {
        assert_eq!(evict(&cluster, "a", wrong).await.0, 422);
    }
    assert_eq!(cluster.list_raw("pods", "default").unwrap().len(), 2);
    assert_eq!(evict(&cluster, "a", json!({})).await.0, 201);
    let status = cluster
        .get_raw("poddisruptionbudgets.policy", "default", "one")
        .unwrap()["status"]
        .clone();
    assert_eq!(status["disruptionsAllowed"], 0);
    assert!(status["disruptedPods"]["a"].is_string());
    let (code, refused) = evict(&cluster, "b", json!({})).await;
    assert_eq!(code, 429);
    assert_eq!(
        refused["message"],
        "Cannot evict pod as it would violate the pod's disruption budget."
    );
    assert_eq!(
        refused["details"]["causes"][0]["message"],
        "The disruption budget one needs 1 healthy pods and has 2 currently"
    );
    budget(&cluster, "two", json!({}), 1);
    assert_eq!(evict(&cluster, "b", json!({})).await.0, 500);
    assert_eq!(cluster.list_raw("pods", "default").unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_nobody_has_looked_at_allows_nothing() {
    let cluster = Cluster::new();
    pod(&cluster, "a");
    cluster
        .create_raw(json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": "new" },
            "spec": { "minAvailable": 1, "selector": { "matchLabels": { "app": "x" } } },
        }))
        .unwrap();
    let (code, refused) = evict(&cluster, "a", json!({})).await;
    assert_eq!(
        (code, &refused["details"]["retryAfterSeconds"]),
        (429, &10.into())
    );
    assert_eq!(
        refused["details"]["causes"][0]["message"],
        "The disruption budget new is still being processed by the server."
    );
}

#[test]
fn rules_have_a_budget() {
    let list = |limit: Option<u64>, items: Value| {
        let mut list = json!({ "type": "array", "items": items });
        if let Some(limit) = limit {
            list["maxItems"] = limit.into();
        }
        list
    };
    let text = json!({ "type": "string" });
    let create = |fields: Value, rule: &str| {
        let mut definition = fixture::widgets(&fields);
        let spec = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
            ["spec"];
        spec["x-kubernetes-validations"] = json!([{ "rule": rule }]);
        Cluster::new()
            .create_raw(definition)
            .map_err(|error| (error.code(), error.message().to_owned()))
    };
    let nested = "self.a.all(x, self.a.all(y, x == y || x != y))";
    let (code, message) = create(json!({ "a": list(None, text.clone()) }), nested).unwrap_err();
    assert_eq!(code, 422);
    let expected = "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
    assert!(message.contains(expected), "{message}");
    // Limits make it cheap enough.
    create(json!({ "a": list(Some(100), text.clone()) }), nested).unwrap();
    create(
        json!({ "a": list(None, text.clone()) }),
        "self.a.all(x, x != '')",
    )
    .unwrap();
    // Beyond the budget, but by a factor that only the real server can tell.
    let (code, _) = create(json!({ "a": list(Some(3_000), text.clone()) }), nested).unwrap_err();
    assert_eq!(code, 501);

    // A rule on the items of a list counts once for each.
    let items = |limit| {
        let rule = json!([{ "rule": "self.b.all(x, x != '')" }]);
        let item = json!({
            "type": "object", "properties": { "b": list(Some(1_000), text.clone()) }, "x-kubernetes-validations": rule,
        });
        create(json!({ "a": list(limit, item) }), "true")
    };
    assert_eq!(items(None).unwrap_err().0, 422);
    items(Some(10)).unwrap();
}
