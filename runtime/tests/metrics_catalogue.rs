//! The catalogue is the registry: nothing is missing in either.
#![allow(clippy::unwrap_used)]

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use opgen_runtime::metrics::{CATALOGUE, EventResult, Metrics, PatchResult, ReconcileResult};

/// Calls every method once, so that every metric has a series.
fn touched() -> Metrics {
    let (metrics, second) = (Metrics::new(), Duration::from_secs(1));
    queue(&metrics, second);
    metrics.reconciled("K", ReconcileResult::Error, second);
    metrics.reconcile_panicked("K");
    metrics.reconcile_failed("K", "timeout");
    metrics.active_workers("K", 1);
    metrics.max_concurrent_reconciles("K", 1);
    metrics.rest_request("200", "GET");
    metrics.leader("lease", true);
    metrics.list_synced("K", second);
    metrics.listwatch_failed("K", "expired");
    metrics.external_call("client", "get", "ok", second);
    metrics.bulkhead_waited("client", second);
    metrics.client_cache_entries("client", 1);
    metrics.status_patch("K", PatchResult::Sent);
    metrics.status_written("K", 1);
    metrics.polled("K", second);
    metrics.poll_clamped("K");
    metrics.gate_waited("K", second);
    metrics.hot_objects("K", 1);
    metrics.cleanup_stalled("K", 1);
    metrics.phase("K", "Ready", 1, second);
    metrics.undecodable_objects("K", 1);
    metrics.cache_objects("K", 1);
    metrics.cache_bytes("K", 1);
    metrics.paused_objects("K", 1);
    metrics.child_applied("K", "Pod", "sent");
    metrics.quiescent("K", true);
    metrics.synced("K", true);
    metrics.converged("K", true);
    metrics.held_destroys("K", 1);
    metrics.job_ended("K", "restore", "done");
    metrics.event("HotLoop", EventResult::Written);
    metrics.poll_blocked("K");
    metrics.executor_stalled("operator");
    metrics
}

fn queue(metrics: &Metrics, second: Duration) {
    metrics.queue_depth("K", 1);
    metrics.queue_added("K");
    metrics.queue_waited("K", second);
    metrics.work_done("K", second);
    metrics.unfinished_work("K", second);
    metrics.longest_running("K", second);
    metrics.retried("K");
    metrics.group_waited("K", "other", second);
}

/// Name to type, help and the labels of its series, as they are scraped.
fn scraped(text: &str) -> BTreeMap<String, (String, String, BTreeSet<String>)> {
    let mut kinds = BTreeMap::new();
    let mut helps = BTreeMap::new();
    let mut labels: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            kinds.insert(name.to_owned(), kind.to_owned());
        } else if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            helps.insert(name.to_owned(), help.to_owned());
        } else if let Some((series, rest)) = line.split_once('{') {
            let (pairs, _) = rest.split_once('}').unwrap();
            let keys = pairs
                .split(',')
                .filter_map(|pair| Some(pair.split_once('=')?.0.to_owned()));
            labels
                .entry(series.to_owned())
                .or_default()
                .extend(keys.filter(|key| key != "le"));
        }
    }
    kinds
        .into_iter()
        .map(|(name, kind)| {
            let series = match kind.as_str() {
                "counter" => format!("{name}_total"),
                "histogram" => format!("{name}_count"),
                _ => name.clone(),
            };
            let shown = if kind == "counter" { &series } else { &name };
            let row = (
                kind,
                helps[&name].clone(),
                labels.get(&series).cloned().unwrap_or_default(),
            );
            (shown.clone(), row)
        })
        .collect()
}

#[test]
fn the_catalogue_is_the_registry() {
    let scraped = scraped(&touched().encode());
    let listed: BTreeMap<_, _> = CATALOGUE
        .iter()
        .map(|info| {
            let labels = info
                .labels
                .iter()
                .map(|label| (*label).to_owned())
                .collect();
            let help = format!("{}.", info.help);
            (
                info.name.to_owned(),
                (info.kind.as_str().to_owned(), help, labels),
            )
        })
        .collect();
    assert_eq!(scraped, listed);
    assert_eq!(CATALOGUE.len(), listed.len(), "a name twice");
}

#[test]
fn no_label_can_hold_a_name_or_free_text() {
    let few = [
        "child",
        "client",
        "code",
        "controller",
        "group",
        // A word in the source: `cx.job` takes a `&'static str`.
        "job",
        "kind",
        "method",
        "name",
        "phase",
        "reason",
        "result",
        "type",
    ];
    for info in CATALOGUE {
        for label in info.labels {
            assert!(few.contains(label), "{} has the label {label}", info.name);
        }
        // `name` is the name of a queue or a lease there, as the dashboards expect.
        let named = info.labels.contains(&"name");
        let dashboards = info.name.starts_with("workqueue_")
            || info.name.starts_with("opgen_queue_")
            || info.name == "leader_election_master_status";
        assert!(!named || dashboards, "{}", info.name);
    }
}

#[test]
fn the_names_that_dashboards_know_are_there() {
    let text = touched().encode();
    for line in [
        "workqueue_adds_total{name=\"K\"} 1",
        "controller_runtime_reconcile_total{controller=\"K\",result=\"error\"} 1",
        "controller_runtime_reconcile_errors_total{controller=\"K\"} 1",
        "rest_client_requests_total{code=\"200\",method=\"GET\"} 1",
        "leader_election_master_status{name=\"lease\"} 1.0",
        "opgen_phase_age_seconds{kind=\"K\",phase=\"Ready\"} 1.0",
    ] {
        assert!(text.lines().any(|it| it == line), "{line}\n{text}");
    }
}

#[test]
fn only_errors_are_counted_as_errors() {
    let metrics = Metrics::new();
    metrics.reconciled("K", ReconcileResult::RequeueAfter, Duration::ZERO);
    metrics.reconciled("K", ReconcileResult::Success, Duration::ZERO);
    let text = metrics.encode();
    assert!(text.contains("result=\"requeue_after\"} 1"));
    assert!(!text.contains("controller_runtime_reconcile_errors_total{"));
}

#[test]
fn clones_share_and_operators_do_not() {
    let (one, other) = (Metrics::new(), Metrics::new());
    one.clone().retried("K");
    let line = "workqueue_retries_total{name=\"K\"} 1";
    assert!(one.encode().contains(line));
    assert!(!other.encode().contains(line));
}
