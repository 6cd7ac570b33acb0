//! More objects than the server keeps parsed: those at rest are served, compared and patched as if they were.
#![allow(clippy::unwrap_used)]

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{
    Api, DynamicObject, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use kube::core::{ApiResource, GroupVersionKind};
use opgen_apiserver::Cluster;
use serde_json::json;

const COUNT: usize = 1_500;

fn map(index: usize) -> serde_json::Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": format!("m{index:04}"), "labels": { "part": (index % 3).to_string() } },
        "data": { "index": index.to_string() },
    })
}

#[tokio::test(start_paused = true)]
async fn objects_at_rest_are_as_good_as_those_in_use() {
    let cluster = Cluster::builder().history(10_000).build();
    let begin = cluster.revision();
    for index in 0..COUNT {
        cluster.create_raw(map(index)).unwrap();
    }
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let chosen = maps
        .list(&ListParams::default().labels("part=1"))
        .await
        .unwrap();
    assert_eq!(chosen.items.len(), COUNT / 3);
    let first = maps.get("m0000").await.unwrap();
    assert_eq!(first.data.as_ref().unwrap()["index"], "0");
    let written = cluster.revision();
    let same = maps
        .replace("m0000", &PostParams::default(), &first)
        .await
        .unwrap();
    assert_eq!(
        same.metadata.resource_version,
        first.metadata.resource_version
    );
    assert_eq!(cluster.revision(), written, "the same content is no write");
    let patch = Patch::Merge(json!({ "metadata": { "labels": { "part": "9" } } }));
    maps.patch("m0001", &PatchParams::default(), &patch)
        .await
        .unwrap();
    // A watch from the beginning, with a selector that the patched object leaves at the end.
    let params = WatchParams::default().labels("part=1");
    let seen = maps.watch(&params, &begin.to_string()).await.unwrap();
    let seen: Vec<_> = seen.take(COUNT / 3 + 1).collect().await;
    let (last, added) = seen.split_last().unwrap();
    assert!(
        added
            .iter()
            .all(|event| matches!(event, Ok(WatchEvent::Added(_))))
    );
    assert!(
        matches!(last, Ok(WatchEvent::Deleted(object)) if object.metadata.name.as_deref() == Some("m0001"))
    );
}

#[tokio::test(start_paused = true)]
async fn fractions_do_not_change_at_rest() {
    let cluster = Cluster::new();
    cluster
        .create_raw(json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "gauges.test.example.com" },
            "spec": {
                "group": "test.example.com", "scope": "Namespaced",
                "names": { "kind": "Gauge", "plural": "gauges", "singular": "gauge", "listKind": "GaugeList" },
                "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": {
                    "type": "object", "properties": { "spec": {
                        "type": "object", "properties": { "values": { "type": "array", "items": { "type": "number" } } },
                    } },
                } } }],
            },
        }))
        .unwrap();
    let values: Vec<f64> = (1..200).map(|n| f64::from(n) / 7.0).collect();
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("test.example.com", "v1", "Gauge"));
    let gauges: Api<DynamicObject> = Api::namespaced_with(cluster.client(), "default", &kind);
    let gauge: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "test.example.com/v1", "kind": "Gauge",
        "metadata": { "name": "g" }, "spec": { "values": values },
    }))
    .unwrap();
    gauges.create(&PostParams::default(), &gauge).await.unwrap();
    for index in 0..COUNT {
        cluster.create_raw(map(index)).unwrap();
    }
    let before = cluster.revision();
    let patch = Patch::Merge(json!({ "spec": { "values": values } }));
    gauges
        .patch("g", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_eq!(cluster.revision(), before, "the same numbers are no write");
}
