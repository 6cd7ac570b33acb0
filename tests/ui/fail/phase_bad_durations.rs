#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context, budget = 60)]
pub enum Life {
    #[default]
    #[phase(to(Ready), deadline = "30", on_deadline = Ready)]
    Pending,
    #[phase(to(Pending), steady, resync = "3 days")]
    Ready,
}

#[reconcile_phase]
async fn pending(_: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn ready(_: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    Ok(Step::settled())
}

fn main() {}
