#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use serde::{Deserialize, Serialize};

use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context)]
pub enum Life {
    #[default]
    #[phase(steady)]
    Ready,
}

#[reconcile_phase]
async fn ready(_: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    Ok(Step::settled())
}

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize)]
pub struct Status {
    pub machine: MachineState<Life>,
}

fn main() {}
