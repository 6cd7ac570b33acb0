//! Every metric there is: the registry, the reference page and the dashboards are made from this table.

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// Only ever grows.
    Counter,
    /// A current value.
    Gauge,
    /// Observations in buckets.
    Histogram,
}

impl MetricKind {
    /// The word of the exposition format.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricInfo {
    /// The name as it is scraped; counters end in `_total`.
    pub name: &'static str,
    /// Its type.
    pub kind: MetricKind,
    /// Its labels. Every one has few values: kinds, phases, results; never an object's name or free text.
    pub labels: &'static [&'static str],
    /// What it says, and its unit.
    pub help: &'static str,
}

/// A row whose number of labels the compiler knows.
#[derive(Debug)]
pub(super) struct Def<const N: usize> {
    pub(super) name: &'static str,
    pub(super) kind: MetricKind,
    pub(super) labels: [&'static str; N],
    pub(super) help: &'static str,
    /// Upper bounds of a histogram.
    pub(super) buckets: &'static [f64],
}

impl<const N: usize> Def<N> {
    const fn info(&'static self) -> MetricInfo {
        MetricInfo {
            name: self.name,
            kind: self.kind,
            labels: &self.labels,
            help: self.help,
        }
    }
}

const fn counter<const N: usize>(
    name: &'static str,
    labels: [&'static str; N],
    help: &'static str,
) -> Def<N> {
    Def {
        name,
        kind: MetricKind::Counter,
        labels,
        help,
        buckets: &[],
    }
}

const fn gauge<const N: usize>(
    name: &'static str,
    labels: [&'static str; N],
    help: &'static str,
) -> Def<N> {
    Def {
        kind: MetricKind::Gauge,
        ..counter(name, labels, help)
    }
}

const fn histogram<const N: usize>(
    name: &'static str,
    labels: [&'static str; N],
    buckets: &'static [f64],
    help: &'static str,
) -> Def<N> {
    Def {
        kind: MetricKind::Histogram,
        buckets,
        ..counter(name, labels, help)
    }
}

/// Seconds, for things that take from a millisecond to minutes.
const SECONDS: &[f64] = &[
    0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0,
];
/// Seconds, for pauses that are meant.
const PAUSES: &[f64] = &[
    1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0,
];
/// Bytes of one object's status.
const BYTES: &[f64] = &[
    256.0,
    1024.0,
    4096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
];

/// Declares the rows, and the table of them all.
macro_rules! catalogue {
    ($($ident:ident: $n:literal = $def:expr;)*) => {
        $(pub(super) static $ident: Def<$n> = $def;)*

        /// Every metric of an operator, in the order of the source.
        pub static CATALOGUE: &[MetricInfo] = &[$($ident.info()),*];
    };
}

catalogue! {
    WORKQUEUE_DEPTH: 1 = gauge("workqueue_depth", ["name"], "objects waiting for a worker");
    WORKQUEUE_ADDS: 1 = counter("workqueue_adds_total", ["name"], "objects put into the queue");
    WORKQUEUE_WAIT: 1 = histogram("workqueue_queue_duration_seconds", ["name"], SECONDS, "seconds from the queue to a worker");
    WORKQUEUE_WORK: 1 = histogram("workqueue_work_duration_seconds", ["name"], SECONDS, "seconds a worker spent on one object");
    WORKQUEUE_UNFINISHED: 1 = gauge("workqueue_unfinished_work_seconds", ["name"], "seconds of work in progress, all running reconciles together");
    WORKQUEUE_LONGEST: 1 = gauge("workqueue_longest_running_processor_seconds", ["name"], "seconds the oldest running reconcile has taken so far");
    WORKQUEUE_RETRIES: 1 = counter("workqueue_retries_total", ["name"], "reconciles repeated after an error; business polls are opgen_polls_total");
    QUEUE_GROUP_WAIT: 2 = histogram("opgen_queue_group_wait_seconds", ["name", "group"], SECONDS, "seconds from the queue to a worker by fairness group; the largest groups by name, the rest as other");

    RECONCILES: 2 = counter("controller_runtime_reconcile_total", ["controller", "result"], "reconciles by result");
    RECONCILE_ERRORS: 1 = counter("controller_runtime_reconcile_errors_total", ["controller"], "reconciles that ended in an error");
    RECONCILE_TIME: 1 = histogram("controller_runtime_reconcile_time_seconds", ["controller"], SECONDS, "seconds per reconcile");
    RECONCILE_PANICS: 1 = counter("controller_runtime_reconcile_panics_total", ["controller"], "reconciles that panicked");
    ERROR_REASONS: 2 = counter("opgen_reconcile_errors_total", ["kind", "reason"], "reconciles that ended in an error by reason: transient, permanent, timeout, panic, saturated (no permit: not the object's failure)");
    ACTIVE_WORKERS: 1 = gauge("controller_runtime_active_workers", ["controller"], "reconciles in flight");
    MAX_CONCURRENT: 1 = gauge("controller_runtime_max_concurrent_reconciles", ["controller"], "reconciles that may be in flight");

    REST_REQUESTS: 2 = counter("rest_client_requests_total", ["code", "method"], "requests to the API server by status code and method, each attempt counted; code <error> = no answer");
    LEADER: 1 = gauge("leader_election_master_status", ["name"], "1 while this process holds the lease of that name");
    LISTWATCH_SYNC: 1 = histogram("listwatch_sync_duration_seconds", ["kind"], SECONDS, "seconds from the start of a list until its store was complete");
    LISTWATCH_ERRORS: 2 = counter("listwatch_errors_total", ["kind", "type"], "failed lists and watches by type: list, watch_start, watch_event, watch_stream, no_resource_version, went_back (the server is older than the watch: it was restored)");

    EXTERNAL_CALLS: 3 = counter("opgen_external_calls_total", ["client", "method", "result"], "attempts of external calls by result: ok, timeout, saturated, breaker_open, throttled, transport, unauthorized, not_found, rejected, unavailable, error, aborted");
    EXTERNAL_SECONDS: 2 = histogram("opgen_external_call_seconds", ["client", "method"], SECONDS, "seconds per attempt of an external call, without the wait for a permit");
    BULKHEAD_WAIT: 1 = histogram("opgen_bulkhead_wait_seconds", ["client"], SECONDS, "seconds an external call waited for a permit");
    CLIENT_CACHE: 1 = gauge("opgen_client_cache_entries", ["client"], "clients made from per-object credentials that are held");

    STATUS_PATCHES: 2 = counter("opgen_status_patches_total", ["kind", "result"], "status writes by result: sent, skipped (nothing to say), refused (by admission or schema), raced (lost to another writer)");
    STATUS_BYTES: 1 = histogram("opgen_status_bytes", ["kind"], BYTES, "bytes of a status as it was written");
    POLLS: 1 = counter("opgen_polls_total", ["kind"], "reconciles that ended in a business wait");
    POLL_INTERVAL: 1 = histogram("opgen_poll_interval_seconds", ["kind"], PAUSES, "seconds of the waits that reconciles asked for");
    CLAMPED_POLLS: 1 = counter("opgen_clamped_polls_total", ["kind"], "waits shorter than a second that were stretched to one");
    GATE_WAIT: 1 = histogram("opgen_gate_wait_seconds", ["kind"], SECONDS, "seconds a reconcile waited until the cache had seen our own last write");
    HOT_OBJECTS: 1 = gauge("opgen_hot_objects", ["kind"], "objects slowed down because they reconcile without any change");
    CLEANUP_STALLED: 1 = gauge("opgen_cleanup_stalled", ["kind"], "objects whose clean-up is past its deadline");
    PHASE_AGE: 2 = gauge("opgen_phase_age_seconds", ["kind", "phase"], "seconds the object longest in that phase has been there");
    PHASE_OBJECTS: 2 = gauge("opgen_phase_objects", ["kind", "phase"], "objects in that phase");
    UNDECODABLE: 1 = gauge("opgen_undecodable_objects", ["kind"], "objects that do not decode and are left alone");
    CACHE_OBJECTS: 1 = gauge("opgen_cache_objects", ["kind"], "objects in the cache");
    CACHE_BYTES: 1 = gauge("opgen_cache_bytes", ["kind"], "bytes of the objects in the cache as they came over the wire");
    PAUSED: 1 = gauge("opgen_paused_objects", ["kind"], "objects paused by annotation");
    CHILDREN_APPLIED: 3 = counter("opgen_children_applied_total", ["kind", "child", "result"], "applies of owned objects by result: sent, skipped, healed, refused");
    QUIESCENT: 1 = gauge("opgen_quiescent", ["kind"], "1 while nothing of that kind runs, waits or backs off");
    SYNCED: 1 = gauge("opgen_synced", ["kind"], "1 once the cache of that kind is complete");
    CONVERGED: 1 = gauge("opgen_converged", ["kind"], "1 while every object of that kind is settled or paused: none waits for its turn, for a poll or for a retry");
    HELD_DESTROYS: 1 = gauge("opgen_held_destroys", ["kind"], "clean-ups held by the brake on mass deletions");
    JOBS: 3 = counter("opgen_jobs_total", ["kind", "job", "result"], "background jobs that ended by result: done, failed, timeout, panic");
    EVENTS: 2 = counter("opgen_events_total", ["reason", "result"], "events for people by result: written, failed (the API server did not take it), dropped (too many waited to be written)");
    BLOCKING_POLLS: 1 = counter("opgen_blocking_polls_total", ["kind"], "times a handler blocked its thread for half a second or longer");
    EXECUTOR_STALLS: 1 = counter("opgen_executor_stalls_total", ["controller"], "times the executor did not turn for two seconds");
}
