//! In real time: the lease survives a blocked executor, and nothing is written by a process that slept too long.

use std::time::Duration;

use kube::{Config, config::Kubeconfig};
use opgen_runtime::{LeaderElection, OperatorError, RunOptions, clients::Clients, secs};
use opgen_testkit::Fault;
use serde_json::json;

use crate::{
    forge::{Smithy, context, operator, sword},
    replicas::cluster,
};

fn quick() -> LeaderElection {
    LeaderElection {
        lease_duration: secs(1),
        renew_deadline: Duration::from_millis(800),
        retry_period: Duration::from_millis(200),
        ..LeaderElection::default()
    }
}

/// The operator's outcome after `time`, its one handler blocking the only thread for two seconds at a time.
fn blocked(time: Duration, partitioned: bool) -> (Result<(), OperatorError>, usize, usize) {
    let cluster = cluster(0);
    let smithy = Smithy::with_stroke_of(Duration::from_millis(10));
    let mut object = sword("s");
    object["spec"] = json!({"blocks_ms": 2000});
    cluster.add_token("token", "system:serviceaccount:forge:forge", "", &[]);
    let (tell, told) = std::sync::mpsc::channel();
    let served = cluster.clone();
    let server = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let served = served
                .serve("127.0.0.1:0".parse().unwrap())
                .await
                .unwrap()
                .with_token("token");
            tell.send(served.kubeconfig()).unwrap();
            tokio::time::sleep(time + secs(2)).await;
        });
    });
    let kubeconfig: Kubeconfig = Kubeconfig::from_yaml(&told.recv().unwrap()).unwrap();
    cluster.create_raw(object).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let ended = runtime.block_on(async {
        let config = Config::from_custom_kubeconfig(kubeconfig, &Default::default())
            .await
            .unwrap();
        let clients = Clients::from_config(config).unwrap();
        let hang = Fault::new().resource("leases").verb("update").hang();
        if partitioned {
            cluster.inject(hang);
        }
        let options = RunOptions {
            leader_election: Some(quick()),
            shutdown: Box::pin(tokio::time::sleep(time)),
            ..RunOptions::default()
        };
        operator()
            .run(clients, context(&smithy, "one"), options)
            .await
    });
    drop(runtime);
    server.join().unwrap();
    let writes = cluster
        .log()
        .count(|entry| entry.resource == "swords" && entry.committed && entry.verb == "patch");
    (ended, writes, smithy.strokes().len())
}

#[test]
pub fn a_blocked_executor_does_not_lose_the_lease() {
    let (ended, writes, strokes) = blocked(secs(5), false);
    assert!(ended.is_ok(), "{ended:?}");
    assert!(writes > 0 && strokes > 0);
}

#[test]
pub fn who_slept_past_the_lease_writes_nothing_on_waking() {
    let (ended, writes, strokes) = blocked(secs(5), true);
    assert!(
        matches!(ended, Err(OperatorError::LostLease(_))),
        "{ended:?}"
    );
    assert_eq!(writes, 0);
    // The handler goes on from where it blocked before anybody can cut it.
    assert_eq!(strokes, 0, "nothing outside is touched either");
}
