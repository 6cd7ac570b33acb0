use std::{net::SocketAddr, sync::Arc, time::Duration};

use opgen_runtime::{
    LeaderElection, OperatorError, Placement, RunOptions, clients::Clients, clock::SharedClock,
    secs,
};
use opgen_testkit::Cluster;
use serde_json::json;
use tokio::time::Instant;

use crate::{
    kubelet::{self, free_address},
    replicas::virtually,
    ticket::{BLOCKED, Fake, context, operator, ticket},
};

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

#[test]
pub fn a_drain_lets_runs_end_but_not_for_ever() {
    virtually(1, async {
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
pub fn a_job_is_cut_before_the_lease_is_free() {
    virtually(1, async {
        let (cluster, fake) = (cluster("job"), Fake::default());
        let (ended, took) = ended(&cluster, &fake, secs(100), secs(25)).await;
        assert!(ended.is_ok() && took < secs(1), "{ended:?} after {took:?}");
        let calls = fake.calls("long");
        assert!(!calls.is_empty());
        assert!(calls.iter().all(|call| call.ended.is_some()), "{calls:?}");
    });
}

/// What `/livez` answers, in real time: a socket knows no other.
async fn livez(addr: SocketAddr) -> String {
    tokio::time::resume();
    let answer = kubelet::answer(addr, "/livez").await;
    tokio::time::pause();
    answer
}

/// A long drain is no reason for the kubelet to kill the process: the loop beats while it waits.
#[test]
pub fn the_loop_beats_while_it_drains() {
    fastrand::seed(1);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let (cluster, fake) = (cluster("work"), Fake::default());
        // One run of 38 s, longer than a loop may be silent.
        fake.work_takes(secs(19));
        fake.look_takes(secs(19));
        let addr = free_address();
        let clock = cluster.clock();
        let options = RunOptions {
            placement: Placement::Inline,
            clock: Arc::new(move || clock.now()),
            probe_addr: Some(addr),
            drain: secs(100),
            shutdown: Box::pin(tokio::time::sleep(secs(1))),
            ..RunOptions::default()
        };
        let clients = Clients::in_process(cluster.client());
        let run = operator(|kind| kind).run(clients, context(&fake), options);
        let run = tokio::spawn(run);
        tokio::time::sleep(secs(36)).await;
        assert!(!run.is_finished(), "it still drains");
        let answer = livez(addr).await;
        assert!(answer.contains("200 OK"), "{answer}");
        run.await.unwrap().unwrap();
        let object = cluster.get_raw("tickets", "default", "a").unwrap();
        assert_eq!(object["status"]["phase"], "Done", "the run came to its end");
    });
}

/// How long an operator takes to end, in real time, one second after a handler began to block its thread.
fn ended_beside(mode: &str) -> Duration {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let started = std::time::Instant::now();
    runtime.block_on(async {
        let (cluster, fake) = (cluster(mode), Fake::default());
        let options = RunOptions {
            drain: Duration::from_millis(200),
            shutdown: Box::pin(tokio::time::sleep(secs(1))),
            ..RunOptions::default()
        };
        let clients = Clients::in_process(cluster.client());
        let ended = operator(|kind| kind)
            .run(clients, context(&fake), options)
            .await;
        assert!(ended.is_ok(), "{ended:?}");
    });
    let took = started.elapsed();
    runtime.shutdown_background();
    took
}

/// Nothing can cut such a handler, but the process has to end all the same: the loop gives it five seconds.
#[test]
pub fn a_handler_that_blocks_its_thread_does_not_hold_up_the_end() {
    let took = ended_beside("yield and block");
    assert!(took > secs(6) && took < secs(11), "it ended after {took:?}");
    assert!(took < BLOCKED);
}

/// What a blocking handler woke just before stands behind it on the same thread: here the loop itself.
#[test]
pub fn nor_does_a_loop_that_stands_behind_it() {
    let took = ended_beside("block long");
    assert!(took > secs(6) && took < secs(17), "it ended after {took:?}");
    assert!(took < BLOCKED);
}
