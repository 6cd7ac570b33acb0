//! What kube 5 builds on top of its client: each scenario in process under virtual time, and over HTTP.
#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Event as CoreEvent, Pod};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, EvictParams, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::PartialObjectMeta;
use kube::discovery::{Discovery, Scope};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::runtime::finalizer::{Event as Finalizer, finalizer};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Client, Resource, ResourceExt};
use opgen_apiserver::{Cluster, Fault, Served};
use serde_json::json;

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": name }, "data": { "a": "1" } })).unwrap()
}

fn deployment() -> serde_json::Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "d" },
        "spec": {
            "replicas": 1, "selector": { "matchLabels": { "a": "b" } },
            "template": {
                "metadata": { "labels": { "a": "b" } },
                "spec": { "containers": [{ "name": "c", "image": "i" }, { "name": "side", "image": "s" }] },
            },
        },
    })
}

/// A client that goes over HTTP, and what must live as long as it.
async fn over_http(cluster: &Cluster) -> (Served, Client) {
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let served = cluster.serve(address).await.unwrap();
    let kubeconfig = Kubeconfig::from_yaml(&served.kubeconfig()).unwrap();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .unwrap();
    let client = Client::try_from(config).unwrap();
    (served, client)
}

/// Each scenario twice.
macro_rules! scenarios {
    ($($name:ident)*) => {
        mod in_process {
            $(#[tokio::test(start_paused = true)]
            async fn $name() {
                let cluster = super::Cluster::new();
                let client = cluster.client();
                super::$name(cluster, client).await;
            })*
        }
        mod over_http {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let cluster = super::Cluster::new();
                let (_served, client) = super::over_http(&cluster).await;
                super::$name(cluster, client).await;
            })*
        }
    };
}

scenarios! {
    finalizers_hold_until_cleaned_up
    an_entry_is_committed
    a_definition_is_awaited_and_discovered
    events_are_recorded_and_counted
    metadata_scale_and_eviction
    an_apply_conflict_names_the_owner
    watchers_of_both_strategies_see_what_a_list_shows
    a_reflector_holds_what_is_there
    pages_show_one_revision
    patches_of_all_kinds
}

async fn watchers_of_both_strategies_see_what_a_list_shows(_: Cluster, client: Client) {
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    for (turn, config) in [
        watcher::Config::default(),
        watcher::Config::default().streaming_lists(),
    ]
    .into_iter()
    .enumerate()
    {
        let (first, second) = (format!("a{turn}"), format!("b{turn}"));
        let config = config.labels(&format!("turn={turn}"));
        let labelled = |name: &str| {
            let mut map = map(name);
            map.metadata.labels = Some([("turn".to_owned(), turn.to_string())].into());
            map
        };
        maps.create(&PostParams::default(), &labelled(&first))
            .await
            .unwrap();
        let mut events = watcher(maps.clone(), config).boxed();
        let mut initial = Vec::new();
        loop {
            match events.try_next().await.unwrap().unwrap() {
                watcher::Event::InitApply(object) => initial.push(object.name_any()),
                watcher::Event::InitDone => break,
                _ => {}
            }
        }
        assert_eq!(initial, [first.as_str()]);
        maps.create(&PostParams::default(), &labelled(&second))
            .await
            .unwrap();
        maps.delete(&first, &DeleteParams::default()).await.unwrap();
        let event = events.try_next().await.unwrap().unwrap();
        assert!(matches!(event, watcher::Event::Apply(o) if o.name_any() == second));
        let event = events.try_next().await.unwrap().unwrap();
        assert!(matches!(event, watcher::Event::Delete(o) if o.name_any() == first));
    }
}

async fn a_reflector_holds_what_is_there(_: Cluster, client: Client) {
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    let (store, writer) = reflector::store();
    for name in ["a", "b", "c"] {
        maps.create(&PostParams::default(), &map(name))
            .await
            .unwrap();
    }
    let stream = watcher(maps.clone(), watcher::Config::default())
        .default_backoff()
        .reflect(writer)
        .touched_objects();
    tokio::spawn(stream.for_each(|_| async {}));
    store.wait_until_ready().await.unwrap();
    assert_eq!(store.state().len(), 3);
    maps.delete("b", &DeleteParams::default()).await.unwrap();
    let gone = async {
        while store.state().len() != 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone)
        .await
        .unwrap();
}

