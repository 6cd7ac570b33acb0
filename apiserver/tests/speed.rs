//! Figures, in one run: `cargo test --release --features server --test speed -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::time::{Duration, Instant};

use futures::StreamExt;
use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::watcher;
use opgen_apiserver::Cluster;
use serde_json::{Value, json};

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.test.example.com" },
        "spec": {
            "group": "test.example.com", "scope": "Namespaced",
            "names": { "kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList" },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                    "spec": { "type": "object", "properties": {
                        "replicas": { "type": "integer", "minimum": 0 }, "color": { "type": "string", "default": "red" },
                    } },
                    "status": { "type": "object", "properties": { "phase": { "type": "string" } } },
                } } },
            }],
        },
    })
}

fn widget(name: &str) -> Value {
    json!({
        "apiVersion": "test.example.com/v1", "kind": "Widget",
        "metadata": { "name": name, "labels": { "app": "x" } }, "spec": { "replicas": 1 },
    })
}

/// Resident memory in bytes, where the system tells.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm
        .split(' ')
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    pages * 4_096
}

async fn patches(api: &Api<DynamicObject>, count: usize, apply: bool) -> f64 {
    let begin = Instant::now();
    for index in 0..count {
        let name = format!("w{}", index % 100);
        if apply {
            let mut config = widget(&name);
            config["spec"]["replicas"] = index.into();
            api.patch(
                &name,
                &PatchParams::apply("speed").force(),
                &Patch::Apply(config),
            )
            .await
            .unwrap();
        } else {
            let patch = json!({ "spec": { "replicas": index } });
            api.patch(&name, &PatchParams::default(), &Patch::Merge(patch))
                .await
                .unwrap();
        }
    }
    count as f64 / begin.elapsed().as_secs_f64()
}

#[tokio::test]
#[ignore = "figures, to be taken in a release build"]
async fn figures() {
    let first = Instant::now();
    drop(Cluster::new());
    let first = first.elapsed();
    let begin = Instant::now();
    for _ in 0..20 {
        drop(Cluster::new());
    }
    let start = begin.elapsed() / 20;
    eprintln!("an empty cluster starts in {start:?} (the first in {first:?})");

    let cluster = Cluster::new();
    cluster.create_raw(definition()).unwrap();
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("test.example.com", "v1", "Widget"));
    let api: Api<DynamicObject> = Api::namespaced_with(cluster.client(), "default", &kind);
    for index in 0..100 {
        let object = serde_json::from_value(widget(&format!("w{index}"))).unwrap();
        api.create(&PostParams::default(), &object).await.unwrap();
    }
    let watched = api.clone();
    let watching = tokio::spawn(async move {
        let mut events = watcher(watched, watcher::Config::default()).boxed();
        while events.next().await.is_some() {}
    });
    let merged = patches(&api, 20_000, false).await;
    let applied = patches(&api, 5_000, true).await;
    watching.abort();
    eprintln!(
        "{merged:.0} merge patches/s, {applied:.0} applies/s, through kube's client with one watcher"
    );

    let cluster = Cluster::builder().history(1).build();
    cluster.create_raw(definition()).unwrap();
    let (before, count) = (resident(), 20_000u64);
    let mut json = 0;
    for index in 0..count {
        json += cluster
            .create_raw(widget(&format!("o{index}")))
            .unwrap()
            .to_string()
            .len() as u64;
    }
    let each = resident().saturating_sub(before) / count;
    eprintln!(
        "{each} bytes per object, of which {} are its JSON",
        json / count
    );
    assert!(start < Duration::from_millis(50) && merged > 100.0 && each < 20_000);
}
