//! In real time: code that blocks the executor is noticed, named and counted.

use std::time::Duration;

use opgen_runtime::{RunOptions, clients::Clients};
use opgen_testkit::Cluster;

use crate::ticket::{Fake, context, operator, ticket};

#[test]
pub fn a_blocked_executor_is_noticed() {
    let cluster = Cluster::new();
    let manifests = operator(|kind| kind).manifests();
    let home =
        serde_json::json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "desk"}});
    cluster.apply_manifests(&[home]).unwrap();
    cluster.apply_manifests(&manifests).unwrap();
    cluster.create_raw(ticket("a", "block")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let text = runtime.block_on(async {
        let clients = Clients::in_process(cluster.client());
        let metrics = clients.metrics().clone();
        let options = RunOptions {
            shutdown: Box::pin(tokio::time::sleep(Duration::from_secs(5))),
            ..RunOptions::default()
        };
        let run = operator(|kind| kind).run(clients, context(&Fake::default()), options);
        run.await.unwrap();
        metrics.encode()
    });
    assert!(
        text.contains("opgen_blocking_polls_total{kind=\"Ticket\"} 1"),
        "{text}"
    );
    assert!(
        text.contains("opgen_executor_stalls_total{controller=\"desk\"} 1"),
        "{text}"
    );
}
