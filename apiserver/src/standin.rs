//! A stand-in for kubelet and workload controllers: makes workloads ready after a while. Off unless asked for.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::cluster::{Cluster, Shared};
use crate::object;
use crate::store::{Expect, Stored};

/// The kinds it looks after: their tables.
const TABLES: [&str; 6] = [
    "deployments.apps",
    "statefulsets.apps",
    "daemonsets.apps",
    "replicasets.apps",
    "jobs.batch",
    "pods",
];

/// A running stand-in. It stops when this is dropped.
#[derive(Debug)]
pub struct StandIn(JoinHandle<()>);

impl Drop for StandIn {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Cluster {
    /// Starts, in the current runtime, to mark Deployments, StatefulSets, DaemonSets, ReplicaSets, Pods and Jobs ready
    /// this long after each change of their spec, and to end terminating pods. No pods are made.
    pub fn stand_in(&self, delay: Duration) -> StandIn {
        let cluster = self.clone();
        StandIn(tokio::spawn(
            async move { look_after(&cluster.0, delay).await },
        ))
    }
}

async fn look_after(shared: &Shared, delay: Duration) {
    let mut due: HashMap<(String, String), (u64, Instant)> = HashMap::new();
    loop {
        let advanced = shared.store.lock().advanced.clone();
        let notified = advanced.notified();
        tokio::pin!(notified);
        notified.as_mut().enable();
        let now = Instant::now();
        let mut next: Option<Instant> = None;
        for (table, key, stored) in unready(shared, &shared.clock.stamp()) {
            let id = (table, key);
            // The wait begins anew when the object changes.
            let at = match due.get(&id) {
                Some((revision, at)) if *revision == stored.revision => *at,
                _ => now + delay,
            };
            if at <= now {
                due.remove(&id);
                finish(shared, &id.0, &id.1, &stored);
            } else {
                due.insert(id, (stored.revision, at));
                next = Some(next.map_or(at, |earlier| earlier.min(at)));
            }
        }
        match next {
            Some(at) => tokio::select! {
                () = &mut notified => {}
                () = tokio::time::sleep_until(at) => {}
            },
            None => notified.await,
        }
    }
}

fn unready(shared: &Shared, time: &str) -> Vec<(String, String, Stored)> {
    let state = shared.store.lock();
    let mut all = Vec::new();
    for name in TABLES {
        let Some(table) = state.table(name) else {
            continue;
        };
        for (key, stored) in table.scan("") {
            let goes = name == "pods" && object::is_terminating(&stored.object.value());
            if goes || wanted(name, &stored.object.value(), time).is_some() {
                all.push((name.to_owned(), key.clone(), stored.clone()));
            }
        }
    }
    all
}

fn finish(shared: &Shared, table: &str, key: &str, stored: &Stored) {
    let mut state = shared.store.lock();
    if table == "pods" && object::is_terminating(&stored.object.value()) {
        if object::finalizers(&stored.object.value()).is_empty() {
            let _ = state.remove(table, key, stored.revision);
        }
        return;
    }
    if let Some(status) = wanted(table, &stored.object.value(), &shared.clock.stamp()) {
        let mut new = stored.object.to_value();
        object::top(&mut new).insert("status".into(), status);
        // Whoever changed it meanwhile is looked at in the next round.
        let _ = state.put(table, key, Expect::Revision(stored.revision), new);
    }
}

fn condition(kind: &str, reason: &str, time: &str) -> Value {
    json!({ "type": kind, "status": "True", "reason": reason, "message": "", "lastTransitionTime": time, "lastUpdateTime": time })
}

/// The status of a workload that is ready, or nothing if it is.
fn wanted(table: &str, object: &Value, time: &str) -> Option<Value> {
    let generation = object::generation(object);
    let status = &object["status"];
    if table == "pods" {
        return pod(object, time);
    }
    let replicas = object["spec"]["replicas"].as_i64().unwrap_or(1);
    if table == "jobs.batch" {
        let completions = object["spec"]["completions"].as_i64().unwrap_or(1);
        let done =
            status["succeeded"].as_i64() == Some(completions) || object["spec"]["suspend"] == true;
        return (!done).then(|| {
            json!({
                "startTime": time, "completionTime": time, "succeeded": completions, "ready": 0,
                "conditions": [{ "type": "Complete", "status": "True", "lastProbeTime": time, "lastTransitionTime": time }],
            })
        });
    }
    let ready = if table == "daemonsets.apps" {
        "numberReady"
    } else {
        "readyReplicas"
    };
    let count = if table == "daemonsets.apps" {
        1
    } else {
        replicas
    };
    if status["observedGeneration"].as_i64() == Some(generation)
        && status[ready].as_i64().unwrap_or(0) == count
    {
        return None;
    }
    let mut new = match table {
        "daemonsets.apps" => json!({
            "currentNumberScheduled": 1, "desiredNumberScheduled": 1, "numberAvailable": 1, "numberMisscheduled": 0,
            "numberReady": 1, "updatedNumberScheduled": 1,
        }),
        "replicasets.apps" => {
            json!({ "replicas": count, "fullyLabeledReplicas": count, "readyReplicas": count, "availableReplicas": count })
        }
        "statefulsets.apps" => json!({
            "replicas": count, "readyReplicas": count, "availableReplicas": count, "currentReplicas": count,
            "updatedReplicas": count, "currentRevision": "1", "updateRevision": "1",
        }),
        _ => json!({
            "replicas": count, "updatedReplicas": count, "readyReplicas": count, "availableReplicas": count,
            "conditions": [
                condition("Available", "MinimumReplicasAvailable", time),
                condition("Progressing", "NewReplicaSetAvailable", time),
            ],
        }),
    };
    new["observedGeneration"] = generation.into();
    Some(new)
}

fn pod(object: &Value, time: &str) -> Option<Value> {
    if !matches!(object["status"]["phase"].as_str(), None | Some("Pending")) {
        return None;
    }
    let mut status = object["status"].clone();
    let conditions: Vec<Value> = ["Initialized", "Ready", "ContainersReady", "PodScheduled"]
        .iter()
        .map(|kind| json!({ "type": kind, "status": "True", "lastProbeTime": null, "lastTransitionTime": time }))
        .collect();
    let containers: Vec<Value> = object["spec"]["containers"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|container| {
            json!({
                "name": container["name"], "image": container["image"], "imageID": container["image"], "ready": true,
                "restartCount": 0, "started": true, "state": { "running": { "startedAt": time } }, "lastState": {},
            })
        })
        .collect();
    let map = object::top(&mut status);
    map.insert("phase".into(), "Running".into());
    map.insert("startTime".into(), time.into());
    map.insert("conditions".into(), conditions.into());
    map.insert("containerStatuses".into(), containers.into());
    Some(status)
}
