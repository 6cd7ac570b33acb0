//! The operator's metrics: one registry per operator, typed methods, names that dashboards know.

mod catalogue;
mod families;

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use prometheus_client::registry::Registry;

pub use catalogue::{CATALOGUE, MetricInfo, MetricKind};
use families::{Counter, Gauge, Histogram};

/// The content type of [`Metrics::encode`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// How a reconcile ended, as the label `result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReconcileResult {
    /// Nothing more to do until an event.
    Success,
    /// It failed.
    Error,
    /// It wants to run again at once (a chain that did not fit into the budget).
    Requeue,
    /// It wants to run again later.
    RequeueAfter,
}

impl ReconcileResult {
    /// The label's value, as controller-runtime spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Requeue => "requeue",
            Self::RequeueAfter => "requeue_after",
        }
    }
}

/// What became of a status write, as the label `result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchResult {
    /// Sent and accepted.
    Sent,
    /// Not sent: nothing to say.
    Skipped,
    /// Refused by admission or schema.
    Refused,
    /// Lost to another writer.
    Raced,
}

impl PatchResult {
    /// The label's value.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Skipped => "skipped",
            Self::Refused => "refused",
            Self::Raced => "raced",
        }
    }
}

/// What became of an event, as the label `result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventResult {
    /// The API server has it.
    Written,
    /// The API server did not take it.
    Failed,
    /// Too many waited to be written.
    Dropped,
}

impl EventResult {
    /// The label's value.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
        }
    }
}

/// The value of a label: a static word costs nothing, anything else is copied. Only words of which there are few
/// (kinds, phases, results) may become one.
pub trait Label {
    /// The value.
    fn value(self) -> Cow<'static, str>;
}

impl Label for &'static str {
    fn value(self) -> Cow<'static, str> {
        Cow::Borrowed(self)
    }
}

impl Label for String {
    fn value(self) -> Cow<'static, str> {
        Cow::Owned(self)
    }
}

impl Label for &String {
    fn value(self) -> Cow<'static, str> {
        Cow::Owned(self.clone())
    }
}

impl Label for Cow<'static, str> {
    fn value(self) -> Cow<'static, str> {
        self
    }
}

impl Label for &Arc<str> {
    fn value(self) -> Cow<'static, str> {
        Cow::Owned(self.to_string())
    }
}

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

struct Set {
    queue_depth: Gauge<1>,
    queue_adds: Counter<1>,
    queue_wait: Histogram<1>,
    queue_work: Histogram<1>,
    queue_unfinished: Gauge<1>,
    queue_longest: Gauge<1>,
    queue_retries: Counter<1>,
    group_wait: Histogram<2>,
    reconciles: Counter<2>,
    reconcile_errors: Counter<1>,
    reconcile_time: Histogram<1>,
    reconcile_panics: Counter<1>,
    error_reasons: Counter<2>,
    active_workers: Gauge<1>,
    max_concurrent: Gauge<1>,
    rest_requests: Counter<2>,
    leader: Gauge<1>,
    listwatch_sync: Histogram<1>,
    listwatch_errors: Counter<2>,
    external_calls: Counter<3>,
    external_seconds: Histogram<2>,
    bulkhead_wait: Histogram<1>,
    client_cache: Gauge<1>,
    status_patches: Counter<2>,
    status_bytes: Histogram<1>,
    polls: Counter<1>,
    poll_interval: Histogram<1>,
    clamped_polls: Counter<1>,
    gate_wait: Histogram<1>,
    hot_objects: Gauge<1>,
    cleanup_stalled: Gauge<1>,
    phase_age: Gauge<2>,
    phase_objects: Gauge<2>,
    undecodable: Gauge<1>,
    cache_objects: Gauge<1>,
    cache_bytes: Gauge<1>,
    paused: Gauge<1>,
    children_applied: Counter<3>,
    quiescent: Gauge<1>,
    synced: Gauge<1>,
    converged: Gauge<1>,
    held_destroys: Gauge<1>,
    jobs: Counter<3>,
    events: Counter<2>,
    blocking_polls: Counter<1>,
    executor_stalls: Counter<1>,
}

