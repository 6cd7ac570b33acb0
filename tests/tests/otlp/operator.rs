//! The operator whose traces are looked at.

use std::{
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use kube::CustomResource;
use opgen_runtime::{Operator, prelude::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const NAME: &str = "widget-operator";

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "test.example.com",
    version = "v1",
    kind = "Widget",
    namespaced,
    status = "WidgetStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct WidgetSpec {
    /// The first look fails.
    #[serde(default)]
    pub is_flaky: bool,
}

#[derive(StatusDiff, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WidgetStatus {
    #[serde(flatten)]
    pub machine: MachineState<WidgetPhase>,
}

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Widget, context = Context, budget = "30s")]
pub enum WidgetPhase {
    #[default]
    #[phase(to(Ready))]
    Pending,
    #[phase(steady, to(Pending))]
    Ready,
    #[phase(failed, to(Pending))]
    Failed,
}

#[derive(MachineContext)]
pub struct Context {
    #[context(data)]
    has_failed: AtomicBool,
}

pub fn operator() -> Operator<Context> {
    Operator::new(NAME).kind::<WidgetPhase>()
}

/// As a generated `main` has it.
pub fn main() -> ExitCode {
    opgen_runtime::cli::main(operator(), |_| {
        Ok(Context {
            has_failed: AtomicBool::new(false),
        })
    })
}

#[reconcile_phase]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    if cx.object.spec.is_flaky && !cx.context().has_failed.swap(true, Ordering::Relaxed) {
        return Err(Error::msg("the first look fails"));
    }
    // The author's own words are part of the span.
    tracing::info!("looking at the outside");
    Ok(Step::to(Ready))
}

#[reconcile_phase]
async fn ready(_: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn failed(_: &mut Cx<'_, Failed>) -> Result<Step<Failed>> {
    Ok(Step::settled())
}
