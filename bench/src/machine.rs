//! The operator on opgen's runtime.

use kube::CustomResource;
use opgen_runtime::{Operator, prelude::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::provider::{BoundedMaker, Maker, settings};

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
    /// A context with the given provider, of which so many calls may be under way.
    #[must_use]
    pub fn new(maker: impl Maker, in_flight: usize) -> Self {
        Self {
            maker: BoundedMaker::with_settings(maker, settings(in_flight)),
        }
    }
}

#[reconcile_phase(timeout = "10s")]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    let key = cx.idempotency_key("thing");
    cx.maker().create(&key).await?;
    Ok(Step::to(Ready))
}

#[reconcile_phase(timeout = "5s")]
async fn ready(_cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    Ok(Step::settled())
}

#[reconcile_phase(timeout = "5s")]
async fn deleting(_cx: &mut Cx<'_, Deleting>) -> Result<Step<Deleting>> {
    Ok(Step::settled())
}

/// The operator.
#[must_use]
pub fn operator(in_flight: usize) -> Operator<Context> {
    Operator::new("bench").kind_with::<ThingPhase>(|kind| kind.in_flight(in_flight))
}
