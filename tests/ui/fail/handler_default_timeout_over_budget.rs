#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context, budget = "20s")]
pub enum Life {
    #[default]
    #[phase(to(Ready))]
    Pending,
    #[phase(steady)]
    Ready,
    #[phase(finalizer)]
    Deleting,
}

#[reconcile_phase(timeout = "5s")]
async fn ready(_: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn deleting(_: &mut Cx<'_, Deleting>) -> Result<Step<Deleting>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn pending(_: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    Ok(Step::to(Ready))
}

fn main() {}
