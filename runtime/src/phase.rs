//! The phase machine as types: the enum is the graph, marker types carry the arrows.

use std::{fmt::Debug, time::Duration};

use futures::future::BoxFuture;
use kube::core::object::HasStatus;
use serde::de::DeserializeOwned;

use crate::{
    cx::{Cx, Run},
    error::Result,
    graph::{PhaseGraph, PhaseInfo},
    status::MachineStatus,
    step::{Outcome, Step},
};

/// The status type of a machine's resource.
pub type StatusOf<M> = <<M as PhaseMachine>::Resource as HasStatus>::Status;

/// A custom resource whose status has room for a machine. Implemented for every type that fits.
pub trait MachineResource:
    kube::Resource<DynamicType = ()>
    + HasStatus<Status: MachineStatus>
    + Clone
    + Debug
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

impl<R> MachineResource for R where
    R: kube::Resource<DynamicType = ()>
        + HasStatus<Status: MachineStatus>
        + Clone
        + Debug
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// A phase enum. Implemented by `#[derive(PhaseMachine)]`, never by hand: the derive is what checks the graph.
pub trait PhaseMachine: Copy + Default + Eq + Debug + Send + Sync + 'static {
    /// The custom resource this machine drives.
    type Resource: MachineResource;
    /// What its handlers may use: bounded clients and configuration.
    type Context: Send + Sync + 'static;

    /// The graph as data.
    const GRAPH: PhaseGraph;
    /// The longest one run may take, all chained phases together.
    const BUDGET: Duration;

    /// Every phase, in the order of the enum.
    const ALL: &'static [Self];

    /// The name as it stands in the status.
    fn name(self) -> &'static str;

    /// What the enum says of this phase.
    fn info(self) -> &'static PhaseInfo;

    /// The phase of that name, if this version knows it.
    #[must_use]
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|phase| phase.name() == name)
    }

    /// The CustomResourceDefinition to install and to compare with the one that is served.
    fn crd() -> serde_json::Value;

    /// Runs the handler of this phase.
    #[doc(hidden)]
    fn dispatch<'a>(
        self,
        object: &'a Self::Resource,
        run: &'a mut Run<Self>,
    ) -> BoxFuture<'a, Result<Outcome<Self>>>;
}

/// The marker type of one phase.
pub trait Phase: Copy + Send + Sync + 'static {
    /// The enum it belongs to.
    type Machine: PhaseMachine;
    /// The variant it stands for.
    const PHASE: Self::Machine;
}

/// An arrow of the graph.
#[diagnostic::on_unimplemented(
    message = "phase `{Self}` may not move to `{To}`",
    label = "no arrow leads from `{Self}` to `{To}`",
    note = "if the move is meant, add `{To}` to the `to(..)` of `{Self}` in the enum"
)]
pub trait MovesTo<To: Phase>: Phase {}

/// The phase that an object enters when it is deleted; only it may call [`Step::gone`].
#[diagnostic::on_unimplemented(
    message = "phase `{Self}` is not the finalizer phase, so it cannot declare the object gone",
    note = "only the phase marked `#[phase(finalizer)]` returns `Step::gone(proof)`"
)]
pub trait FinalizerPhase: Phase {}

/// The behaviour of a phase. Implemented by `#[reconcile_phase]`.
#[diagnostic::on_unimplemented(
    message = "phase `{Self}` has no handler",
    label = "the enum declares `{Self}`, but no function reconciles it",
    note = "write one, in any module: `#[reconcile_phase] async fn name(cx: &mut Cx<'_, {Self}>) -> Result<Step<{Self}>>`"
)]
pub trait ReconcilePhase: Phase {
    /// How long one call of the handler may take.
    const TIMEOUT: Duration;

    /// Calls the handler.
    fn reconcile<'a>(cx: &'a mut Cx<'_, Self>) -> BoxFuture<'a, Result<Step<Self>>>;
}
