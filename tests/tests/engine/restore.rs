//! A cluster that was restored from a backup: the same objects, versions from further back.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use kube::Client;
use opgen_apiserver::{Cluster, Fault};
use opgen_runtime::{LeaderElection, OperatorError, Placement, RunOptions, clients::Clients, secs};
use serde_json::{Value, json};
use tower::service_fn;

use crate::gadget::{Fake, condition, context, gadget, operator};

fn cluster() -> Cluster {
    let cluster = Cluster::builder().seed(7).build();
    let home =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gadget-operator"}});
    cluster.apply_manifests(&[home]).unwrap();
    cluster.apply_manifests(&operator().manifests()).unwrap();
    cluster.create_raw(gadget("a")).unwrap();
    cluster
}

/// A client that asks the one or the other.
fn either(one: Client, other: Client, is_restored: Arc<AtomicBool>) -> Client {
    let service = service_fn(move |request| {
        let client = if is_restored.load(Ordering::Relaxed) {
            other.clone()
        } else {
            one.clone()
        };
        async move { client.send(request).await }
    });
    Client::new(service, "default")
}

fn version(object: &Value) -> u64 {
    let text = object["metadata"]["resourceVersion"].as_str().unwrap();
    text.parse().unwrap()
}

/// Runs the operator against a cluster that is lost, and restored to what it was at the beginning.
struct Disaster {
    lost: Cluster,
    restored: Cluster,
    is_restored: Arc<AtomicBool>,
    fake: Fake,
    run: tokio::task::JoinHandle<Result<(), OperatorError>>,
}

async fn disaster(leader_election: Option<LeaderElection>) -> Disaster {
    fastrand::seed(1);
    let (lost, restored) = (cluster(), cluster());
    let is_restored = Arc::new(AtomicBool::new(false));
    let client = either(lost.client(), restored.client(), Arc::clone(&is_restored));
    let clock = lost.clock();
    let options = RunOptions {
        placement: Placement::Inline,
        clock: Arc::new(move || clock.now()),
        leader_election,
        ..RunOptions::default()
    };
    let fake = Fake::default();
    let run = operator().run(Clients::in_process(client), context(&fake), options);
    let run = tokio::spawn(run);
    tokio::time::sleep(secs(60)).await;
    assert!(is_ready(&get(&lost)));
    for size in 2..40 {
        let patch = json!({"spec": {"size": size}});
        lost.patch_raw("Gadget", "default", "a", "", &patch)
            .unwrap();
        tokio::time::sleep(secs(5)).await;
    }
    let (known, old) = (get(&lost), get(&restored));
    assert_eq!(known["metadata"]["uid"], old["metadata"]["uid"]);
    assert!(version(&known) > version(&old) + 50);
    Disaster {
        lost,
        restored,
        is_restored,
        fake,
        run,
    }
}

fn get(cluster: &Cluster) -> Value {
    cluster.get_raw("Gadget", "default", "a").unwrap()
}

fn is_ready(object: &Value) -> bool {
    condition(object, "Ready")["status"] == "True"
        && condition(object, "Ready")["observedGeneration"] == object["metadata"]["generation"]
}

/// The server says that the version is no longer there, as one does whose history was marked compacted.
#[tokio::test(start_paused = true)]
pub async fn a_new_list_replaces_what_was_known_however_new_that_was() {
    let disaster = disaster(None).await;
    let expired = Fault::new().verb("watch").resource("gadgets");
    disaster
        .restored
        .inject(expired.times(1).fail_before_commit(410));
    disaster.is_restored.store(true, Ordering::Relaxed);
    // The open watch ends within four minutes.
    tokio::time::sleep(secs(400)).await;
    let object = get(&disaster.restored);
    assert!(is_ready(&object), "{object:#}");
    let created = disaster.fake.created();
    assert_eq!(
        created, 1,
        "the identity is the same: nothing is made twice"
    );
    let patch = json!({"spec": {"size": 50}});
    disaster
        .restored
        .patch_raw("Gadget", "default", "a", "", &patch)
        .unwrap();
    tokio::time::sleep(secs(30)).await;
    let object = get(&disaster.restored);
    assert!(is_ready(&object), "{object:#}");
    drop(disaster.lost);
    disaster.run.abort();
}

/// The server does not say so: a watch from the future stays silent. It is cut off when the old server goes.
#[tokio::test(start_paused = true)]
pub async fn a_watch_from_the_future_begins_anew() {
    let disaster = disaster(None).await;
    disaster.is_restored.store(true, Ordering::Relaxed);
    disaster.lost.cut_watches();
    tokio::time::sleep(secs(20)).await;
    goes_on(disaster).await;
}

/// The same behind a proxy that keeps the connection.
#[tokio::test(start_paused = true)]
pub async fn a_watch_that_was_not_cut_begins_anew_too() {
    let disaster = disaster(None).await;
    disaster.is_restored.store(true, Ordering::Relaxed);
    // Its own end, and a silence that is longer than any bookmark takes.
    tokio::time::sleep(secs(400)).await;
    goes_on(disaster).await;
}

/// What happens on the restored server is seen.
async fn goes_on(disaster: Disaster) {
    let object = get(&disaster.restored);
    assert!(is_ready(&object), "{object:#}");
    let patch = json!({"spec": {"size": 50}});
    disaster
        .restored
        .patch_raw("Gadget", "default", "a", "", &patch)
        .unwrap();
    tokio::time::sleep(secs(30)).await;
    let object = get(&disaster.restored);
    assert!(is_ready(&object), "{object:#}");
    assert_eq!(object["status"]["observedGeneration"], 2, "{object:#}");
    assert_eq!(disaster.fake.created(), 1, "nothing is made twice");
    drop(disaster.lost);
    disaster.run.abort();
}

/// The server does not say so, and the lease tells before any watch does.
#[tokio::test(start_paused = true)]
pub async fn a_leader_notices_that_its_lease_went_back() {
    let election = LeaderElection {
        identity: "me".to_owned(),
        ..LeaderElection::default()
    };
    let disaster = disaster(Some(election)).await;
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "gadget-operator", "namespace": "gadget-operator"},
        "spec": {"holderIdentity": "me", "leaseDurationSeconds": 15},
    });
    disaster.restored.create_raw(lease).unwrap();
    disaster.is_restored.store(true, Ordering::Relaxed);
    let ended = tokio::time::timeout(secs(60), disaster.run).await;
    match ended.expect("it ends").unwrap() {
        Err(OperatorError::LostLease(why)) => assert!(why.contains("restored"), "{why}"),
        other => panic!("{other:?}"),
    }
    drop(disaster.lost);
}
