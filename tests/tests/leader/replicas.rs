//! Replicas of one operator against one cluster.

use std::{sync::Arc, time::Duration};

use jiff::SignedDuration;
use opgen_runtime::{
    LeaderElection, OperatorError, Placement, RunOptions, clients::Clients, clock::SharedClock,
    metrics::Metrics,
};
use opgen_testkit::Cluster;
use serde_json::{Value, json};
use tokio::{sync::oneshot, task::JoinHandle};

use crate::forge::{Smithy, context, operator, sword};

/// Runs `test` in virtual time, jitter and all else the same every time.
pub fn virtually<T>(seed: u64, test: impl Future<Output = T>) -> T {
    fastrand::seed(seed);
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(test)
}

/// A cluster with the operator's manifests and some swords.
pub fn cluster(swords: usize) -> Cluster {
    let cluster = Cluster::builder().rbac(true).build();
    let home = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "forge"}});
    cluster.apply_manifests(&[home]).unwrap();
    let mut manifests = operator().manifests();
    // A second service account with the same rights, so that faults can tell the replicas apart.
    for manifest in &mut manifests {
        if let Some(subjects) = manifest.get_mut("subjects").and_then(Value::as_array_mut) {
            let mut other = subjects[0].clone();
            other["name"] = json!("other");
            subjects.push(other);
        }
    }
    cluster.apply_manifests(&manifests).unwrap();
    for number in 0..swords {
        cluster.create_raw(sword(&format!("s{number}"))).unwrap();
    }
    cluster
}

/// A process.
pub struct Replica {
    pub name: &'static str,
    pub user: String,
    pub metrics: Metrics,
    pub task: JoinHandle<Result<(), OperatorError>>,
    stop: Option<oneshot::Sender<()>>,
}

impl Replica {
    /// Starts the one called `name`, a service account; its wall clock is wrong by `skew`.
    pub fn start(cluster: &Cluster, smithy: &Smithy, name: &'static str, skew: i64) -> Self {
        let user = format!("system:serviceaccount:forge:{name}");
        let clients = Clients::in_process(cluster.client_as(&user));
        let metrics = clients.metrics().clone();
        let clock = cluster.clock();
        let clock: SharedClock = Arc::new(move || clock.now() + SignedDuration::from_secs(skew));
        let (stop, stopped) = oneshot::channel();
        let options = RunOptions {
            placement: Placement::Inline,
            clock,
            leader_election: Some(LeaderElection {
                identity: name.to_owned(),
                ..LeaderElection::default()
            }),
            shutdown: Box::pin(async move {
                if stopped.await.is_err() {
                    std::future::pending::<()>().await;
                }
            }),
            ..RunOptions::default()
        };
        let task = tokio::spawn(operator().run(clients, context(smithy, name), options));
        Self {
            name,
            user,
            metrics,
            task,
            stop: Some(stop),
        }
    }

    pub fn leads(&self) -> bool {
        self.metrics
            .encode()
            .contains("leader_election_master_status{name=\"forge\"} 1")
    }

    pub fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    pub fn writes(&self, cluster: &Cluster) -> Vec<u64> {
        let mut log = cluster.log().entries();
        log.retain(|entry| {
            entry.user == self.user && entry.committed && entry.resource != "leases"
        });
        log.iter().map(|entry| entry.sequence).collect()
    }
}

/// The leader first.
pub async fn sorted(mut one: Replica, mut two: Replica) -> (Replica, Replica) {
    for _ in 0..600 {
        if two.leads() {
            std::mem::swap(&mut one, &mut two);
        }
        if one.leads() {
            assert!(!two.leads(), "two leaders");
            return (one, two);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("nobody leads after a minute")
}

/// All writes of the first come before all writes of the second.
pub fn assert_no_interleaving(cluster: &Cluster, first: &Replica, second: &Replica) {
    let (former, later) = (first.writes(cluster), second.writes(cluster));
    let (last, next) = (former.last().unwrap(), later.first().unwrap());
    assert!(
        last < next,
        "{} wrote (request {last}) after {} had begun (request {next})",
        first.name,
        second.name
    );
}
