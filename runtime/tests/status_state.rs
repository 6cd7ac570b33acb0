//! What a status with a machine lets its author do.

#![allow(clippy::unwrap_used, missing_docs)]

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use opgen_runtime::{
    prelude::*,
    status::{Rules, semantically_equal},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Lamp",
    status = "LampStatus"
)]
pub struct LampSpec {}

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LampStatus {
    #[serde(flatten)]
    machine: MachineState<LampPhase>,
    #[status(volatile)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_seen: Option<String>,
}

#[derive(MachineContext)]
pub struct Context {}

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Lamp, context = Context, budget = "60s")]
pub enum LampPhase {
    /// Off.
    #[default]
    #[phase(to(On, Broken))]
    Off,
    /// On.
    #[phase(to(Off), steady)]
    On,
    /// Broken.
    #[phase(failed, to(Off))]
    Broken,
    /// Removed.
    #[phase(finalizer)]
    Removing,
}

#[reconcile_phase]
async fn off(_cx: &mut Cx<'_, Off>) -> Result<Step<Off>> {
    Ok(Step::to(On))
}

#[reconcile_phase]
async fn on(_cx: &mut Cx<'_, On>) -> Result<Step<On>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn broken(_cx: &mut Cx<'_, Broken>) -> Result<Step<Broken>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn removing(_cx: &mut Cx<'_, Removing>) -> Result<Step<Removing>> {
    Ok(Step::wait("no lamp is ever gone", secs(60)))
}

fn condition(kind: &str, status: &str, at: &str) -> Condition {
    Condition {
        type_: kind.to_owned(),
        status: status.to_owned(),
        reason: "Because".to_owned(),
        message: String::new(),
        last_transition_time: Time(at.parse().unwrap()),
        observed_generation: None,
    }
}

#[test]
fn an_authors_condition_keeps_its_time_until_it_flips() {
    let mut state = MachineState::<LampPhase>::default();
    let (first, later) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    let time = |state: &MachineState<LampPhase>| {
        let found = state.condition("Bright").unwrap();
        found.last_transition_time.0.to_string()
    };
    state.set_condition(condition("Bright", "True", first));
    state.set_condition(condition("Bright", "True", later));
    assert_eq!(time(&state), first);
    state.set_condition(condition("Bright", "False", later));
    assert_eq!(time(&state), later);
    state.remove_condition("Bright");
    assert!(state.conditions().is_empty());
}

#[test]
fn the_runtimes_conditions_are_out_of_reach() {
    let mut state = MachineState::<LampPhase>::default();
    state.set_condition(condition("Ready", "True", "2026-01-01T00:00:00Z"));
    assert!(state.condition("Ready").is_none());
    let stored = json!({"conditions": [
        {"type": "Ready", "status": "True", "reason": "On", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"},
    ]});
    let mut state: MachineState<LampPhase> = serde_json::from_value(stored).unwrap();
    state.remove_condition("Ready");
    assert!(state.condition("Ready").is_some());
}

#[test]
fn a_phase_of_another_version_survives_a_round_trip() {
    let stored = json!({"phase": "Dimmed", "lastSeen": "now"});
    let status: LampStatus = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(status.machine.phase(), None);
    assert_eq!(serde_json::to_value(&status).unwrap(), stored);
    assert_eq!(LampStatus::default().machine.phase(), Some(LampPhase::Off));
}

#[test]
fn derived_rules_are_compiled_once() {
    let rules = Rules::of::<LampStatus>();
    assert!(std::ptr::eq(rules, Rules::of::<LampStatus>()));
    assert!(semantically_equal(
        rules,
        &json!({"lastSeen": "a"}),
        &json!({"lastSeen": "b"})
    ));
    assert!(!semantically_equal(
        rules,
        &json!({"phase": "On"}),
        &json!({"phase": "Off"})
    ));
}
