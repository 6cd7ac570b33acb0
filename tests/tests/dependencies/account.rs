//! An operator whose objects bring a Secret with them, and own a Bucket.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard},
};

use k8s_openapi::api::core::v1::Secret;
use kube::{CustomResource, CustomResourceExt};
use opgen_runtime::{
    Operator,
    children::OwnedOptions,
    external::{CallError, CallResult, PerSecret},
    observed::StatusCode,
    prelude::*,
    status::Sensitive,
};
use opgen_testkit::{Scenario, World};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bank.example.com",
    version = "v1",
    kind = "Account",
    namespaced,
    status = "AccountStatus"
)]
pub struct AccountSpec {
    /// The Secret with the token.
    pub secret: String,
    pub region: String,
    /// Makes a Bucket as well.
    #[serde(default)]
    pub bucket: bool,
}

#[derive(StatusDiff, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct AccountStatus {
    #[serde(flatten)]
    pub machine: MachineState<AccountPhase>,
    /// How many buckets there are, as the cache of children says.
    #[serde(default)]
    pub buckets: Option<i64>,
}

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bank.example.com",
    version = "v1",
    kind = "Bucket",
    namespaced
)]
pub struct BucketSpec {
    pub size: i64,
}

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Account, context = Context, budget = "60s")]
pub enum AccountPhase {
    #[default]
    #[phase(to(Open))]
    Pending,
    #[phase(to(Pending), steady, resync = "10m")]
    Open,
    #[phase(finalizer)]
    Closing,
}

#[timeout_client(timeout = "5s", bulkhead = 2, settle = "2s")]
pub trait Bank: Send + Sync + 'static {
    #[call(idempotent, creates, target = region)]
    async fn open(&self, key: &IdempotencyKey, region: &str) -> CallResult<()>;
    #[call(target = region)]
    async fn observe(&self, key: &IdempotencyKey, region: &str) -> CallResult<Observed<()>>;
    #[call(target = region)]
    async fn close(&self, key: &IdempotencyKey, region: &str) -> CallResult<()>;
}

#[derive(MachineContext)]
pub struct Context {
    bank: PerSecret<BoundedBank>,
}

async fn bank<P>(cx: &Cx<'_, P>) -> Result<Option<BankHandle>>
where
    P: Phase<Machine = AccountPhase>,
{
    match cx.related::<Secret>(cx.object.spec.secret.as_str())? {
        Some(secret) => Ok(Some(cx.bank_for(&secret)?)),
        None => Ok(None),
    }
}

#[reconcile_phase]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    let Some(bank) = bank(cx).await? else {
        return Ok(Step::wait("there is no secret", secs(60)));
    };
    let key = cx.idempotency_key("account");
    bank.open(&key, &cx.object.spec.region).await?;
    if cx.object.spec.bucket {
        let name = cx.child_name("bucket");
        let bucket: Bucket = serde_json::from_value(json!({
            "apiVersion": "bank.example.com/v1", "kind": "Bucket",
            "metadata": {"name": name}, "spec": {"size": 1},
        }))?;
        cx.apply(bucket).await?;
        let count = cx.children::<Bucket>()?.iter().count();
        cx.status_mut().buckets = i64::try_from(count).ok();
    }
    Ok(Step::to(Open))
}

#[reconcile_phase]
async fn open(cx: &mut Cx<'_, Open>) -> Result<Step<Open>> {
    if cx.spec_changed() {
        return Ok(Step::to(Pending));
    }
    if cx.object.spec.bucket {
        let name = cx.child_name("bucket");
        let found = cx.child::<Bucket>(name)?;
        cx.status_mut().buckets = Some(i64::from(found.is_some()));
    }
    if let Some(bank) = bank(cx).await? {
        let key = cx.idempotency_key("account");
        if let Observed::Unknown(why) = bank.observe(&key, &cx.object.spec.region).await? {
            return Ok(Step::wait(why, secs(30)));
        }
    }
    Ok(Step::settled())
}

#[reconcile_phase]
async fn closing(cx: &mut Cx<'_, Closing>) -> Result<Step<Closing>> {
    let Some(bank) = bank(cx).await? else {
        return Ok(Step::wait("there is no secret", secs(60)));
    };
    let (key, region) = (cx.idempotency_key("account"), cx.object.spec.region.clone());
    match bank.observe(&key, &region).await? {
        Observed::Present(()) => {
            bank.close(&key, &region).await?;
            Ok(Step::poll_in(secs(1)))
        }
        Observed::Absent(proof) => Ok(Step::gone(proof)),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(5))),
    }
}

