#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context)]
pub enum Life {
    #[default]
    #[phase(steady)]
    Ready,
    #[phase(failed, to(Ready))]
    Failed,
    #[phase(failed, to(Ready))]
    Broken,
}

#[reconcile_phase]
async fn ready(_: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn failed(_: &mut Cx<'_, Failed>) -> Result<Step<Failed>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn broken(_: &mut Cx<'_, Broken>) -> Result<Step<Broken>> {
    Ok(Step::settled())
}

fn main() {}
