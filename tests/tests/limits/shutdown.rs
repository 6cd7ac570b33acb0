use std::{sync::Arc, time::Duration};

use opgen_runtime::{
    LeaderElection, OperatorError, Placement, RunOptions, clients::Clients, clock::SharedClock,
    secs,
};
use opgen_testkit::Cluster;
use serde_json::json;
use tokio::time::Instant;

use crate::ticket::{Fake, context, operator, ticket};

/// What is left once the operator was told to end after `after`, and how long that took.
async fn ended(
    cluster: &Cluster,
    fake: &Fake,
    after: Duration,
    drain: Duration,
) -> (Result<(), OperatorError>, Duration) {
    let clock = cluster.clock();
    let clock: SharedClock = Arc::new(move || clock.now());
    let options = RunOptions {
        placement: Placement::Inline,
        clock,
        drain,
        leader_election: Some(LeaderElection::default()),
        shutdown: Box::pin(tokio::time::sleep(after)),
        ..RunOptions::default()
    };
    let told_at = Instant::now() + after;
    let clients = Clients::in_process(cluster.client());
    let ended = operator(|kind| kind)
        .run(clients, context(fake), options)
        .await;
    (ended, Instant::now() - told_at)
}

fn cluster(mode: &str) -> Cluster {
    let cluster = Cluster::new();
    let home = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "desk"}});
    cluster.apply_manifests(&[home]).unwrap();
    let manifests = operator(|kind| kind).manifests();
    cluster.apply_manifests(&manifests).unwrap();
    cluster.create_raw(ticket("a", mode)).unwrap();
    cluster
}

fn virtually(test: impl Future<Output = ()>) {
    fastrand::seed(1);
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(test);
}

#[test]
fn a_drain_lets_runs_end_but_not_for_ever() {
    virtually(async {
        for (drain, is_whole) in [(secs(25), true), (secs(3), false)] {
            let (cluster, fake) = (cluster("work"), Fake::default());
            fake.work_takes(secs(18));
            let (ended, took) = ended(&cluster, &fake, secs(5), drain).await;
            assert!(ended.is_ok(), "{ended:?}");
            assert!(took < drain + secs(1), "{took:?}");
            let object = cluster.get_raw("tickets", "default", "a").unwrap();
            assert_eq!(object["status"]["phase"] == "Done", is_whole, "{object}");
            assert!(fake.calls("work")[0].ended.is_some());
            let lease = cluster.get_raw("leases", "desk", "desk").unwrap();
            assert_eq!(lease["spec"]["holderIdentity"], "", "free for the next one");
        }
    });
}

#[test]
fn a_job_is_cut_before_the_lease_is_free() {
    virtually(async {
        let (cluster, fake) = (cluster("job"), Fake::default());
        let (ended, took) = ended(&cluster, &fake, secs(100), secs(25)).await;
        assert!(ended.is_ok() && took < secs(1), "{ended:?} after {took:?}");
        let calls = fake.calls("long");
        assert!(!calls.is_empty());
        assert!(calls.iter().all(|call| call.ended.is_some()), "{calls:?}");
    });
}
