//! An operator with a provider and a child, and the mistakes that an author can make in it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::CustomResource;
use opgen_runtime::{
    Operator,
    children::OwnedOptions,
    external::{CallError, CallResult},
    observed::StatusCode,
    prelude::*,
};
use opgen_testkit::{Outside, Scenario};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "explore.example.com",
    version = "v1",
    kind = "Shop",
    namespaced,
    status = "ShopStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct ShopSpec {
    pub size: i64,
    /// A ConfigMap beyond the first one.
    #[serde(default)]
    pub has_annex: bool,
}

#[derive(StatusDiff, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShopStatus {
    #[serde(flatten)]
    pub machine: MachineState<ShopPhase>,
    /// What some mistakes keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<i64>,
}

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Shop, context = Context, budget = "60s")]
pub enum ShopPhase {
    #[default]
    #[phase(to(Building))]
    Pending,
    #[phase(to(Open, Ruined))]
    Building,
    #[phase(to(Building), steady, resync = "10m")]
    Open,
    #[phase(failed, to(Pending))]
    Ruined,
    #[phase(finalizer)]
    Closing,
}

/// What the author got wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mistake {
    #[default]
    None,
    /// A second `create` with the same key makes a second thing.
    ForgetsKeys,
    /// Things are found by the object's name, which a namesake has too.
    KeysByName,
    /// A changed spec is never looked at.
    IgnoresTheSpec,
    /// Where the spec says what was recorded last, nothing is looked at.
    TrustsItsRecord,
    /// The child is applied once, and never looked at again.
    MakesTheChildOnce,
    /// The child has another name at each try.
    NamesTheChildByTime,
    /// A provider that does not answer is taken for a refusal.
    GivesUp,
    /// The clean-up waits for the child, which may be gone before.
    CleansUpByTheChild,
    /// A kind is declared that nothing uses.
    AsksForTooMuch,
    /// Each look writes.
    CountsLooks,
}

#[timeout_client(timeout = "5s", settle = "1s")]
pub trait Stock: Send + Sync + 'static {
    #[call(idempotent, creates)]
    async fn create(&self, key: &IdempotencyKey, size: i64) -> CallResult<()>;
    #[call(idempotent)]
    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<i64>>;
    #[call(idempotent)]
    async fn resize(&self, key: &IdempotencyKey, size: i64) -> CallResult<()>;
    #[call(idempotent)]
    async fn destroy(&self, key: &IdempotencyKey) -> CallResult<()>;
}

#[derive(MachineContext)]
pub struct Context {
    stock: BoundedStock,
    #[context(data)]
    mistake: Mistake,
}

fn key<P: Phase<Machine = ShopPhase>>(cx: &Cx<'_, P>) -> IdempotencyKey {
    match cx.context().mistake {
        Mistake::KeysByName => {
            IdempotencyKey::from_text(cx.object.metadata.name.clone().unwrap_or_default())
        }
        _ => cx.idempotency_key("shop"),
    }
}

fn map(name: String, size: i64) -> ConfigMap {
    let map = json!({"metadata": {"name": name}, "data": {"size": size.to_string()}});
    serde_json::from_value(map).unwrap()
}

async fn bring<P: Phase<Machine = ShopPhase>>(cx: &mut Cx<'_, P>) -> Result<()> {
    let mistake = cx.context().mistake;
    let size = cx.object.spec.size;
    let main = match mistake {
        Mistake::NamesTheChildByTime => format!("at-{}", cx.phase_entered_at().as_millisecond()),
        _ => cx.child_name("main"),
    };
    let annex = cx.child_name("annex");
    cx.apply(map(main.clone(), size)).await?;
    if cx.object.spec.has_annex {
        cx.apply(map(annex.clone(), size)).await?;
    }
    if mistake == Mistake::NamesTheChildByTime {
        return Ok(());
    }
    let has_annex = cx.object.spec.has_annex;
    let all = cx.children::<ConfigMap>()?;
    let is_kept = move |one: &ConfigMap| {
        let name = one.metadata.name.as_ref().unwrap();
        *name == main || (has_annex && *name == annex)
    };
    cx.prune(all, is_kept).await?;
    Ok(())
}

#[reconcile_phase(timeout = "20s")]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    let (key, mistake) = (key(cx), cx.context().mistake);
    let created = cx.stock().create(&key, cx.object.spec.size).await;
    if mistake == Mistake::GivesUp {
        created.map_err(|error| Error::msg(error.to_string()).permanent())?;
    } else {
        created?;
    }
    bring(cx).await?;
    Ok(Step::to(Building))
}

#[reconcile_phase(timeout = "20s")]
async fn building(cx: &mut Cx<'_, Building>) -> Result<Step<Building>> {
    let (key, mistake) = (key(cx), cx.context().mistake);
    let size = cx.object.spec.size;
    if mistake == Mistake::TrustsItsRecord && cx.status().record == Some(size) {
        return Ok(Step::to(Open));
    }
    if mistake != Mistake::MakesTheChildOnce {
        bring(cx).await?;
    }
    match cx.stock().observe(&key).await? {
        Observed::Present(found) if found == size || mistake == Mistake::IgnoresTheSpec => {
            if mistake == Mistake::TrustsItsRecord {
                cx.status_mut().record = Some(size);
            }
            Ok(Step::to(Open))
        }
        Observed::Present(_) => {
            cx.stock().resize(&key, size).await?;
            Ok(Step::poll_in(secs(2)))
        }
        Observed::Absent(_) => {
            cx.stock().create(&key, size).await?;
            Ok(Step::poll_in(secs(2)))
        }
        Observed::Unknown(why) => Ok(Step::wait(why, secs(5))),
    }
}

