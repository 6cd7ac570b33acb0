#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use support::{Context, Database, DatabaseStatus};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context)]
pub enum Life {
    #[default]
    #[phase(steady)]
    Ready,
}

#[reconcile_phase]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    let status = DatabaseStatus { phase: Some("Ready".to_owned()) };
    cx.replace_status(status).await?;
    Ok(Step::settled())
}

fn main() {}