async fn pages_show_one_revision(_: Cluster, client: Client) {
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    for name in ["a", "b", "c", "d"] {
        maps.create(&PostParams::default(), &map(name))
            .await
            .unwrap();
    }
    let page = maps.list(&ListParams::default().limit(2)).await.unwrap();
    assert_eq!(page.metadata.remaining_item_count, Some(2));
    maps.delete("c", &DeleteParams::default()).await.unwrap();
    let token = page.metadata.continue_.unwrap();
    let rest = maps
        .list(&ListParams::default().limit(5).continue_token(&token))
        .await
        .unwrap();
    let names: Vec<String> = rest.items.iter().map(ResourceExt::name_any).collect();
    assert_eq!(names, ["c", "d"]);
}

async fn patches_of_all_kinds(_: Cluster, client: Client) {
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    maps.create(&PostParams::default(), &map("a"))
        .await
        .unwrap();
    let add = json!([{ "op": "add", "path": "/data", "value": { "json": "1" } }]);
    let patches: [(PatchParams, Patch<serde_json::Value>); 4] = [
        (
            PatchParams::default(),
            Patch::Json(serde_json::from_value(add).unwrap()),
        ),
        (
            PatchParams::default(),
            Patch::Merge(json!({ "data": { "merge": "1" } })),
        ),
        (
            PatchParams::default(),
            Patch::Strategic(json!({ "data": { "strategic": "1" } })),
        ),
        (
            PatchParams::apply("me"),
            Patch::Apply(json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": { "apply": "1" },
            })),
        ),
    ];
    for (params, patch) in patches {
        maps.patch("a", &params, &patch).await.unwrap();
    }
    let data = maps.get("a").await.unwrap().data.unwrap();
    let keys: Vec<&str> = data.keys().map(String::as_str).collect();
    assert_eq!(keys, ["apply", "json", "merge", "strategic"]);
}

async fn finalizers_hold_until_cleaned_up(_: Cluster, client: Client) {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let made = Arc::new(
        maps.create(&PostParams::default(), &map("a"))
            .await
            .unwrap(),
    );
    let action = |event: Finalizer<ConfigMap>| async move {
        match event {
            Finalizer::Apply(_) => {
                Ok::<_, std::io::Error>(kube::runtime::controller::Action::await_change())
            }
            Finalizer::Cleanup(_) => Ok(kube::runtime::controller::Action::await_change()),
        }
    };
    finalizer(&maps, "example.com/f", made, action)
        .await
        .unwrap();
    maps.delete("a", &DeleteParams::default())
        .await
        .unwrap()
        .left()
        .unwrap();
    let marked = Arc::new(maps.get("a").await.unwrap());
    assert_eq!(marked.finalizers(), ["example.com/f"]);
    finalizer(&maps, "example.com/f", marked, action)
        .await
        .unwrap();
    assert!(maps.get_opt("a").await.unwrap().is_none());
}

async fn an_entry_is_committed(_: Cluster, client: Client) {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let mut entry = maps.entry("a").await.unwrap().or_insert(|| map("a"));
    entry.commit(&PostParams::default()).await.unwrap();
    entry
        .get_mut()
        .data
        .get_or_insert_default()
        .insert("b".into(), "2".into());
    entry.commit(&PostParams::default()).await.unwrap();
    assert_eq!(maps.get("a").await.unwrap().data.unwrap()["b"], "2");
}

