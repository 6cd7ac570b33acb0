//! Rights, garbage, namespaces and the stand-in, through the public door.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::{WatchStreamExt, watcher};
use opgen_apiserver::{Cluster, Fault};
use serde_json::{Value, json};

fn map(name: &str, owner: Option<&ConfigMap>) -> ConfigMap {
    let mut value = json!({ "metadata": { "name": name }, "data": { "a": "1" } });
    if let Some(owner) = owner {
        value["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "v1", "kind": "ConfigMap", "name": owner.metadata.name, "uid": owner.metadata.uid,
        }]);
    }
    serde_json::from_value(value).unwrap()
}

fn code(error: &kube::Error) -> u16 {
    match error {
        kube::Error::Api(status) => status.code,
        other => panic!("not an API error: {other}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_account_has_what_its_role_grants() {
    let cluster = Cluster::builder().rbac(true).build();
    let user = "system:serviceaccount:default:op";
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client_as(user), "default");
    let error = maps.list(&Default::default()).await.unwrap_err();
    assert_eq!(code(&error), 403);
    assert!(error.to_string().contains(
        "cannot list resource \"configmaps\" in API group \"\" in the namespace \"default\""
    ));
    cluster
        .apply_manifests(&[
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": { "name": "r", "namespace": "default" },
                "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "create"] }],
            }),
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": { "name": "b", "namespace": "default" },
                "subjects": [{ "kind": "ServiceAccount", "name": "op", "namespace": "default" }],
                "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r" },
            }),
        ])
        .unwrap();
    maps.list(&Default::default()).await.unwrap();
    maps.create(&PostParams::default(), &map("a", None))
        .await
        .unwrap();
    assert_eq!(code(&maps.get("a").await.unwrap_err()), 403);
    let elsewhere: Api<ConfigMap> = Api::namespaced(cluster.client_as(user), "kube-system");
    assert_eq!(
        code(&elsewhere.list(&Default::default()).await.unwrap_err()),
        403
    );
    assert_eq!(cluster.log().count(|e| e.user == user && e.code == 403), 3);
    assert_eq!(cluster.log().writes(), 1);
}

#[tokio::test(start_paused = true)]
async fn garbage_goes_when_asked() {
    let cluster = Cluster::new();
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let owner = maps
        .create(&PostParams::default(), &map("owner", None))
        .await
        .unwrap();
    let child = maps
        .create(&PostParams::default(), &map("child", Some(&owner)))
        .await
        .unwrap();
    maps.create(&PostParams::default(), &map("grandchild", Some(&child)))
        .await
        .unwrap();
    assert!(cluster.collect_garbage().is_empty());
    maps.delete("owner", &DeleteParams::default())
        .await
        .unwrap();
    assert!(
        maps.get_opt("child").await.unwrap().is_some(),
        "the API server itself collects nothing"
    );
    assert_eq!(cluster.collect_garbage().deleted, 2);
    assert!(
        cluster
            .list_raw("configmaps", "default")
            .unwrap()
            .is_empty()
    );
}

