//! The operator on opgen's runtime.

use kube::CustomResource;
use opgen_runtime::{Operator, prelude::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::provider::{BoundedMaker, Maker};

/// What a user asks for.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bench.example.com",
    version = "v1",
    kind = "Thing",
    namespaced,
    status = "ThingStatus"
)]
pub struct ThingSpec {
    /// How big.
    pub size: i64,
}

/// What the operator found out.
#[derive(StatusDiff, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ThingStatus {
    /// The runtime's own fields.
    #[serde(flatten)]
    pub machine: MachineState<ThingPhase>,
}

/// The life of a thing.
#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Thing, context = Context, budget = "30s")]
pub enum ThingPhase {
    /// Not there yet.
    #[default]
    #[phase(to(Ready))]
    Pending,
    /// There.
    #[phase(steady)]
    Ready,
    /// To be removed.
    #[phase(finalizer)]
    Deleting,
}

/// What handlers may use.
#[derive(MachineContext)]
pub struct Context {
    maker: BoundedMaker,
}

impl Context {
    /// A context with the given provider.
    pub fn new(maker: impl Maker) -> Self {
        Self {
            maker: BoundedMaker::new(maker),
        }
    }
}

#[reconcile_phase(timeout = "10s")]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    let key = cx.idempotency_key("thing");
    cx.maker().create(&key).await?;
    Ok(Step::to(Ready))
}

#[reconcile_phase]
async fn ready(_cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn deleting(_cx: &mut Cx<'_, Deleting>) -> Result<Step<Deleting>> {
    Ok(Step::settled())
}

/// The operator.
pub fn operator(in_flight: usize) -> Operator<Context> {
    Operator::new("bench").kind_with::<ThingPhase>(|kind| kind.in_flight(in_flight))
}