impl Set {
    fn new(registry: &mut Registry) -> Self {
        Self {
            queue_depth: Gauge::new(&catalogue::WORKQUEUE_DEPTH, registry),
            queue_adds: Counter::new(&catalogue::WORKQUEUE_ADDS, registry),
            queue_wait: Histogram::new(&catalogue::WORKQUEUE_WAIT, registry),
            queue_work: Histogram::new(&catalogue::WORKQUEUE_WORK, registry),
            queue_unfinished: Gauge::new(&catalogue::WORKQUEUE_UNFINISHED, registry),
            queue_longest: Gauge::new(&catalogue::WORKQUEUE_LONGEST, registry),
            queue_retries: Counter::new(&catalogue::WORKQUEUE_RETRIES, registry),
            group_wait: Histogram::new(&catalogue::QUEUE_GROUP_WAIT, registry),
            reconciles: Counter::new(&catalogue::RECONCILES, registry),
            reconcile_errors: Counter::new(&catalogue::RECONCILE_ERRORS, registry),
            reconcile_time: Histogram::new(&catalogue::RECONCILE_TIME, registry),
            reconcile_panics: Counter::new(&catalogue::RECONCILE_PANICS, registry),
            error_reasons: Counter::new(&catalogue::ERROR_REASONS, registry),
            active_workers: Gauge::new(&catalogue::ACTIVE_WORKERS, registry),
            max_concurrent: Gauge::new(&catalogue::MAX_CONCURRENT, registry),
            rest_requests: Counter::new(&catalogue::REST_REQUESTS, registry),
            leader: Gauge::new(&catalogue::LEADER, registry),
            listwatch_sync: Histogram::new(&catalogue::LISTWATCH_SYNC, registry),
            listwatch_errors: Counter::new(&catalogue::LISTWATCH_ERRORS, registry),
            external_calls: Counter::new(&catalogue::EXTERNAL_CALLS, registry),
            external_seconds: Histogram::new(&catalogue::EXTERNAL_SECONDS, registry),
            bulkhead_wait: Histogram::new(&catalogue::BULKHEAD_WAIT, registry),
            client_cache: Gauge::new(&catalogue::CLIENT_CACHE, registry),
            status_patches: Counter::new(&catalogue::STATUS_PATCHES, registry),
            status_bytes: Histogram::new(&catalogue::STATUS_BYTES, registry),
            polls: Counter::new(&catalogue::POLLS, registry),
            poll_interval: Histogram::new(&catalogue::POLL_INTERVAL, registry),
            clamped_polls: Counter::new(&catalogue::CLAMPED_POLLS, registry),
            gate_wait: Histogram::new(&catalogue::GATE_WAIT, registry),
            hot_objects: Gauge::new(&catalogue::HOT_OBJECTS, registry),
            cleanup_stalled: Gauge::new(&catalogue::CLEANUP_STALLED, registry),
            phase_age: Gauge::new(&catalogue::PHASE_AGE, registry),
            phase_objects: Gauge::new(&catalogue::PHASE_OBJECTS, registry),
            undecodable: Gauge::new(&catalogue::UNDECODABLE, registry),
            cache_objects: Gauge::new(&catalogue::CACHE_OBJECTS, registry),
            cache_bytes: Gauge::new(&catalogue::CACHE_BYTES, registry),
            paused: Gauge::new(&catalogue::PAUSED, registry),
            children_applied: Counter::new(&catalogue::CHILDREN_APPLIED, registry),
            quiescent: Gauge::new(&catalogue::QUIESCENT, registry),
            synced: Gauge::new(&catalogue::SYNCED, registry),
            converged: Gauge::new(&catalogue::CONVERGED, registry),
            held_destroys: Gauge::new(&catalogue::HELD_DESTROYS, registry),
            jobs: Counter::new(&catalogue::JOBS, registry),
            events: Counter::new(&catalogue::EVENTS, registry),
            blocking_polls: Counter::new(&catalogue::BLOCKING_POLLS, registry),
            executor_stalls: Counter::new(&catalogue::EXECUTOR_STALLS, registry),
        }
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
