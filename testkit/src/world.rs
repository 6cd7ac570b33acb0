//! What a test sees while the operator runs, and what it can do to it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use opgen_apiserver::{Cluster, Fault, FaultHandle};
use opgen_runtime::{metrics::Metrics, status::MachinePaths};
use serde_json::{Value, json};

use crate::{
    children,
    process::reference,
    writes::{Which, WriteFault, Writes},
};

/// How long, in virtual time, a test waits for an object to settle.
const PATIENCE: Duration = Duration::from_secs(4 * 3600);
/// How often a waiting test looks at most, in virtual time; half a percent of the time it waited is as good.
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
    pub(crate) users: Vec<String>,
    pub(crate) paths: Arc<[(String, MachinePaths)]>,
    /// The failed phase of each kind that has one.
    pub(crate) failed: Arc<[(String, &'static str)]>,
    pub(crate) writes: Writes,
    /// What the trouble of this process was made of.
    pub(crate) faults: Arc<Mutex<Vec<FaultHandle>>>,
    pub(crate) seed: u64,
}

impl<P> std::fmt::Debug for World<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("users", &self.users)
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

    /// Where the runtime's fields are in the status of the object's kind.
    fn paths(&self, object: &Value) -> MachinePaths {
        let kind = object["kind"].as_str().unwrap_or_default();
        let found = self.paths.iter().find(|(name, _)| name == kind);
        found.map_or(MachinePaths::DEFAULT, |(_, paths)| *paths)
    }

    /// The phase of an object, wherever its kind keeps it.
    #[must_use]
    pub fn phase(&self, object: &Value) -> String {
        let pointer = format!("/status{}", self.paths(object).phase);
        let found = self.get(object);
        let phase = found.as_ref().and_then(|found| found.pointer(&pointer));
        phase.and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// A merge patch that puts an object into its failed phase; `None` if its kind has none.
    pub(crate) fn failed_status(&self, object: &Value) -> Option<Value> {
        let kind = object["kind"].as_str().unwrap_or_default();
        let (_, failed) = self.failed.iter().find(|(name, _)| name == kind)?;
        let phase = self.paths(object).phase;
        let tokens = phase.split('/').skip(1).collect::<Vec<_>>();
        let inner = tokens.iter().rev();
        let status = inner.fold(json!(failed), |value, token| json!({ *token: value }));
        Some(json!({ "status": status }))
    }

    /// The condition of that type, wherever the object's kind keeps its conditions.
    #[must_use]
    pub fn condition(&self, object: &Value, kind: &str) -> Option<Value> {
        let pointer = format!("/status{}", self.paths(object).conditions);
        let found = self.get(object)?;
        let conditions = found.pointer(&pointer)?.as_array()?;
        let mut conditions = conditions.iter();
        conditions.find(|one| one["type"] == kind).cloned()
    }

    /// The objects in the cluster that an object owns, as the server has them: those of the resources that the
    /// operator has written.
    #[must_use]
    pub fn children(&self, object: &Value) -> Vec<Value> {
        let owner = self.get(object).unwrap_or_default();
        let uid = &owner["metadata"]["uid"];
        let mut all = children::all(self);
        all.retain(|child| {
            let references = child["metadata"]["ownerReferences"].as_array();
            let mut references = references.into_iter().flatten();
            references.any(|reference| reference["uid"] == *uid)
        });
        all
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

    /// Waits until `holds`. Returns the virtual time it took; `None` if that is more than four hours.
    pub async fn until(&self, mut holds: impl FnMut() -> bool) -> Option<Duration> {
        let started = tokio::time::Instant::now();
        while !holds() {
            if started.elapsed() > PATIENCE {
                return None;
            }
            // Ever rarer: a wait of hours needs no look five times a second.
            tokio::time::sleep(LOOK.max(started.elapsed() / 200)).await;
        }
        Some(started.elapsed())
    }

    /// Waits until the object is Ready for its present generation, and says how long it took.
    ///
    /// # Panics
    /// If that takes more than four hours; the message shows the object.
    pub async fn ready(&self, object: &Value) -> Duration {
        match self.until(|| self.is_ready(object)).await {
            Some(took) => took,
            None => panic!(
                "not Ready after {:?} (seed {}): {:#?}",
                PATIENCE,
                self.seed,
                self.get(object)
            ),
        }
    }

    /// Waits until the object is gone, and says how long it took.
    ///
    /// # Panics
    /// If that takes more than four hours; the message shows the object.
    pub async fn gone(&self, object: &Value) -> Duration {
        match self.until(|| self.get(object).is_none()).await {
            Some(took) => took,
            None => panic!(
                "not gone after {:?} (seed {}): {:#?}",
                PATIENCE,
                self.seed,
                self.get(object)
            ),
        }
    }

    /// Whether the object is Ready for its present generation.
    #[must_use]
    pub fn is_ready(&self, object: &Value) -> bool {
        let Some(condition) = self.condition(object, "Ready") else {
            return false;
        };
        let found = self.get(object).unwrap_or_default();
        let generation = found.pointer("/metadata/generation");
        condition["status"] == "True" && condition.get("observedGeneration") == generation
    }

    /// How many writes of objects the operator has made (leases and events apart).
    #[must_use]
    pub fn object_writes(&self) -> usize {
        self.cluster
            .log()
            .count(|entry| crate::oracle::is_ours(self, entry) && entry.committed)
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

/// Trouble, from now until [`recover`](Self::recover).
impl<P> World<P> {
    fn inject(&self, fault: impl Fn(Fault) -> Fault) {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let injected = self.users.iter().map(|user| fault(Fault::new().user(user)));
        faults.extend(injected.map(|fault| self.cluster.inject(fault)));
    }

    /// How many requests and events this process's trouble has touched so far, and how many writes it has failed over
    /// and over. 0: there was none.
    #[must_use]
    pub fn touched(&self) -> usize {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.iter().map(FaultHandle::fired).sum::<usize>() + self.writes.failed()
    }

    /// Events of these watches come this much later, once they are opened anew.
    pub(crate) fn lag_events_of(&self, group: &str, resource: &str, by: Duration) {
        self.inject(|fault| {
            fault
                .verb("watch")
                .group(group)
                .resource(resource)
                .lag_events(by)
        });
    }

    /// Watch events come this much later: the cache is behind.
    pub fn lag_events(&self, by: Duration) {
        self.inject(|fault| fault.lag_events(by));
        // Streams that are open know nothing of it.
        self.cluster.cut_watches();
    }

    /// Every watch event comes twice.
    pub fn duplicate_events(&self) {
        self.inject(Fault::duplicate_events);
        self.cluster.cut_watches();
    }

    /// Every watch ends after each event, without an error.
    pub fn cut_watches_after_each_event(&self) {
        self.inject(|fault| fault.close_watch_after(1));
        self.cluster.cut_watches();
    }

    /// Every watch ends with `410 Expired` after each event.
    pub fn expire_watches_after_each_event(&self) {
        self.inject(|fault| fault.expire_watch_after(1));
        self.cluster.cut_watches();
    }

    /// The watches end, and what they would resume from is forgotten: the operator has to list anew.
    pub fn expire_watches(&self) {
        // Something has happened since the last event: who has seen all there was may resume.
        let revision = self.cluster.revision().to_string();
        let patch = json!({"metadata": {"annotations": {"example.com/revision": revision}}});
        let _ = self
            .cluster
            .patch_raw("namespaces", "", "default", "", &patch);
        self.cluster.compact();
        self.cluster.cut_watches();
    }

    /// Requests of this verb (`list`, `watch`, `get`, `patch`, `create`, `delete`) are never answered. A watch that is
    /// open stays open: [`Cluster::cut_watches`] ends it.
    pub fn hang_requests(&self, verb: &str) {
        self.inject(|fault| fault.verb(verb).hang());
    }

    /// Every request is answered with this HTTP status.
    pub fn refuse_requests(&self, code: u16) {
        self.inject(|fault| fault.fail_before_commit(code));
    }

    /// Every status write is answered with this HTTP status, as by an admission policy.
    pub fn refuse_status(&self, code: u16) {
        self.inject(|fault| {
            fault
                .verb("patch")
                .subresource("status")
                .fail_before_commit(code)
        });
    }

    /// The n-th write fails, counted from 1 since the process started. Leases and events do not count, and neither do
    /// writes that change nothing.
    pub fn fail_write(&self, nth: usize, fault: WriteFault) {
        self.writes.fail(Which::Nth(nth), fault);
    }

    /// Every so many-th write that is tried fails.
    pub fn fail_every_write(&self, each: usize, fault: WriteFault) {
        self.writes.fail(Which::Every(each), fault);
    }

    /// Does something the moment the `n`-th write from now is committed, before the operator hears of it.
    pub fn after_write(&self, n: usize, act: impl FnOnce() + Send + 'static) {
        self.writes.after(n, act);
    }

    /// Ends all trouble with the API server.
    pub fn recover(&self) {
        self.cluster.clear_faults();
        self.writes.recover();
        self.cluster.cut_watches();
    }
}
