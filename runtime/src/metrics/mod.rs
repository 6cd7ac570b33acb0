//! The operator's metrics: one registry per operator, typed methods, names that dashboards know.

mod catalogue;
mod families;
mod labels;
mod set;

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use prometheus_client::registry::Registry;

pub use catalogue::{CATALOGUE, MetricInfo, MetricKind};
pub use labels::{EventResult, Label, PatchResult, ReconcileResult};
use set::Set;

/// The content type of [`Metrics::encode`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The metrics of one operator. Clones share them.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    set: Arc<Set>,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// A fresh registry with everything in [`CATALOGUE`].
    #[must_use]
    pub fn new() -> Self {
        let mut registry = Registry::default();
        let set = Arc::new(Set::new(&mut registry));
        Self {
            registry: Arc::new(registry),
            set,
        }
    }

    /// All metrics as OpenMetrics text, to be served as [`CONTENT_TYPE`].
    #[must_use]
    pub fn encode(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        text
    }

    /// A reconcile ended so, after so long.
    pub fn reconciled(&self, kind: impl Label, result: ReconcileResult, duration: Duration) {
        let kind = kind.value();
        self.set
            .reconciles
            .inc([kind.clone(), Cow::Borrowed(result.as_str())]);
        if result == ReconcileResult::Error {
            self.set.reconcile_errors.inc([kind.clone()]);
        }
        self.set
            .reconcile_time
            .observe([kind], duration.as_secs_f64());
    }

    /// This process holds the lease of that name, or does not.
    pub fn leader(&self, name: impl Label, is_leader: bool) {
        self.set.leader.set([name.value()], flag(is_leader));
    }

    /// An attempt of an external call ended so, after so long.
    pub fn external_call(
        &self,
        client: impl Label,
        method: impl Label,
        result: impl Label,
        duration: Duration,
    ) {
        let (client, method) = (client.value(), method.value());
        self.set
            .external_seconds
            .observe([client.clone(), method.clone()], duration.as_secs_f64());
        self.set
            .external_calls
            .inc([client, method, result.value()]);
    }

    /// What became of a status write.
    pub fn status_patch(&self, kind: impl Label, result: PatchResult) {
        self.set
            .status_patches
            .inc([kind.value(), Cow::Borrowed(result.as_str())]);
    }

    /// A reconcile ended in a business wait of that length.
    pub fn polled(&self, kind: impl Label, interval: Duration) {
        let kind = kind.value();
        self.set.polls.inc([kind.clone()]);
        self.set
            .poll_interval
            .observe([kind], interval.as_secs_f64());
    }

    /// So many objects are in that phase, the oldest for so long. To be called for every phase of a kind, also for
    /// the empty ones, or their last value stays.
    pub fn phase(&self, kind: impl Label, phase: impl Label, objects: usize, oldest: Duration) {
        let (kind, phase) = (kind.value(), phase.value());
        self.set
            .phase_objects
            .set([kind.clone(), phase.clone()], amount(objects));
        self.set.phase_age.set([kind, phase], oldest.as_secs_f64());
    }

    /// Whether nothing of that kind runs, waits or backs off.
    pub fn quiescent(&self, kind: impl Label, is_quiescent: bool) {
        self.set.quiescent.set([kind.value()], flag(is_quiescent));
    }

    /// Whether the cache of that kind is complete.
    pub fn synced(&self, kind: impl Label, is_synced: bool) {
        self.set.synced.set([kind.value()], flag(is_synced));
    }

    /// Whether every object of that kind is settled or paused.
    pub fn converged(&self, kind: impl Label, is_converged: bool) {
        self.set.converged.set([kind.value()], flag(is_converged));
    }

    /// So many clean-ups are held by the brake on mass deletions.
    pub fn held_destroys(&self, kind: impl Label, count: usize) {
        self.set.held_destroys.set([kind.value()], amount(count));
    }

    /// A background job ended so.
    pub fn job_ended(&self, kind: impl Label, job: impl Label, result: impl Label) {
        self.set
            .jobs
            .inc([kind.value(), job.value(), result.value()]);
    }

    /// A handler blocked its thread.
    pub fn poll_blocked(&self, kind: impl Label) {
        self.set.blocking_polls.inc([kind.value()]);
    }

    /// The executor did not turn for too long.
    pub fn executor_stalled(&self, operator: impl Label) {
        self.set.executor_stalls.inc([operator.value()]);
    }

    /// So many objects wait for a worker.
    pub fn queue_depth(&self, name: impl Label, count: usize) {
        self.set.queue_depth.set([name.value()], amount(count));
    }

    /// An object was put into the queue.
    pub fn queue_added(&self, name: impl Label) {
        self.set.queue_adds.inc([name.value()]);
    }

    /// An object waited so long for a worker.
    pub fn queue_waited(&self, name: impl Label, duration: Duration) {
        self.set
            .queue_wait
            .observe([name.value()], duration.as_secs_f64());
    }

    /// A worker spent so long on an object.
    pub fn work_done(&self, name: impl Label, duration: Duration) {
        self.set
            .queue_work
            .observe([name.value()], duration.as_secs_f64());
    }

    /// All running reconciles together have taken so long.
    pub fn unfinished_work(&self, name: impl Label, duration: Duration) {
        self.set
            .queue_unfinished
            .set([name.value()], duration.as_secs_f64());
    }

    /// The oldest running reconcile has taken so long.
    pub fn longest_running(&self, name: impl Label, duration: Duration) {
        self.set
            .queue_longest
            .set([name.value()], duration.as_secs_f64());
    }

    /// A reconcile is repeated after an error.
    pub fn retried(&self, name: impl Label) {
        self.set.queue_retries.inc([name.value()]);
    }

    /// An object of a fairness group waited so long. The caller keeps the groups few.
    pub fn group_waited(&self, name: impl Label, group: impl Label, duration: Duration) {
        self.set
            .group_wait
            .observe([name.value(), group.value()], duration.as_secs_f64());
    }

    /// A reconcile panicked.
    pub fn reconcile_panicked(&self, kind: impl Label) {
        self.set.reconcile_panics.inc([kind.value()]);
    }

    /// A reconcile ended in an error of that reason.
    pub fn reconcile_failed(&self, kind: impl Label, reason: impl Label) {
        self.set.error_reasons.inc([kind.value(), reason.value()]);
    }

    /// So many reconciles are in flight.
    pub fn active_workers(&self, kind: impl Label, count: usize) {
        self.set.active_workers.set([kind.value()], amount(count));
    }

    /// So many may be.
    pub fn max_concurrent_reconciles(&self, kind: impl Label, count: usize) {
        self.set.max_concurrent.set([kind.value()], amount(count));
    }

    /// An attempt of a request to the API server was answered with `code`.
    pub fn rest_request(&self, code: impl Label, method: impl Label) {
        self.set.rest_requests.inc([code.value(), method.value()]);
    }

    /// A list was read into a complete store.
    pub fn list_synced(&self, kind: impl Label, duration: Duration) {
        self.set
            .listwatch_sync
            .observe([kind.value()], duration.as_secs_f64());
    }

    /// A list or watch failed.
    pub fn listwatch_failed(&self, kind: impl Label, error_type: impl Label) {
        self.set
            .listwatch_errors
            .inc([kind.value(), error_type.value()]);
    }

    /// An external call waited for its permit.
    pub fn bulkhead_waited(&self, client: impl Label, duration: Duration) {
        self.set
            .bulkhead_wait
            .observe([client.value()], duration.as_secs_f64());
    }

    /// So many clients made from credentials are held.
    pub fn client_cache_entries(&self, client: impl Label, count: usize) {
        self.set.client_cache.set([client.value()], amount(count));
    }

    /// A status of so many bytes was written.
    pub fn status_written(&self, kind: impl Label, bytes: usize) {
        self.set.status_bytes.observe([kind.value()], amount(bytes));
    }

    /// A wait shorter than a second was stretched.
    pub fn poll_clamped(&self, kind: impl Label) {
        self.set.clamped_polls.inc([kind.value()]);
    }

    /// A reconcile waited for the cache to see our last write.
    pub fn gate_waited(&self, kind: impl Label, duration: Duration) {
        self.set
            .gate_wait
            .observe([kind.value()], duration.as_secs_f64());
    }

    /// So many objects are slowed down by the hot-loop breaker.
    pub fn hot_objects(&self, kind: impl Label, count: usize) {
        self.set.hot_objects.set([kind.value()], amount(count));
    }

    /// So many clean-ups are past their deadline.
    pub fn cleanup_stalled(&self, kind: impl Label, count: usize) {
        self.set.cleanup_stalled.set([kind.value()], amount(count));
    }

    /// So many objects do not decode.
    pub fn undecodable_objects(&self, kind: impl Label, count: usize) {
        self.set.undecodable.set([kind.value()], amount(count));
    }

    /// So many objects are cached.
    pub fn cache_objects(&self, kind: impl Label, count: usize) {
        self.set.cache_objects.set([kind.value()], amount(count));
    }

    /// They have so many bytes.
    pub fn cache_bytes(&self, kind: impl Label, count: usize) {
        self.set.cache_bytes.set([kind.value()], amount(count));
    }

    /// An event for people was written, or not.
    pub fn event(&self, reason: impl Label, result: EventResult) {
        self.set
            .events
            .inc([reason.value(), Cow::Borrowed(result.as_str())]);
    }

    /// So many objects are paused.
    pub fn paused_objects(&self, kind: impl Label, count: usize) {
        self.set.paused.set([kind.value()], amount(count));
    }

    /// An owned object was applied, or need not be.
    pub fn child_applied(&self, kind: impl Label, child: impl Label, result: impl Label) {
        self.set
            .children_applied
            .inc([kind.value(), child.value(), result.value()]);
    }
}

fn flag(value: bool) -> f64 {
    if value { 1.0 } else { 0.0 }
}

/// A count as a metric's value: exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "no operator counts that far")]
fn amount(count: usize) -> f64 {
    count as f64
}
