#[path = "../support.rs"]
mod support;

use k8s_openapi::api::core::v1::ConfigMap;
use opgen_runtime::prelude::*;
use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context)]
pub enum Life {
    #[default]
    #[phase(steady)]
    Ready,
}

#[reconcile_phase]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    let page: Vec<std::sync::Arc<ConfigMap>> = Vec::new();
    cx.prune(page, |_| false).await?;
    Ok(Step::settled())
}

fn main() {}
