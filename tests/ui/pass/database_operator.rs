//! The operator of the documentation, whole.

use kube::CustomResource;
use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "db.example.com", version = "v1alpha1", kind = "Database", namespaced, status = "DatabaseStatus")]
#[serde(rename_all = "camelCase")]
pub struct DatabaseSpec {
    pub size: u32,
}

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseStatus {
    #[serde(flatten)]
    pub machine: MachineState<DatabasePhase>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
}

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context, budget = "60s")]
pub enum DatabasePhase {
    /// Accepted; nothing exists outside the cluster yet.
    #[default]
    #[phase(to(Provisioning, Failed))]
    Pending,
    /// The provider is building the instance.
    #[phase(to(Ready, Failed), deadline = "30m", on_deadline = Failed)]
    Provisioning,
    #[phase(to(Provisioning), steady, resync = "10m")]
    Ready,
    /// Where a permanent error leads, from every phase but the finalizer's.
    #[phase(failed, to(Pending))]
    Failed,
    /// Entered from any phase when the object is deleted.
    #[phase(finalizer)]
    Deleting,
}

pub struct Instance {
    pub id: String,
    pub running: bool,
}

#[timeout_client(timeout = "5s", bulkhead = 32, settle = "30s")]
pub trait DatabaseProvider: Send + Sync + 'static {
    /// Creates what the key names.
    #[call(idempotent, creates)]
    async fn create(&self, key: &IdempotencyKey, spec: &DatabaseSpec) -> CallResult<String>;
    #[call(idempotent, timeout = "2s")]
    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<Instance>>;
    async fn destroy(&self, id: String) -> CallResult<()>;
    /// Whether the instance is as wanted.
    fn matches(&self, spec: &DatabaseSpec, instance: &Instance) -> bool;
}

struct Simulated;

#[timeout_client]
impl DatabaseProvider for Simulated {
    async fn create(&self, key: &IdempotencyKey, _: &DatabaseSpec) -> CallResult<String> {
        Ok(key.to_string())
    }

    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<Instance>> {
        let id = self.create(key, &DatabaseSpec { size: 1 }).await?;
        Ok(Observed::Present(Instance { id, running: true }))
    }

    async fn destroy(&self, id: String) -> CallResult<()> {
        drop(id);
        Ok(())
    }

    fn matches(&self, spec: &DatabaseSpec, instance: &Instance) -> bool {
        spec.size == 1 && instance.running
    }
}

#[derive(MachineContext)]
pub struct Context {
    pub provider: BoundedDatabaseProvider,
    pub region: String,
}

#[reconcile_phase(timeout = "10s")]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    let key = cx.idempotency_key("create");
    let id = cx.provider().create(&key, &cx.object.spec).await?;
    cx.status_mut().instance_id = Some(id);
    Ok(Step::to(Provisioning))
}

#[reconcile_phase(timeout = "10s")]
async fn provisioning(cx: &mut Cx<'_, Provisioning>) -> Result<Step<Provisioning>> {
    let key = cx.idempotency_key("create");
    match cx.provider().observe(&key).await? {
        Observed::Present(found) if cx.provider().matches(&cx.object.spec, &found) => Ok(Step::to(Ready)),
        Observed::Present(_) => Ok(Step::poll_in(secs(10))),
        Observed::Absent(_) => Err(Error::msg("it vanished").permanent()),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(10))),
    }
}

#[reconcile_phase]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    if cx.spec_changed() {
        return Ok(Step::to(Provisioning));
    }
    Ok(Step::settled())
}

#[reconcile_phase]
async fn failed(cx: &mut Cx<'_, Failed>) -> Result<Step<Failed>> {
    if cx.spec_changed() { Ok(Step::to(Pending)) } else { Ok(Step::settled()) }
}

#[reconcile_phase(timeout = "5s")]
async fn deleting(cx: &mut Cx<'_, Deleting>) -> Result<Step<Deleting>> {
    let key = cx.idempotency_key("create");
    match cx.provider().observe(&key).await? {
        Observed::Present(found) => {
            cx.provider().destroy(found.id).await?;
            Ok(Step::poll_in(secs(10)))
        }
        Observed::Absent(proof) => Ok(Step::gone(proof)),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(10))),
    }
}

fn main() {
    let context = Context {
        provider: BoundedDatabaseProvider::new(Simulated),
        region: "eu".to_owned(),
    };
    assert_eq!(context.region, "eu");
    let ready = DatabasePhase::GRAPH.phases.iter().find(|phase| phase.name == "Ready").expect("ready is a phase");
    assert!(ready.steady);
    assert_eq!(ready.to, ["Provisioning", "Failed"]);
}
