#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context)]
pub enum Life {
    #[default]
    #[phase(to(Ready))]
    Pending,
    #[phase(steady)]
    Ready,
    #[phase(finalizer)]
    Deleting,
}

#[reconcile_phase]
async fn pending(_: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn deleting(_: &mut Cx<'_, Deleting>) -> Result<Step<Deleting>> {
    Ok(Step::settled())
}

#[reconcile_phase]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    let key = cx.idempotency_key("create");
    match Absent::by_status(&key, http_status()) {
        Some(proof) => Ok(Step::gone(proof)),
        None => Ok(Step::settled()),
    }
}

fn http_status() -> opgen_runtime::__private::http::StatusCode {
    opgen_runtime::__private::http::StatusCode::NOT_FOUND
}

fn main() {}
