use std::{sync::Arc, time::Duration};

use opgen_apiserver::Cluster;
use opgen_runtime::{OperatorError, Placement, RunOptions, clients::Clients, secs};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::gadget::{Fake, context, gadget, operator};

fn options(cluster: &Cluster) -> RunOptions {
    let clock = cluster.clock();
    RunOptions {
        placement: Placement::Inline,
        clock: Arc::new(move || clock.now()),
        ..RunOptions::default()
    }
}

async fn start(cluster: &Cluster, user: Option<&str>) -> Vec<String> {
    let client = user.map_or_else(|| cluster.client(), |user| cluster.client_as(user));
    let run = operator().run(
        Clients::in_process(client),
        context(&Fake::default()),
        options(cluster),
    );
    match tokio::time::timeout(secs(600), run).await {
        Ok(Err(OperatorError::Preflight(reasons))) => reasons,
        other => panic!("expected a refusal to start, got {other:?}"),
    }
}

fn namespace() -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gadget-operator"}})
}

#[tokio::test(start_paused = true)]
pub async fn a_missing_crd_is_a_loud_error() {
    let reasons = start(&Cluster::new(), None).await;
    assert!(
        reasons.len() == 1 && reasons[0].contains("gadgets.test.example.com is not installed"),
        "{reasons:?}"
    );
}

#[tokio::test(start_paused = true)]
pub async fn an_older_crd_is_a_loud_error() {
    let cluster = Cluster::new();
    let mut crd = operator().manifests().remove(0);
    let schema = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties";
    crd.pointer_mut(schema)
        .unwrap()
        .as_object_mut()
        .unwrap()
        .remove("phaseEnteredAt");
    cluster.apply_manifests(&[crd]).unwrap();
    let reasons = start(&cluster, None).await;
    assert!(
        reasons[0].contains("would drop .status.phaseEnteredAt"),
        "{reasons:?}"
    );
}

#[tokio::test(start_paused = true)]
pub async fn a_missing_right_is_a_loud_error() {
    let cluster = Cluster::builder().rbac(true).build();
    let crd = operator().manifests().remove(0);
    cluster.apply_manifests(&[crd]).unwrap();
    let reasons = start(
        &cluster,
        Some("system:serviceaccount:gadget-operator:gadget-operator"),
    )
    .await;
    assert!(
        reasons[0].contains("cannot list resource \"gadgets\""),
        "{reasons:?}"
    );
    assert!(reasons[0].contains("apply the role"), "{reasons:?}");
}

#[tokio::test(start_paused = true)]
pub async fn a_shutdown_lets_runs_in_flight_end() {
    let cluster = Cluster::new();
    cluster.apply_manifests(&[namespace()]).unwrap();
    cluster.apply_manifests(&operator().manifests()).unwrap();
    cluster.create_raw(gadget("a")).unwrap();
    let fake = Fake::default()
        .with_create_time(Duration::from_secs(3))
        .with_build_time(secs(60));
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = Box::pin(async {
        let _ = stopped.await;
    });
    let options = RunOptions {
        shutdown,
        ..options(&cluster)
    };
    let run = tokio::spawn(operator().run(
        Clients::in_process(cluster.client()),
        context(&fake),
        options,
    ));
    while fake.calls("create") == 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stop.send(()).unwrap();
    tokio::time::timeout(secs(30), run)
        .await
        .expect("bounded")
        .unwrap()
        .unwrap();
    let object = cluster.get_raw("Gadget", "default", "a").unwrap();
    assert_eq!(
        object["status"]["phase"], "Building",
        "what was made is recorded: {object}"
    );
}

#[tokio::test(start_paused = true)]
pub async fn a_version_that_is_no_longer_served_is_a_loud_error() {
    let cluster = Cluster::new();
    let mut crd = operator().manifests().remove(0);
    let mut newer = crd["spec"]["versions"][0].clone();
    newer["name"] = json!("v2");
    crd["spec"]["versions"][0]["served"] = json!(false);
    crd["spec"]["versions"][0]["storage"] = json!(false);
    crd["spec"]["versions"]
        .as_array_mut()
        .unwrap()
        .insert(0, newer);
    cluster.apply_manifests(&[crd]).unwrap();
    let reasons = start(&cluster, None).await;
    assert!(
        reasons[0].contains("does not serve version v1"),
        "{reasons:?}"
    );
}
