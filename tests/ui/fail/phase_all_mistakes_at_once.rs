#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context)]
pub enum Life {
    #[default]
    #[phase(to(Building), deadline = "soon", on_deadline = Ready)]
    Pending,
    #[phase(to(Building, Redy))]
    Building,
    #[phase(steady, stedy)]
    Ready,
}

#[reconcile_phase]
async fn pending(_: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn building(_: &mut Cx<'_, Building>) -> Result<Step<Building>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn ready(_: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    Ok(Step::settled())
}

fn main() {}
