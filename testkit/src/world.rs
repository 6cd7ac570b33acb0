//! What a test sees while the operator runs.

use std::time::Duration;

use opgen_apiserver::Cluster;
use opgen_runtime::metrics::Metrics;
use serde_json::Value;

use crate::process::reference;

/// How often a waiting test looks, in virtual time.
const LOOK: Duration = Duration::from_millis(200);

/// The cluster, the outside, and the operator's metrics.
#[derive(Clone)]
pub struct World<P> {
    /// The API server: create, patch and delete as an administrator, inject faults, read the request log.
    pub cluster: Cluster,
    /// The simulated provider.
    pub provider: P,
    /// The operator's metrics.
    pub metrics: Metrics,
    pub(crate) user: String,
    pub(crate) patience: Duration,
    pub(crate) seed: u64,
}

impl<P> std::fmt::Debug for World<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("user", &self.user)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl<P> World<P> {
    /// Lets virtual time pass.
    pub async fn advance(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    /// The object of a manifest as the server has it; `None` if it is gone.
    #[must_use]
    pub fn get(&self, object: &Value) -> Option<Value> {
        let (kind, namespace, name) = reference(object);
        self.cluster.get_raw(&kind, &namespace, &name).ok()
    }

    /// The phase of an object, at `.status.phase`.
    #[must_use]
    pub fn phase(&self, object: &Value) -> String {
        let found = self.get(object);
        let phase = found
            .as_ref()
            .and_then(|found| found.pointer("/status/phase"));
        phase.and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Merge-patches an object as a user would.
    ///
    /// # Panics
    /// If the server refuses it.
    pub fn patch(&self, object: &Value, patch: &Value) {
        let (kind, namespace, name) = reference(object);
        let patched = self.cluster.patch_raw(&kind, &namespace, &name, "", patch);
        assert!(
            patched.is_ok(),
            "the patch of {kind} {namespace}/{name} is refused: {patched:?}"
        );
    }

    /// Deletes an object as a user would.
    ///
    /// # Panics
    /// If the server refuses it.
    pub fn delete(&self, object: &Value) {
        let (kind, namespace, name) = reference(object);
        let deleted = self.cluster.delete_raw(&kind, &namespace, &name);
        assert!(
            deleted.is_ok(),
            "the deletion of {kind} {namespace}/{name} is refused: {deleted:?}"
        );
    }

    /// Waits until `holds`. Returns the virtual time it took; `None` if the scenario's patience ran out.
    pub async fn until(&self, mut holds: impl FnMut() -> bool) -> Option<Duration> {
        let started = tokio::time::Instant::now();
        while !holds() {
            if started.elapsed() > self.patience {
                return None;
            }
            tokio::time::sleep(LOOK).await;
        }
        Some(started.elapsed())
    }

    /// Waits until the object is Ready for its present generation, and says how long it took.
    ///
    /// # Panics
    /// If the scenario's patience runs out; the message shows the object.
    pub async fn ready(&self, object: &Value) -> Duration {
        match self.until(|| self.is_ready(object)).await {
            Some(took) => took,
            None => panic!(
                "not Ready after {:?} (seed {}): {:#?}",
                self.patience,
                self.seed,
                self.get(object)
            ),
        }
    }

    /// Waits until the object is gone, and says how long it took.
    ///
    /// # Panics
    /// If the scenario's patience runs out; the message shows the object.
    pub async fn gone(&self, object: &Value) -> Duration {
        match self.until(|| self.get(object).is_none()).await {
            Some(took) => took,
            None => panic!(
                "not gone after {:?} (seed {}): {:#?}",
                self.patience,
                self.seed,
                self.get(object)
            ),
        }
    }

    /// Whether the object is Ready for its present generation.
    #[must_use]
    pub fn is_ready(&self, object: &Value) -> bool {
        let Some(found) = self.get(object) else {
            return false;
        };
        let generation = found.pointer("/metadata/generation").cloned();
        let conditions = found
            .pointer("/status/conditions")
            .and_then(Value::as_array);
        conditions.into_iter().flatten().any(|condition| {
            condition["type"] == "Ready"
                && condition["status"] == "True"
                && condition.get("observedGeneration") == generation.as_ref()
        })
    }

    /// How many writes of objects the operator has made (leases and events apart).
    #[must_use]
    pub fn object_writes(&self) -> usize {
        self.cluster.log().count(|entry| {
            entry.user == self.user
                && entry.committed
                && entry.resource != "leases"
                && entry.resource != "events"
        })
    }

    /// The value of a counter or gauge, summed over its labels; 0 if it has none yet.
    #[must_use]
    pub fn metric(&self, name: &str) -> f64 {
        let text = self.metrics.encode();
        let of_name = |line: &&str| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(['{', ' ']))
        };
        text.lines()
            .filter(of_name)
            .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
            .sum()
    }
}
