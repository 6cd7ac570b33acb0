//! Figures, in one run: `cargo test --release --features server --test speed -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod fixture;

use std::time::{Duration, Instant};

use futures::StreamExt;
use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::watcher;
use opgen_apiserver::Cluster;
use serde_json::{Value, json};

fn definition() -> Value {
    fixture::widgets(&json!({
        "replicas": { "type": "integer", "minimum": 0 }, "color": { "type": "string", "default": "red" },
    }))
}

fn widget(name: &str) -> Value {
    json!({
        "apiVersion": "test.example.com/v1", "kind": "Widget",
        "metadata": { "name": name, "labels": { "app": "x" } }, "spec": { "replicas": 1 },
    })
}

/// Time that this thread has had the processor, where the system tells; else the time of day. A loaded machine lends
/// it to others, which says nothing about the server.
fn busy(since: Instant) -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|text| text.parse().ok());
    nanos.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// Patches per second of processor time and per second of the clock.
#[derive(Clone, Copy)]
struct Rate {
    busy: f64,
    clock: f64,
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.0} ({:.0} by the clock)", self.busy, self.clock)
    }
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

/// What is measured: kinds of patches, each with a new value every time.
#[derive(Clone, Copy)]
enum Kind {
    Merge,
    Json,
    Apply,
}

async fn patches(api: &Api<DynamicObject>, count: usize, kind: Kind) -> Rate {
    let begin = Instant::now();
    let before = busy(begin);
    for index in 0..count {
        let name = format!("w{}", index % 100);
        let (params, patch) = match kind {
            Kind::Apply => {
                let mut config = widget(&name);
                config["spec"]["replicas"] = index.into();
                (PatchParams::apply("speed").force(), Patch::Apply(config))
            }
            Kind::Merge => {
                let patch = json!({ "spec": { "replicas": index } });
                (PatchParams::default(), Patch::Merge(patch))
            }
            Kind::Json => {
                let ops =
                    json!([{ "op": "replace", "path": "/spec/replicas", "value": index + 1 }]);
                let ops = serde_json::from_value(ops).unwrap();
                (PatchParams::default(), Patch::Json::<Value>(ops))
            }
        };
        api.patch(&name, &params, &patch).await.unwrap();
    }
    Rate {
        busy: count as f64 / (busy(begin) - before).as_secs_f64(),
        clock: count as f64 / begin.elapsed().as_secs_f64(),
    }
}

/// What kube's client itself costs: the same requests to a service that answers each with the same bytes.
async fn floor(answer: String, kind: &ApiResource) -> Rate {
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let answer = answer.clone();
        async move {
            let _ = http_body_util::BodyExt::collect(request.into_body()).await;
            let body = http_body_util::Full::new(bytes::Bytes::from(answer));
            Ok::<_, std::convert::Infallible>(http::Response::new(body))
        }
    });
    let client = kube::Client::new(service, "default");
    patches(
        &Api::namespaced_with(client, "default", kind),
        20_000,
        Kind::Merge,
    )
    .await
}

/// Bytes that each of `count` new objects takes, and those of its JSON.
fn footprint(cluster: &Cluster, count: u64) -> (u64, u64) {
    cluster.create_raw(definition()).unwrap();
    let before = resident();
    let mut json = 0;
    for index in 0..count {
        let made = cluster.create_raw(widget(&format!("o{index}"))).unwrap();
        json += made.to_string().len() as u64;
    }
    (resident().saturating_sub(before) / count, json / count)
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
    let merged = patches(&api, 20_000, Kind::Merge).await;
    let edited = patches(&api, 20_000, Kind::Json).await;
    let applied = patches(&api, 5_000, Kind::Apply).await;
    watching.abort();
    let answer = cluster.get_raw("widgets", "default", "w0").unwrap();
    let floor = floor(answer.to_string(), &kind).await;
    eprintln!("through kube's client with one watcher, per second of processor time:");
    eprintln!("merge patches: {merged}; JSON patches: {edited}; applies: {applied}");
    eprintln!("merge patches by the client alone, without a server: {floor}");

    let cluster = Cluster::builder().history(1).build();
    let (each, json) = footprint(&cluster, 20_000);
    eprintln!("{each} bytes per object, of which {json} are its JSON");
    let before = resident();
    let deep = Cluster::builder().history(1_000).build();
    deep.create_raw(definition()).unwrap();
    deep.create_raw(widget("w")).unwrap();
    for index in 0..2_000 {
        let patch = json!({ "spec": { "replicas": index } });
        deep.patch_raw("widgets", "default", "w", "", &patch)
            .unwrap();
    }
    let history = resident().saturating_sub(before) / 1_000;
    eprintln!("{history} bytes per revision of a history of 1,000 (objects in use included)");
    assert!(start < Duration::from_millis(5));
    assert!(each.saturating_sub(json) < 3_000);
    assert!(merged.busy > 20_000.0 && edited.busy > 20_000.0);
}
