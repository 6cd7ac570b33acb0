//! Binding and eviction of pods.

use std::sync::Arc;

use serde_json::{Value, json};

use super::decode;
use super::delete_options;
use crate::call::{Call, Handled, Outcome, Reply, Stop};
use crate::cluster::Shared;
use crate::error::{ApiError, ApiResult};
use crate::object;
use crate::resource::Resource;
use crate::store::{Expect, Stored};
use crate::webhook;

const BUDGETS: &str = "poddisruptionbudgets.policy";

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
        let options = delete_options::of_eviction(call, &eviction)?;
        self.take_from_budget(call, &pod.object.value())?;
        self.delete_key(call, resource, &key, &name, &options)?;
        Ok(done())
    }

    /// Takes one disruption from the budget of a pod, if it has one. What refuses leaves it as it is.
    fn take_from_budget(&self, call: &Call, pod: &Value) -> ApiResult<()> {
        let free = matches!(
            pod["status"]["phase"].as_str(),
            Some("Succeeded" | "Failed" | "Pending")
        );
        if free || object::is_terminating(pod) {
            return Ok(());
        }
        let mut state = self.store.lock();
        let Some(budgets) = state.table(BUDGETS) else {
            return Ok(());
        };
        let chosen: Vec<(String, Stored)> = budgets
            .scan(&call.info.namespace)
            .filter(|(_, budget)| {
                let selector = &budget.object.value()["spec"]["selector"];
                // None selects nothing here, and an empty one everything.
                !selector.is_null() && webhook::selects(selector, &pod["metadata"]["labels"])
            })
            .map(|(key, budget)| (key.clone(), budget.clone()))
            .collect();
        let (key, stored) = match chosen.as_slice() {
            [] => return Ok(()),
            [one] => one,
            _ => {
                return Err(ApiError::new(
                    500,
                    "InternalError",
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
                ));
            }
        };
        let mut budget = stored.object.to_value();
        let left = allowed(&budget)?;
        if call.dry_run {
            return Ok(());
        }
        let name = object::meta(pod, "name").to_owned();
        budget["status"]["disruptionsAllowed"] = (left - 1).into();
        budget["status"]["disruptedPods"][name] = self.stamp(call).into();
        // The lock is held since the read: nobody can have been faster.
        let _ = state.put(BUDGETS, key, Expect::Revision(stored.revision), budget);
        Ok(())
    }
}

/// How many disruptions a budget allows; at least one.
fn allowed(budget: &Value) -> ApiResult<i64> {
    let (name, status) = (object::meta(budget, "name"), &budget["status"]);
    let number = |field: &str| status[field].as_i64().unwrap_or(0);
    let refused = |why: String, wait: u32| {
        let text = "Cannot evict pod as it would violate the pod's disruption budget.";
        Err(ApiError::too_many_requests(text, &why, wait))
    };
    if number("observedGeneration") < object::generation(budget) {
        let why = format!("The disruption budget {name} is still being processed by the server.");
        return refused(why, 10);
    }
    match number("disruptionsAllowed") {
        0 => refused(
            format!(
                "The disruption budget {name} needs {} healthy pods and has {} currently",
                number("desiredHealthy"),
                number("currentHealthy")
            ),
            0,
        ),
        left if left < 0 => Err(ApiError::forbidden(
            "policy",
            "poddisruptionbudget",
            name,
            "pdb disruptions allowed is negative",
        )),
        left => Ok(left),
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
