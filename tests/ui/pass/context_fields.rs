//! Clients, data, and data of one's own.

use opgen_runtime::external::{CallResult, PerSecret};
use opgen_runtime::prelude::*;

mod support {
    use super::*;

    #[timeout_client]
    pub trait Dns {
        async fn resolve(&self, name: &str) -> CallResult<String>;
    }
}

#[path = "../support.rs"]
mod resource;

type Resolver = support::BoundedDns;

pub struct Sizes {
    pub small: u32,
}

#[derive(MachineContext)]
pub struct Context {
    pub dns: support::BoundedDns,
    #[context(client)]
    pub fallback: Resolver,
    pub spare: Option<support::BoundedDns>,
    pub tenants: PerSecret<support::BoundedDns>,
    pub names: Vec<String>,
    #[context(data)]
    pub sizes: Sizes,
}

#[derive(MachineContext)]
pub struct Empty;

mod machine {
    use super::*;

    #[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[machine(resource = super::resource::Database, context = super::Context)]
    pub enum Life {
        #[default]
        #[phase(steady)]
        Ready,
    }

    #[reconcile_phase]
    async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
        let name = cx.dns().resolve("a").await?;
        let secret = Default::default();
        cx.tenants_for(&secret)?.resolve(&name).await?;
        cx.fallback().resolve(&name).await?;
        if cx.context().sizes.small > 1 {
            return Ok(Step::poll_in(secs(5)));
        }
        Ok(Step::settled())
    }
}

fn main() {
    assert_eq!(machine::Life::default(), machine::Life::Ready);
}