#[tokio::test(start_paused = true)]
async fn foreground_and_orphan_deletions_are_finished() {
    let cluster = Cluster::new();
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let first = maps
        .create(&PostParams::default(), &map("first", None))
        .await
        .unwrap();
    maps.create(&PostParams::default(), &map("first-child", Some(&first)))
        .await
        .unwrap();
    let second = maps
        .create(&PostParams::default(), &map("second", None))
        .await
        .unwrap();
    maps.create(&PostParams::default(), &map("second-child", Some(&second)))
        .await
        .unwrap();
    maps.delete("first", &DeleteParams::foreground())
        .await
        .unwrap()
        .left()
        .unwrap();
    maps.delete("second", &DeleteParams::orphan())
        .await
        .unwrap()
        .left()
        .unwrap();
    cluster.collect_garbage();
    let left: Vec<Value> = cluster.list_raw("configmaps", "default").unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["metadata"]["name"], "second-child");
    assert!(left[0]["metadata"].get("ownerReferences").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_namespace_ends_with_its_content() {
    let cluster = Cluster::new();
    let namespaces: Api<Namespace> = Api::all(cluster.client());
    cluster
        .create_raw(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "n" } }))
        .unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "n");
    maps.create(&PostParams::default(), &map("a", None))
        .await
        .unwrap();
    let held: ConfigMap = serde_json::from_value(
        json!({ "metadata": { "name": "b", "finalizers": ["example.com/f"] } }),
    )
    .unwrap();
    maps.create(&PostParams::default(), &held).await.unwrap();
    namespaces
        .delete("n", &DeleteParams::default())
        .await
        .unwrap();
    let refused = maps
        .create(&PostParams::default(), &map("c", None))
        .await
        .unwrap_err();
    assert_eq!(code(&refused), 403);
    assert_eq!(cluster.terminate_namespaces().deleted, 2);
    assert!(namespaces.get_opt("n").await.unwrap().is_some());
    maps.patch(
        "b",
        &PatchParams::default(),
        &Patch::Merge(json!({ "metadata": { "finalizers": null } })),
    )
    .await
    .unwrap();
    cluster.terminate_namespaces();
    assert!(namespaces.get_opt("n").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_stand_in_makes_workloads_ready_after_its_delay() {
    let cluster = Cluster::new();
    let deployments: Api<Deployment> = Api::namespaced(cluster.client(), "default");
    let deployment: Deployment = serde_json::from_value(json!({
        "metadata": { "name": "d" },
        "spec": {
            "replicas": 3, "selector": { "matchLabels": { "a": "b" } },
            "template": { "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } },
        },
    }))
    .unwrap();
    let _stand_in = cluster.stand_in(Duration::from_secs(20));
    deployments
        .create(&PostParams::default(), &deployment)
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(
        deployments
            .get("d")
            .await
            .unwrap()
            .status
            .unwrap()
            .ready_replicas,
        None
    );
    tokio::time::sleep(Duration::from_secs(11)).await;
    let status = deployments.get("d").await.unwrap().status.unwrap();
    assert_eq!(status.ready_replicas, Some(3));
    let before = cluster.revision();
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    assert_eq!(cluster.revision(), before, "a ready workload is left alone");
}

#[tokio::test(start_paused = true)]
async fn a_watch_can_be_made_to_fail() {
    let cluster = Cluster::new();
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let dropped = cluster.inject(
        Fault::new()
            .resource("configmaps")
            .name("lost")
            .drop_events(),
    );
    cluster.inject(
        Fault::new()
            .verb("watch")
            .resource("configmaps")
            .occurrence(1)
            .expire_watch_after(3),
    );
    let mut seen = watcher(maps.clone(), watcher::Config::default())
        .default_backoff()
        .touched_objects()
        .boxed();
    let writer = maps.clone();
    tokio::spawn(async move {
        for name in ["a", "lost", "b", "c", "d"] {
            tokio::time::sleep(Duration::from_secs(1)).await;
            writer
                .create(&PostParams::default(), &map(name, None))
                .await
                .unwrap();
        }
    });
    let mut names = Vec::new();
    while !names.contains(&"d".to_owned()) {
        if let Ok(Some(object)) = seen.try_next().await {
            names.push(object.metadata.name.unwrap());
        }
    }
    // The third event was the end of the first watch; the list after it shows what was lost.
    assert!(dropped.fired() >= 1);
    assert!(names.contains(&"lost".to_owned()));
    assert!(cluster.log().count(|e| e.verb == "list") >= 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_missing_says_so() {
    let cluster = Cluster::new();
    let refused = cluster
        .create_raw(json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": { "name": "w" }, "webhooks": [{
                "name": "w.example.com", "clientConfig": { "url": "https://hooks.example.com" },
                "sideEffects": "None", "admissionReviewVersions": ["v1"],
                "matchConditions": [{ "name": "x", "expression": "authorizer.group('').resource('pods').check('get').allowed()" }],
            }],
        }))
        .unwrap_err();
    assert_eq!(refused.code(), 501);
}

#[test]
fn two_clusters_of_one_seed_are_alike() {
    let run = |seed| {
        let cluster = Cluster::builder().seed(seed).build();
        let made = cluster
            .create_raw(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "generateName": "x-" } }))
            .unwrap();
        (
            made["metadata"]["uid"].clone(),
            made["metadata"]["name"].clone(),
        )
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_too_slow_for_the_history_is_told() {
    use http_body_util::BodyExt;
    use tower::Service;
    for (compact, history) in [(true, 1_000), (false, 3)] {
        let cluster = Cluster::builder().history(history).build();
        let path = format!(
            "/api/v1/namespaces/default/configmaps?watch=1&resourceVersion={}",
            cluster.revision()
        );
        let request = http::Request::get(path).body(String::new()).unwrap();
        let mut lines = cluster
            .service()
            .call(request)
            .await
            .unwrap()
            .into_body()
            .into_data_stream();
        for index in 0..5 {
            let name = format!("m{index}");
            cluster.create_raw(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } })).unwrap();
        }
        if compact {
            cluster.compact();
        }
        let line: Value = serde_json::from_slice(&lines.next().await.unwrap().unwrap()).unwrap();
        assert_eq!(line["object"]["code"], 410);
        assert!(lines.next().await.is_none());
    }
}