async fn a_definition_is_awaited_and_discovered(_: Cluster, client: Client) {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let waiting = tokio::spawn(await_condition(
        definitions.clone(),
        "widgets.test.example.com",
        conditions::is_crd_established(),
    ));
    let definition = json!({
        "metadata": { "name": "widgets.test.example.com" },
        "spec": {
            "group": "test.example.com", "scope": "Namespaced",
            "names": { "kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    });
    definitions
        .create(
            &PostParams::default(),
            &serde_json::from_value(definition).unwrap(),
        )
        .await
        .unwrap();
    tokio::time::timeout(Duration::from_secs(10), waiting)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    for aggregated in [false, true] {
        let discovery = Discovery::new(client.clone());
        let discovery = if aggregated {
            discovery.run_aggregated().await
        } else {
            discovery.run().await
        }
        .unwrap();
        let group = discovery.get("test.example.com").unwrap();
        let (resource, capabilities) = group.recommended_kind("Widget").unwrap();
        assert_eq!(resource.plural, "widgets");
        assert_eq!(capabilities.scope, Scope::Namespaced);
        assert!(
            discovery
                .get("apps")
                .unwrap()
                .recommended_kind("Deployment")
                .is_some()
        );
    }
}

async fn events_are_recorded_and_counted(_: Cluster, client: Client) {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let made = maps
        .create(&PostParams::default(), &map("a"))
        .await
        .unwrap();
    let reporter = Reporter {
        controller: "example.com/op".into(),
        instance: Some("one".into()),
    };
    let recorder = Recorder::new(client.clone(), reporter);
    let event = Event {
        type_: EventType::Warning,
        reason: "Broken".into(),
        note: Some("it is".into()),
        action: "Look".into(),
        secondary: None,
    };
    recorder
        .publish(&event, &made.object_ref(&()))
        .await
        .unwrap();
    recorder
        .publish(&event, &made.object_ref(&()))
        .await
        .unwrap();
    let events: Api<CoreEvent> = Api::namespaced(client.clone(), "default");
    let found = events
        .list(&ListParams::default().fields("involvedObject.name=a,reason=Broken"))
        .await
        .unwrap();
    assert_eq!(found.items.len(), 1);
    assert_eq!(found.items[0].message.as_deref(), Some("it is"));
    assert_eq!(found.items[0].series.as_ref().unwrap().count, Some(2));
}

async fn metadata_scale_and_eviction(cluster: Cluster, client: Client) {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "default");
    cluster.create_raw(deployment()).unwrap();
    let only: PartialObjectMeta<Deployment> = deployments.get_metadata("d").await.unwrap();
    assert_eq!(only.metadata.name.as_deref(), Some("d"));
    assert_eq!(
        deployments
            .list_metadata(&ListParams::default())
            .await
            .unwrap()
            .items
            .len(),
        1
    );
    let scale = deployments
        .patch_scale(
            "d",
            &PatchParams::default(),
            &Patch::Merge(json!({ "spec": { "replicas": 5 } })),
        )
        .await
        .unwrap();
    assert_eq!(scale.spec.unwrap().replicas, Some(5));
    let strategic = json!({ "spec": { "template": { "spec": { "containers": [{ "name": "c", "image": "new" }] } } } });
    let patched = deployments
        .patch("d", &PatchParams::default(), &Patch::Strategic(strategic))
        .await
        .unwrap();
    let containers = patched.spec.template.spec.unwrap().containers;
    assert_eq!(
        containers
            .iter()
            .map(|c| c.image.as_deref().unwrap())
            .collect::<Vec<_>>(),
        ["new", "s"]
    );
    cluster
        .create_raw(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "p" },
            "spec": { "containers": [{ "name": "c", "image": "i" }] },
        }))
        .unwrap();
    let pods: Api<Pod> = Api::namespaced(client, "default");
    pods.evict("p", &EvictParams::default()).await.unwrap();
    assert!(pods.get_opt("p").await.unwrap().is_none());
}

async fn an_apply_conflict_names_the_owner(cluster: Cluster, client: Client) {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let config = |value: &str| {
        Patch::Apply(
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": { "k": value } }),
        )
    };
    maps.patch("a", &PatchParams::apply("one"), &config("1"))
        .await
        .unwrap();
    let error = maps
        .patch("a", &PatchParams::apply("two"), &config("2"))
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("conflict with \"one\": .data.k"),
        "{error}"
    );
    maps.patch("a", &PatchParams::apply("two").force(), &config("2"))
        .await
        .unwrap();
    let before = cluster.revision();
    maps.patch("a", &PatchParams::apply("two").force(), &config("2"))
        .await
        .unwrap();
    assert_eq!(cluster.revision(), before, "the same apply is no write");
}

#[tokio::test(start_paused = true)]
async fn a_reflector_lags_as_far_as_told() {
    let cluster = Cluster::new();
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    cluster.inject(
        Fault::new()
            .resource("configmaps")
            .lag_events(Duration::from_secs(5)),
    );
    let (store, writer) = reflector::store();
    let stream = watcher(maps.clone(), watcher::Config::default())
        .default_backoff()
        .reflect(writer)
        .touched_objects();
    tokio::spawn(stream.for_each(|_| async {}));
    store.wait_until_ready().await.unwrap();
    // Two events a second apart arrive a second apart, each five seconds late.
    maps.create(&PostParams::default(), &map("a"))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    maps.create(&PostParams::default(), &map("b"))
        .await
        .unwrap();
    for (wait, count) in [(3_900, 0), (200, 1), (800, 1), (300, 2)] {
        tokio::time::sleep(Duration::from_millis(wait)).await;
        assert_eq!(store.state().len(), count, "after {wait} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_can_show_the_past() {
    let cluster = Cluster::new();
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    maps.create(&PostParams::default(), &map("a"))
        .await
        .unwrap();
    let then = cluster.revision();
    maps.create(&PostParams::default(), &map("b"))
        .await
        .unwrap();
    cluster.inject(Fault::new().verb("list").occurrence(1).old_snapshot(then));
    assert_eq!(
        maps.list(&ListParams::default()).await.unwrap().items.len(),
        1
    );
    assert_eq!(
        maps.list(&ListParams::default()).await.unwrap().items.len(),
        2
    );
}
