//! The CRD of an adopted kind comes from its file.

#[path = "../support.rs"]
mod support;

use opgen_runtime::phase::PhaseMachine;
use opgen_runtime::prelude::*;
use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context, crd = "../crd.yaml")]
pub enum Adopted {
    #[default]
    #[phase(steady)]
    Ready,
}

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context)]
pub enum Own {
    #[default]
    #[phase(steady)]
    Settled,
}

#[reconcile_phase]
async fn ready(_: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn settled(_: &mut Cx<'_, Settled>) -> Result<Step<Settled>> {
    Ok(Step::settled())
}

fn main() {
    assert_eq!(Adopted::crd()["metadata"]["name"], "databases.db.example.com");
    assert_eq!(Own::crd()["spec"]["names"]["kind"], "Database");
}