/// The outside. Clones share it.
#[derive(Clone, Default)]
pub struct Vault(Arc<Mutex<State>>);

#[derive(Default)]
pub struct State {
    pub open: BTreeSet<String>,
    /// The tokens that are accepted.
    pub tokens: BTreeSet<String>,
    /// Clients made, by their token.
    pub made: Vec<String>,
    /// Calls to it never return.
    pub hung_region: Option<String>,
    pub calls: usize,
}

impl Vault {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub fn accepts(self, tokens: &[&str]) -> Self {
        self.state().tokens = tokens.iter().map(|token| (*token).to_owned()).collect();
        self
    }
}

/// One account's view of it.
struct Teller {
    vault: Vault,
    token: Sensitive<String>,
}

impl Teller {
    async fn enter(&self, region: &str) -> CallResult<MutexGuard<'_, State>> {
        self.vault.state().calls += 1;
        if self.vault.state().hung_region.as_deref() == Some(region) {
            std::future::pending::<()>().await;
        }
        let state = self.vault.state();
        if state.tokens.contains(self.token.expose()) {
            return Ok(state);
        }
        // What authors do to find out.
        tracing::warn!(token = ?self.token, region, "the bank turns us away");
        let why = format!("unknown token {}", self.token);
        let (status, headers) = (StatusCode::UNAUTHORIZED, Default::default());
        Err(CallError::from_response(status, &headers, &why))
    }
}

#[timeout_client]
impl Bank for Teller {
    async fn open(&self, key: &IdempotencyKey, region: &str) -> CallResult<()> {
        self.enter(region).await?.open.insert(key.to_string());
        Ok(())
    }

    async fn observe(&self, key: &IdempotencyKey, region: &str) -> CallResult<Observed<()>> {
        match self.enter(region).await?.open.contains(key.as_str()) {
            true => Ok(Observed::Present(())),
            false => Ok(Observed::by_status(key, StatusCode::NOT_FOUND)),
        }
    }

    async fn close(&self, key: &IdempotencyKey, region: &str) -> CallResult<()> {
        self.enter(region).await?.open.remove(key.as_str());
        Ok(())
    }
}

pub fn context(vault: &Vault, held: usize) -> Context {
    let vault = vault.clone();
    let bank = PerSecret::new(move |secret: &Secret| {
        let token = secret.data.as_ref().and_then(|data| data.get("token"));
        let token = token.ok_or_else(|| Error::msg("the secret has no key `token`"))?;
        let token = String::from_utf8(token.0.clone())?;
        vault.state().made.push(token.clone());
        Ok(BoundedBank::new(Teller {
            vault: vault.clone(),
            token: token.into(),
        }))
    });
    Context {
        bank: bank.holding(held),
    }
}

pub fn operator() -> Operator<Context> {
    Operator::new("bank-operator").kind_with::<AccountPhase>(|kind| {
        kind.owns_with::<Bucket>(|options: OwnedOptions| options)
            .watches::<Secret>(|account| vec![ObjectRef::new(&account.spec.secret)])
    })
}

pub fn scenario(held: usize) -> Scenario<Context, Vault> {
    Scenario::new(
        operator,
        || Vault::default().accepts(&["red", "blue", "green"]),
        move |vault| context(vault, held),
    )
    .object(serde_json::to_value(Bucket::crd()).unwrap())
}

pub fn account(name: &str, region: &str) -> Value {
    json!({
        "apiVersion": "bank.example.com/v1",
        "kind": "Account",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"secret": name, "region": region},
    })
}

pub fn secret(name: &str, token: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "default"},
        "stringData": {"token": token},
    })
}

pub fn condition(world: &World<Vault>, object: &Value, kind: &str) -> Value {
    let object = world.get(object).unwrap_or_default();
    let all = object.pointer("/status/conditions");
    let mut all = all.and_then(Value::as_array).into_iter().flatten();
    all.find(|one| one["type"] == kind)
        .cloned()
        .unwrap_or_default()
}

pub fn events(world: &World<Vault>, reason: &str) -> Vec<Value> {
    let mut all = world
        .cluster
        .list_raw("events.events.k8s.io", "default")
        .unwrap();
    all.retain(|event| event["reason"] == reason);
    all
}
