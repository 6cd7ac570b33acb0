//! Checks before the first watch: a missing CRD or right is a loud error, never an empty list.

use std::{collections::BTreeSet, time::Duration};

use http::Request;
use serde_json::Value;

use crate::mutant::{Mutant, mutated};
use crate::{
    clients::Clients,
    engine::backoff::Backoff,
    inspect::Inspector,
    manifests::{NeededCrd, NeededList, Needs},
};

/// How long the check of owned and watched kinds may take.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How many missing fields a message names.
const NAMED: usize = 5;

/// Asks the server for every CRD and every list. Waits as long as the server does not answer; fails when it answers
/// that something is missing.
pub(crate) async fn check(
    clients: &Clients,
    needs: &Needs,
    inspector: &Inspector,
) -> Result<(), Vec<String>> {
    let mut reasons = Vec::new();
    for needed in &needs.crds {
        let kind = text(&needed.crd, "/spec/names/kind");
        let mut failures = 0;
        loop {
            match check_kind(clients, needed, needs.only_in.as_deref()).await {
                Ok(_) if mutated(Mutant::Preflight) => break,
                Ok(found) => {
                    reasons.extend(found);
                    break;
                }
                Err(error) => {
                    failures += 1;
                    let wait = Backoff::WATCH.delay(failures).min(Duration::from_secs(10));
                    tracing::warn!(kind, %error, ?wait, "the API server does not answer the start-up check");
                    inspector.waits_for(format!("{kind}: the API server does not answer: {error}"));
                    tokio::time::sleep(wait).await;
                }
            }
        }
    }
    reasons.extend(check_lists(clients, needs).await);
    inspector.preflight_done();
    if reasons.is_empty() {
        Ok(())
    } else {
        Err(reasons)
    }
}

/// What is owned or watched: a definite no is a loud error as well. What is not known in time holds nobody up: such a
/// kind has a watch of its own, and `/readyz` names it.
async fn check_lists(clients: &Clients, needs: &Needs) -> Vec<String> {
    let check = |list: &NeededList| {
        let path = format!("{}?limit=1", list.path(needs.only_in.as_deref()));
        let (kind, path) = (list.kind.clone(), path);
        async move {
            match tokio::time::timeout(PATIENCE, get(clients, &path)).await {
                Ok(Ok(Answer::Missing)) => Some(format!(
                    "{kind}: the server does not serve it, and the operator owns or watches it: install its CRD"
                )),
                Ok(Ok(Answer::Forbidden(message))) => {
                    Some(format!("{message}: apply the role that `manifests` prints"))
                }
                Ok(Ok(Answer::Found(_)) | Err(_)) | Err(_) => None,
            }
        }
    };
    let checked = futures::future::join_all(needs.lists.iter().map(check)).await;
    checked.into_iter().flatten().collect()
}

async fn check_kind(
    clients: &Clients,
    NeededCrd { crd, version }: &NeededCrd,
    only_in: Option<&str>,
) -> Result<Vec<String>, kube::Error> {
    let (group, plural) = (text(crd, "/spec/group"), text(crd, "/spec/names/plural"));
    let place = only_in
        .map(|namespace| format!("namespaces/{namespace}/"))
        .unwrap_or_default();
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let (definition, list) = (
        format!("{crds}/{plural}.{group}"),
        format!("/apis/{group}/{version}/{place}{plural}?limit=1"),
    );
    // Both at once: nothing else begins before they are answered.
    let (definition, list) =
        futures::future::try_join(get(clients, &definition), get(clients, &list)).await?;
    let mut reasons = match definition {
        Answer::Found(served) => compare(crd, &served, version),
        Answer::Missing => vec![format!(
            "the CRD {plural}.{group} is not installed: apply what `manifests` prints"
        )],
        // A role of one namespace cannot grant it; the list tells the rest.
        Answer::Forbidden(message) => {
            tracing::warn!(%message, "the served schema cannot be compared");
            Vec::new()
        }
    };
    // What the definition lacks is why the list fails.
    if reasons.is_empty() {
        match list {
            Answer::Found(_) => {}
            Answer::Missing => reasons.push(format!("{group}/{version} {plural} is not served")),
            Answer::Forbidden(message) => {
                reasons.push(format!("{message}: apply the role that `manifests` prints"));
            }
        }
    }
    Ok(reasons)
}

enum Answer {
    Found(Value),
    Missing,
    Forbidden(String),
}

async fn get(clients: &Clients, path: &str) -> Result<Answer, kube::Error> {
    let request = Request::get(path).body(Vec::new()).map_err(|error| {
        kube::Error::BuildRequest(kube::core::request::Error::BuildRequest(error))
    })?;
    match clients.call.request::<Value>(request).await {
        Ok(value) => Ok(Answer::Found(value)),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(Answer::Missing),
        Err(kube::Error::Api(status)) if status.code == 403 => {
            Ok(Answer::Forbidden(status.message))
        }
        Err(error) => Err(error),
    }
}

/// What the served CRD lacks of ours, in the version that the operator reads and writes.
fn compare(ours: &Value, served: &Value, version: &str) -> Vec<String> {
    let name = text(served, "/metadata/name");
    let mut reasons = Vec::new();
    let find = |crd: &Value| {
        let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
        versions
            .into_iter()
            .flatten()
            .find(|other| text(other, "/name") == version)
            .cloned()
    };
    let Some(found) = find(served).filter(|found| found["served"] == true) else {
        return vec![format!(
            "the CRD {name} does not serve version {version}: apply the one that `manifests` prints"
        )];
    };
    if let Some(ours) = find(ours) {
        if ours.pointer("/subresources/status").is_some()
            && found.pointer("/subresources/status").is_none()
            && !mutated(Mutant::StatusSubresource)
        {
            reasons.push(format!("the CRD {name} has no status subresource in {version}: status writes would change the generation"));
        }
        let mut missing = BTreeSet::new();
        missing_fields(
            &ours["schema"]["openAPIV3Schema"],
            &found["schema"]["openAPIV3Schema"],
            "",
            &mut missing,
        );
        if !missing.is_empty() {
            let named: Vec<_> = missing.iter().take(NAMED).cloned().collect();
            let more = missing.len().saturating_sub(NAMED);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            reasons.push(format!(
                "the CRD {name} is older than this operator: it would drop {}{more}: apply the one that `manifests` prints",
                named.join(", ")
            ));
        }
    }
    reasons
}

fn missing_fields(ours: &Value, served: &Value, path: &str, missing: &mut BTreeSet<String>) {
    if served["x-kubernetes-preserve-unknown-fields"] == true || mutated(Mutant::ServedSchema) {
        return;
    }
    for (name, ours) in ours["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        match served["properties"].get(name) {
            Some(served) => missing_fields(ours, served, &path, missing),
            None => {
                missing.insert(path);
            }
        }
    }
    if ours["items"].is_object() {
        missing_fields(
            &ours["items"],
            &served["items"],
            &format!("{path}[]"),
            missing,
        );
    }
    if ours["additionalProperties"].is_object() && served["additionalProperties"].is_object() {
        missing_fields(
            &ours["additionalProperties"],
            &served["additionalProperties"],
            &format!("{path}.*"),
            missing,
        );
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}
