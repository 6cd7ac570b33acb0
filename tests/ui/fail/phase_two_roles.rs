#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context)]
pub enum Life {
    #[default]
    #[phase(to(Done))]
    Pending,
    #[phase(steady, failed)]
    Done,
}

#[reconcile_phase]
async fn pending(_: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn done(_: &mut Cx<'_, Done>) -> Result<Step<Done>> {
    Ok(Step::settled())
}

fn main() {}
