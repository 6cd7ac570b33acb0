//! The generated code under the lints that a strict crate denies.
#![deny(warnings, missing_docs, unreachable_pub, missing_debug_implementations, elided_lifetimes_in_paths)]
#![deny(unused_qualifications, single_use_lifetimes, unused_lifetimes)]

use kube::CustomResource;
use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) mod hidden {
    use super::*;

    /// The wish.
    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "x.example.com", version = "v1", kind = "Thing", status = "ThingStatus")]
    pub(crate) struct ThingSpec {
        pub(crate) size: u32,
    }

    #[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
    pub(crate) struct ThingStatus {
        #[serde(flatten)]
        pub(crate) machine: MachineState<Life>,
    }

    #[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[machine(resource = Thing, context = Context)]
    pub(crate) enum Life {
        #[default]
        #[phase(to(Ready))]
        Pending,
        #[phase(steady)]
        Ready,
    }

    #[timeout_client]
    pub(crate) trait Provider {
        async fn ping(&self) -> CallResult<()>;
    }

    #[derive(MachineContext, Debug)]
    pub(crate) struct Context {
        pub(crate) provider: BoundedProvider,
    }

    #[reconcile_phase]
    async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
        cx.provider().ping().await?;
        if cx.object.spec.size > 0 { Ok(Step::to(Ready)) } else { Ok(Step::settled()) }
    }

    #[reconcile_phase]
    async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
        let _ = cx.status().machine.phase();
        Ok(Step::settled())
    }
}

fn main() {
    assert_eq!(hidden::Life::GRAPH.machine, "Life");
}