#[reconcile_phase(timeout = "20s")]
async fn open(cx: &mut Cx<'_, Open>) -> Result<Step<Open>> {
    let mistake = cx.context().mistake;
    if mistake == Mistake::CountsLooks {
        *cx.status_mut().record.get_or_insert(0) += 1;
    }
    if cx.spec_changed() && mistake != Mistake::IgnoresTheSpec {
        return Ok(Step::to(Building));
    }
    if mistake != Mistake::MakesTheChildOnce {
        bring(cx).await?;
    }
    let key = key(cx);
    match cx.stock().observe(&key).await? {
        Observed::Present(_) => Ok(Step::settled()),
        Observed::Absent(_) => Ok(Step::to(Building)),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(30))),
    }
}

#[reconcile_phase]
async fn ruined(cx: &mut Cx<'_, Ruined>) -> Result<Step<Ruined>> {
    if cx.spec_changed() {
        return Ok(Step::to(Pending));
    }
    Ok(Step::settled())
}

#[reconcile_phase(timeout = "20s")]
async fn closing(cx: &mut Cx<'_, Closing>) -> Result<Step<Closing>> {
    let (key, mistake) = (key(cx), cx.context().mistake);
    if mistake == Mistake::CleansUpByTheChild {
        let name = cx.child_name("main");
        if cx.child::<ConfigMap>(name)?.is_none() {
            return Ok(Step::wait("the child says what to clean up", secs(30)));
        }
    }
    match cx.stock().observe(&key).await? {
        Observed::Present(_) => {
            cx.stock().destroy(&key).await?;
            Ok(Step::poll_in(secs(2)))
        }
        Observed::Absent(_) if mistake == Mistake::KeysByName => {
            // The runtime takes a proof about the object's own key only; of that there never was anything.
            let own = cx.idempotency_key("shop");
            match cx.stock().observe(&own).await? {
                Observed::Absent(proof) => Ok(Step::gone(proof)),
                _ => Ok(Step::poll_in(secs(5))),
            }
        }
        Observed::Absent(proof) => Ok(Step::gone(proof)),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(5))),
    }
}

/// The outside. Clones share it.
#[derive(Clone, Default)]
pub struct Warehouse(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    things: BTreeMap<String, Vec<i64>>,
    created: usize,
    hangs: bool,
    forgets_keys: bool,
}

impl Warehouse {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub fn created(&self) -> usize {
        self.state().created
    }

    pub fn sizes(&self) -> Vec<i64> {
        self.state().things.values().flatten().copied().collect()
    }

    pub fn hang(&self, hangs: bool) {
        self.state().hangs = hangs;
    }

    async fn call(&self) -> CallResult<MutexGuard<'_, State>> {
        if self.state().hangs {
            std::future::pending::<()>().await;
        }
        Ok(self.state())
    }
}

#[timeout_client]
impl Stock for Warehouse {
    async fn create(&self, key: &IdempotencyKey, size: i64) -> CallResult<()> {
        let mut state = self.call().await?;
        let is_there = state.things.contains_key(key.as_str());
        if !is_there || state.forgets_keys {
            state.created += 1;
            let things = state.things.entry(key.to_string()).or_default();
            things.push(size);
        }
        Ok(())
    }

    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<i64>> {
        let state = self.call().await?;
        match state.things.get(key.as_str()).and_then(|all| all.last()) {
            Some(size) => Ok(Observed::Present(*size)),
            None => Ok(Observed::by_status(key, StatusCode::NOT_FOUND)),
        }
    }

    async fn resize(&self, key: &IdempotencyKey, size: i64) -> CallResult<()> {
        let mut state = self.call().await?;
        let Some(thing) = state
            .things
            .get_mut(key.as_str())
            .and_then(|all| all.last_mut())
        else {
            return Err(CallError::from_response(
                StatusCode::NOT_FOUND,
                &Default::default(),
                "no such thing",
            ));
        };
        *thing = size;
        Ok(())
    }

    async fn destroy(&self, key: &IdempotencyKey) -> CallResult<()> {
        self.call().await?.things.remove(key.as_str());
        Ok(())
    }
}

pub fn operator(mistake: Mistake) -> Operator<Context> {
    Operator::new("shop-operator").kind_with::<ShopPhase>(|kind| {
        let kind = kind.owns_with::<ConfigMap>(OwnedOptions::deletes);
        match mistake {
            Mistake::AsksForTooMuch => kind.owns::<Secret>(),
            _ => kind,
        }
    })
}

/// One shop, which grows and loses its annex.
pub fn scenario(mistake: Mistake) -> Scenario<Context, Warehouse> {
    let warehouse = move || {
        let warehouse = Warehouse::default();
        warehouse.state().forgets_keys = mistake == Mistake::ForgetsKeys;
        warehouse
    };
    let context = move |warehouse: &Warehouse| Context {
        stock: BoundedStock::new(warehouse.clone()),
        mistake,
    };
    Scenario::new(move || operator(mistake), warehouse, context)
        .outside(|warehouse| Outside {
            created: warehouse.created(),
            live: warehouse.sizes().len(),
        })
        .hangs(|warehouse, hangs| warehouse.hang(hangs))
        .expects(|world, object| {
            let (size, sizes) = (object["spec"]["size"].as_i64(), world.provider.sizes());
            let is_as_asked = sizes.iter().all(|one| Some(*one) == size);
            let complaint = || format!("it is of size {sizes:?}, not {size:?}");
            is_as_asked.then_some(()).ok_or_else(complaint)
        })
        .object(shop("a"))
        .change(json!({"spec": {"size": 2, "hasAnnex": false}}))
}

pub fn shop(name: &str) -> Value {
    json!({
        "apiVersion": "explore.example.com/v1",
        "kind": "Shop",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"size": 1, "hasAnnex": true},
    })
}
