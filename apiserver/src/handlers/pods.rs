//! Binding and eviction of pods.

use std::sync::Arc;

use serde_json::{Value, json};

use super::decode;
use super::delete::Options;
use crate::call::{Call, Handled, Outcome, Reply, Stop};
use crate::cluster::Shared;
use crate::error::ApiError;
use crate::object;
use crate::resource::Resource;
use crate::selector::Selector;
use crate::store::Expect;

fn done() -> Outcome {
    Outcome::Reply(Reply::json(
        201,
        &json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201 }),
    ))
}

impl Shared {
    /// Puts a pod on a node.
    pub(super) fn bind(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        call.write_options("CreateOptions")?;
        let binding = decode::json_value(&call.body).map_err(ApiError::bad_request)?;
        let node = binding["target"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let name = call.info.name.clone();
        let key = resource.key(&call.info.namespace, &name);
        loop {
            let Some(old) = self.store.get(&resource.table, &key) else {
                return Err(resource.not_found(&name).into());
            };
            let present = old.object.value();
            let bound = present["spec"]["nodeName"].as_str().unwrap_or_default();
            if !bound.is_empty() {
                let why = format!("pod {name} is already assigned to node {bound:?}");
                return Err(ApiError::conflict("", "pods/binding", &name, &why).into());
            }
            let mut new = old.object.to_value();
            new["spec"]["nodeName"] = node.clone().into();
            schedule(&mut new, &self.stamp(call));
            object::meta_mut(&mut new).insert(
                "generation".into(),
                (object::generation(&old.object.value()) + 1).into(),
            );
            if call.dry_run {
                return Ok(done());
            }
            match self.commit_put(call, resource, &key, Expect::Revision(old.revision), new) {
                Ok(_) => return Ok(done()),
                Err(Stop::Lost(_)) => {}
                Err(other) => return Err(other),
            }
        }
    }

    /// Deletes a pod unless a disruption budget forbids it.
    pub(super) fn evict(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        call.write_options("CreateOptions")?;
        let eviction = decode::json_value(&call.body).map_err(ApiError::bad_request)?;
        let name = call.info.name.clone();
        let key = resource.key(&call.info.namespace, &name);
        let Some(pod) = self.store.get(&resource.table, &key) else {
            return Err(resource.not_found(&name).into());
        };
        if self.is_protected(&call.info.namespace, &pod.object.value()) {
            return Err(ApiError::too_many_requests(
                "Cannot evict pod as it would violate the pod's disruption budget.",
            )
            .into());
        }
        let asked = &eviction["deleteOptions"];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let options = Options {
            uid: text(&asked["preconditions"]["uid"]),
            resource_version: text(&asked["preconditions"]["resourceVersion"]),
            propagation: text(&asked["propagationPolicy"]),
            grace: asked["gracePeriodSeconds"].as_i64(),
        };
        self.delete_key(call, resource, &key, &name, &options)?;
        Ok(done())
    }

    fn is_protected(&self, namespace: &str, pod: &Value) -> bool {
        if matches!(
            pod["status"]["phase"].as_str(),
            Some("Succeeded" | "Failed" | "Pending")
        ) {
            return false;
        }
        let state = self.store.lock();
        let Some(budgets) = state.table("poddisruptionbudgets.policy") else {
            return false;
        };
        budgets.scan(namespace).any(|(_, budget)| {
            let labels: Vec<String> = budget.object.value()["spec"]["selector"]["matchLabels"]
                .as_object()
                .map(|map| {
                    map.iter()
                        .map(|(k, v)| format!("{k}={}", v.as_str().unwrap_or_default()))
                        .collect()
                })
                .unwrap_or_default();
            let chosen =
                Selector::parse(&labels.join(","), "").is_ok_and(|selector| selector.matches(pod));
            chosen
                && budget.object.value()["status"]["disruptionsAllowed"]
                    .as_i64()
                    .unwrap_or(0)
                    <= 0
        })
    }
}

fn schedule(pod: &mut Value, time: &str) {
    let condition = json!({
        "type": "PodScheduled", "status": "True", "observedGeneration": object::generation(pod) + 1,
        "lastProbeTime": null, "lastTransitionTime": time,
    });
    let status = object::top(pod)
        .entry("status")
        .or_insert_with(|| json!({}));
    let conditions = object::top(status)
        .entry("conditions")
        .or_insert_with(|| json!([]));
    if let Value::Array(list) = conditions {
        list.retain(|c| c["type"] != "PodScheduled");
        list.push(condition);
    }
}
