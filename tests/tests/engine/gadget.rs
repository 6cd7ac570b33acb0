//! An operator whose outside can be told to misbehave.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use kube::CustomResource;
use opgen_runtime::{
    Operator,
    external::{CallError, CallResult},
    observed::StatusCode,
    prelude::*,
};
use opgen_testkit::{Outside, Scenario};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "test.example.com",
    version = "v1",
    kind = "Gadget",
    namespaced,
    status = "GadgetStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct GadgetSpec {
    pub size: i64,
    /// The handler of Pending panics.
    #[serde(default)]
    pub panics: bool,
    /// The handler of Pending fails for good.
    #[serde(default)]
    pub is_invalid: bool,
    /// What the finalizer phase holds for a proof: `unguarded` or `foreign`; else a good one. `panics`: it does.
    #[serde(default)]
    pub proof: String,
    /// Ready polls each second for no reason.
    #[serde(default)]
    pub restless: bool,
}

#[derive(StatusDiff, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GadgetStatus {
    #[serde(flatten)]
    pub machine: MachineState<GadgetPhase>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "unless_poisoned"
    )]
    pub id: Option<String>,
    /// Written on every look: never a reason to write by itself.
    #[status(volatile)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_at: Option<String>,
}

/// A mistake of the author where no handler is called: the task of the run panics.
fn unless_poisoned<S: serde::Serializer>(
    id: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    assert_ne!(id.as_deref(), Some(POISON), "told to panic");
    id.serialize(serializer)
}

const POISON: &str = "poison";

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Gadget, context = Context, budget = "60s")]
pub enum GadgetPhase {
    #[default]
    #[phase(to(Building, Broken))]
    Pending,
    #[phase(to(Ready, Broken), deadline = "30m", on_deadline = Broken)]
    Building,
    #[phase(to(Building), steady, resync = "10m")]
    Ready,
    #[phase(failed, to(Pending))]
    Broken,
    #[phase(finalizer)]
    Deleting,
}

#[timeout_client(timeout = "5s", bulkhead = 32, settle = "10s")]
pub trait Workshop: Send + Sync + 'static {
    #[call(creates)]
    async fn create(&self, key: &IdempotencyKey, size: i64) -> CallResult<String>;
    #[call(idempotent)]
    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<bool>>;
    async fn destroy(&self, key: &IdempotencyKey) -> CallResult<()>;
}

#[derive(MachineContext)]
pub struct Context {
    workshop: BoundedWorkshop,
}

pub fn context(workshop: &Fake) -> Context {
    Context {
        workshop: BoundedWorkshop::new(workshop.clone()),
    }
}

pub fn operator() -> Operator<Context> {
    Operator::new("gadget-operator").kind::<GadgetPhase>()
}

#[reconcile_phase(timeout = "10s")]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    assert!(!cx.object.spec.panics, "told to panic");
    if cx.object.spec.is_invalid {
        return Err(Error::msg("the spec cannot be met").permanent());
    }
    let key = cx.idempotency_key("gadget");
    let id = cx.workshop().create(&key, cx.object.spec.size).await?;
    cx.status_mut().id = Some(id);
    Ok(Step::to(Building))
}

#[reconcile_phase(timeout = "10s")]
async fn building(cx: &mut Cx<'_, Building>) -> Result<Step<Building>> {
    let key = cx.idempotency_key("gadget");
    let now = cx.now().to_string();
    cx.status_mut().looked_at = Some(now);
    match cx.workshop().observe(&key).await? {
        Observed::Present(true) => Ok(Step::to(Ready)),
        Observed::Present(false) => Ok(Step::poll_in(secs(1))),
        Observed::Absent(_) => Err(Error::msg("it vanished while it was built")),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(5))),
    }
}

#[reconcile_phase]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    if cx.spec_changed() {
        return Ok(Step::to(Building));
    }
    let now = cx.now().to_string();
    cx.status_mut().looked_at = Some(now);
    if cx.object.spec.restless {
        return Ok(Step::poll_in(secs(1)));
    }
    Ok(Step::settled())
}

#[reconcile_phase]
async fn broken(cx: &mut Cx<'_, Broken>) -> Result<Step<Broken>> {
    if cx.spec_changed() {
        return Ok(Step::to(Pending));
    }
    Ok(Step::settled())
}

#[reconcile_phase(timeout = "10s")]
async fn deleting(cx: &mut Cx<'_, Deleting>) -> Result<Step<Deleting>> {
    let key = cx.idempotency_key("gadget");
    if cx.object.spec.proof == "panics" {
        cx.status_mut().id = Some("half".to_owned());
        panic!("told to panic");
    }
    if cx.object.spec.proof == "unguarded" {
        let proof = Absent::by_status(&key, StatusCode::NOT_FOUND);
        return Ok(Step::gone(proof.unwrap()));
    }
    let key = match &*cx.object.spec.proof {
        "foreign" => IdempotencyKey::from_text("gadget-1-another"),
        "other attempt" => IdempotencyKey::from_text(key.as_str().replace("-1-", "-7-")),
        _ => key,
    };
    match cx.workshop().observe(&key).await? {
        Observed::Present(_) => {
            cx.workshop().destroy(&key).await?;
            Ok(Step::poll_in(secs(5)))
        }
        Observed::Absent(proof) => Ok(Step::gone(proof)),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(5))),
    }
}

