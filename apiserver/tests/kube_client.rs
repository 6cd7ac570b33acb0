//! kube's own client, in process, under virtual time.
#![allow(clippy::unwrap_used)]

mod fixture;

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::watcher;
use opgen_apiserver::{Cluster, Fault, Stage, WriteVerdict};
use serde_json::json;

fn definition() -> serde_json::Value {
    fixture::widgets(&json!({ "replicas": { "type": "integer", "maximum": 10 } }))
}

fn widgets(cluster: &Cluster) -> Api<DynamicObject> {
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("test.example.com", "v1", "Widget"));
    Api::namespaced_with(cluster.client(), "default", &kind)
}

fn widget(name: &str, replicas: i64) -> DynamicObject {
    serde_json::from_value(json!({
        "apiVersion": "test.example.com/v1", "kind": "Widget",
        "metadata": { "name": name }, "spec": { "replicas": replicas },
    }))
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_custom_resource_lives_and_dies() {
    let cluster = Cluster::new();
    cluster.create_raw(definition()).unwrap();
    let api = widgets(&cluster);
    let made = api
        .create(&PostParams::default(), &widget("a", 1))
        .await
        .unwrap();
    assert_eq!(made.metadata.generation, Some(1));
    let patched = api
        .patch(
            "a",
            &PatchParams::default(),
            &Patch::Merge(json!({ "spec": { "replicas": 2 }, "status": { "phase": "x" } })),
        )
        .await
        .unwrap();
    assert_eq!(patched.metadata.generation, Some(2));
    assert!(patched.data.get("status").is_none());
    let status = api
        .patch_status(
            "a",
            &PatchParams::default(),
            &Patch::Merge(json!({ "status": { "phase": "Ready" } })),
        )
        .await
        .unwrap();
    assert_eq!(status.metadata.generation, Some(2));
    assert_eq!(status.data["status"]["phase"], "Ready");
    let wrong = api
        .patch(
            "a",
            &PatchParams::default(),
            &Patch::Merge(json!({ "spec": { "replicas": 11 } })),
        )
        .await
        .unwrap_err();
    assert!(matches!(wrong, kube::Error::Api(status) if status.code == 422));
    let same = api
        .patch(
            "a",
            &PatchParams::default(),
            &Patch::Merge(json!({ "spec": { "replicas": 2 } })),
        )
        .await
        .unwrap();
    assert_eq!(
        same.metadata.resource_version,
        status.metadata.resource_version
    );
    let finalizers =
        json!([{ "op": "add", "path": "/metadata/finalizers", "value": ["example.com/f"] }]);
    let patch: json_patch::Patch = serde_json::from_value(finalizers).unwrap();
    api.patch("a", &PatchParams::default(), &Patch::Json::<()>(patch))
        .await
        .unwrap();
    let marked = api
        .delete("a", &DeleteParams::default())
        .await
        .unwrap()
        .left()
        .unwrap();
    assert!(marked.metadata.deletion_timestamp.is_some());
    assert_eq!(marked.metadata.generation, Some(3));
    api.patch(
        "a",
        &PatchParams::default(),
        &Patch::Merge(json!({ "metadata": { "finalizers": null } })),
    )
    .await
    .unwrap();
    assert!(api.get_opt("a").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_watcher_sees_what_a_list_shows() {
    for config in [
        watcher::Config::default(),
        watcher::Config::default().streaming_lists(),
    ] {
        let cluster = Cluster::new();
        cluster.create_raw(definition()).unwrap();
        let api = widgets(&cluster);
        for name in ["a", "b", "c"] {
            api.create(&PostParams::default(), &widget(name, 1))
                .await
                .unwrap();
        }
        let mut events = watcher(api.clone(), config).boxed();
        let mut initial = Vec::new();
        loop {
            match events.try_next().await.unwrap().unwrap() {
                watcher::Event::InitApply(object) => initial.push(object.metadata.name.unwrap()),
                watcher::Event::InitDone => break,
                _ => {}
            }
        }
        assert_eq!(initial, ["a", "b", "c"]);
        api.delete("b", &DeleteParams::default()).await.unwrap();
        api.create(&PostParams::default(), &widget("d", 1))
            .await
            .unwrap();
        let first = events.try_next().await.unwrap().unwrap();
        assert!(
            matches!(first, watcher::Event::Delete(o) if o.metadata.name.as_deref() == Some("b"))
        );
        let second = events.try_next().await.unwrap().unwrap();
        assert!(
            matches!(second, watcher::Event::Apply(o) if o.metadata.name.as_deref() == Some("d"))
        );
        // A day of silence, with reconnects: nothing is told twice.
        let silence = tokio::time::timeout(Duration::from_secs(86_400), events.try_next()).await;
        assert!(silence.is_err());
        assert!(cluster.log().count(|e| e.verb == "watch") > 100);
    }
}

#[tokio::test(start_paused = true)]
async fn pages_show_one_revision() {
    let cluster = Cluster::new();
    let api: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    for name in ["a", "b", "c", "d"] {
        let map = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
        api.create(&PostParams::default(), &map).await.unwrap();
    }
    let page = api.list(&ListParams::default().limit(2)).await.unwrap();
    assert_eq!(page.metadata.remaining_item_count, Some(2));
    api.delete("c", &DeleteParams::default()).await.unwrap();
    let token = page.metadata.continue_.unwrap();
    let rest = api
        .list(&ListParams::default().limit(5).continue_token(&token))
        .await
        .unwrap();
    let names: Vec<_> = rest
        .items
        .iter()
        .filter_map(|o| o.metadata.name.clone())
        .collect();
    assert_eq!(names, ["c", "d"]);
}

#[tokio::test(start_paused = true)]
async fn faults_hit_what_they_name() {
    let cluster = Cluster::new();
    let api: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let map = |name: &str| serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
    let before = cluster.inject(
        Fault::new()
            .verb("create")
            .resource("configmaps")
            .occurrence(2)
            .fail_before_commit(409),
    );
    api.create(&PostParams::default(), &map("a")).await.unwrap();
    let error = api
        .create(&PostParams::default(), &map("b"))
        .await
        .unwrap_err();
    assert!(matches!(error, kube::Error::Api(status) if status.code == 409));
    assert!(api.get_opt("b").await.unwrap().is_none());
    assert_eq!(before.fired(), 1);
    cluster.clear_faults();
    cluster.inject(Fault::new().verb("create").fail_after_commit(504));
    api.create(&PostParams::default(), &map("c"))
        .await
        .unwrap_err();
    cluster.clear_faults();
    assert!(api.get_opt("c").await.unwrap().is_some());
    cluster.inject(
        Fault::new()
            .verb("create")
            .name("named")
            .fail_before_commit(500),
    );
    api.create(&PostParams::default(), &map("other"))
        .await
        .unwrap();
    api.create(&PostParams::default(), &map("named"))
        .await
        .unwrap_err();
    cluster.clear_faults();
    cluster.inject(Fault::new().verb("get").name("c").hang());
    assert!(
        tokio::time::timeout(Duration::from_secs(3_600), api.get("c"))
            .await
            .is_err()
    );
    cluster.clear_faults();
    cluster.inject(Fault::new().verb("get").delay(Duration::from_secs(30)));
    let start = cluster.clock().now();
    api.get("c").await.unwrap();
    assert_eq!(cluster.clock().now().duration_since(start).as_secs(), 30);
}

#[test]
fn a_hook_freezes_the_client_and_the_cluster_survives_the_runtime() {
    let cluster = Cluster::new();
    let run = |cluster: Cluster, name: &'static str| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            cluster.clock().rebase();
            let api: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
            let map = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
            tokio::time::timeout(
                Duration::from_secs(60),
                api.create(&PostParams::default(), &map),
            )
            .await
            .is_ok()
        })
    };
    for (name, stage, committed) in [("a", Stage::Before, false), ("b", Stage::After, true)] {
        cluster.on_write(std::sync::Arc::new(move |info, at| {
            if info.resource == "configmaps" && at == stage {
                WriteVerdict::Hang
            } else {
                WriteVerdict::Proceed
            }
        }));
        let earlier = cluster.clock().now();
        assert!(!run(cluster.clone(), name), "the client must hang");
        assert_eq!(
            cluster.get_raw("configmaps", "default", name).is_ok(),
            committed
        );
        assert!(cluster.clock().now() >= earlier);
    }
    cluster.clear_write_hook();
    assert!(run(cluster.clone(), "c"));
    assert_eq!(cluster.writes(), 2);
}
