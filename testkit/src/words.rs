//! What an operator says to people: only words that the reference page explains.

use std::collections::BTreeSet;

use opgen_apiserver::Cluster;
use opgen_runtime::{Operator, reference, status::conditions};
use serde_json::Value;

/// Looks at every event and every condition that the operator has left: the first one that is not in the tables that the
/// reference page is made from.
pub(crate) fn unexplained<C: Send + Sync + 'static>(
    cluster: &Cluster,
    operator: &Operator<C>,
) -> Option<String> {
    let graphs = operator.graphs();
    let phases = graphs.iter().flat_map(|graph| graph.phases);
    let phases: BTreeSet<_> = phases.map(|phase| phase.name).collect();
    for event in list(cluster, "events.events.k8s.io") {
        if event["reportingController"] == operator.name() {
            let word = text(&event, "reason");
            if !reference::reason(word).is_some_and(reference::Reason::is_event) {
                return Some(format!("the event {word}: {event}"));
            }
        }
    }
    let (manifests, paths) = (operator.manifests(), operator.machine_paths());
    for crd in manifests
        .iter()
        .filter(|one| one["kind"] == "CustomResourceDefinition")
    {
        let kind = crd["spec"]["names"]["kind"].as_str().unwrap_or_default();
        let path = paths.iter().find(|(name, _)| name == kind);
        let path = path.map_or("/conditions", |(_, paths)| paths.conditions);
        for object in list(cluster, text(&crd["metadata"], "name")) {
            let all = object.pointer(&format!("/status{path}"));
            for one in all.and_then(Value::as_array).into_iter().flatten() {
                let (kind, word) = (text(one, "type"), text(one, "reason"));
                let is_listed =
                    || reference::reason(word).is_some_and(|it| it.conditions().contains(&kind));
                let is_phase = phases.contains(word);
                if conditions::is_owned(kind) && !is_phase && !is_listed() {
                    return Some(format!("the reason {word} of {kind}: {object}"));
                }
            }
        }
    }
    None
}

fn list(cluster: &Cluster, resource: &str) -> Vec<Value> {
    // A test may have taken the definition away.
    cluster.list_raw(resource, "").unwrap_or_default()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