/// The outside. Clones share it.
#[derive(Clone, Default)]
pub struct Fake(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// By key: when each is built.
    live: BTreeMap<String, Vec<Instant>>,
    created: usize,
    calls: Vec<(&'static str, String)>,
    hangs_on: Option<String>,
    fails: bool,
    /// The credentials are not accepted.
    denies: bool,
    /// A planted defect: a second `create` with the same key makes a second thing.
    forgets_keys: bool,
    poisons: bool,
    /// The ids that it gives out are longer than a status may be.
    rambles: bool,
    build_time: Duration,
    create_time: Duration,
}

impl Fake {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub fn with_build_time(self, time: Duration) -> Self {
        self.state().build_time = time;
        self
    }

    pub fn with_create_time(self, time: Duration) -> Self {
        self.state().create_time = time;
        self
    }

    pub fn that_forgets_keys(self) -> Self {
        self.state().forgets_keys = true;
        self
    }

    /// The ids that it gives out panic where the status is written.
    pub fn poison(&self, poisons: bool) {
        self.state().poisons = poisons;
    }

    pub fn ramble(&self, rambles: bool) {
        self.state().rambles = rambles;
    }

    pub fn hang_on(&self, text: &str) {
        self.state().hangs_on = Some(text.to_owned());
    }

    pub fn fail(&self) {
        self.state().fails = true;
    }

    /// Answers 401.
    pub fn deny(&self) {
        self.state().denies = true;
    }

    pub fn recover(&self) {
        let mut state = self.state();
        state.denies = false;
        state.hangs_on = None;
        state.fails = false;
    }

    pub fn created(&self) -> usize {
        self.state().created
    }

    pub fn live(&self) -> usize {
        self.state().live.values().map(Vec::len).sum()
    }

    pub fn keys(&self) -> Vec<String> {
        self.state().live.keys().cloned().collect()
    }

    pub fn calls(&self, method: &str) -> usize {
        self.state()
            .calls
            .iter()
            .filter(|(name, _)| *name == method)
            .count()
    }

    async fn call(&self, method: &'static str, key: &IdempotencyKey) -> CallResult<()> {
        let (hangs, fails, denies) = {
            let mut state = self.state();
            state.calls.push((method, key.to_string()));
            (
                state
                    .hangs_on
                    .as_ref()
                    .is_some_and(|text| key.as_str().contains(text)),
                state.fails,
                state.denies,
            )
        };
        if hangs {
            std::future::pending::<()>().await;
        }
        if denies {
            return Err(CallError::from_response(
                StatusCode::UNAUTHORIZED,
                &Default::default(),
                "the token is not valid",
            ));
        }
        if fails {
            return Err(CallError::from_response(
                StatusCode::INTERNAL_SERVER_ERROR,
                &Default::default(),
                "out of order",
            ));
        }
        Ok(())
    }
}

#[timeout_client]
impl Workshop for Fake {
    async fn create(&self, key: &IdempotencyKey, _size: i64) -> CallResult<String> {
        self.call("create", key).await?;
        let time = self.state().create_time;
        tokio::time::sleep(time).await;
        let mut state = self.state();
        let built_at = Instant::now() + state.build_time;
        let again = state
            .live
            .get(key.as_str())
            .is_some_and(|things| !things.is_empty());
        if !again || state.forgets_keys {
            state.created += 1;
            state
                .live
                .entry(key.to_string())
                .or_default()
                .push(built_at);
        }
        if state.poisons {
            return Ok(POISON.to_owned());
        }
        if state.rambles {
            return Ok(format!("{key}{}", "-".repeat(2_000_000)));
        }
        Ok(key.to_string())
    }

    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<bool>> {
        self.call("observe", key).await?;
        let state = self.state();
        match state
            .live
            .get(key.as_str())
            .and_then(|things| things.last())
        {
            Some(built_at) => Ok(Observed::Present(*built_at <= Instant::now())),
            None => Ok(Observed::by_status(key, StatusCode::NOT_FOUND)),
        }
    }

    async fn destroy(&self, key: &IdempotencyKey) -> CallResult<()> {
        self.call("destroy", key).await?;
        self.state().live.remove(key.as_str());
        Ok(())
    }
}

pub fn gadget(name: &str) -> Value {
    json!({
        "apiVersion": "test.example.com/v1",
        "kind": "Gadget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"size": 1},
    })
}

pub fn scenario(fake: impl Fn() -> Fake + Send + Sync + 'static) -> Scenario<Context, Fake> {
    Scenario::new(operator, fake, context).outside(|fake| Outside {
        created: fake.created(),
        live: fake.live(),
    })
}

/// The condition of that type, or null.
pub fn condition(object: &Value, kind: &str) -> Value {
    let conditions = object
        .pointer("/status/conditions")
        .and_then(Value::as_array);
    conditions
        .into_iter()
        .flatten()
        .find(|one| one["type"] == kind)
        .cloned()
        .unwrap_or_default()
}
