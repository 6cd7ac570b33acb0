use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;

#[timeout_client]
pub trait Provider {
    #[call(target = region)]
    async fn ping(&self, zone: &str) -> CallResult<()>;
    #[call(target = 7)]
    async fn pong(&self, zone: &str) -> CallResult<()>;
}

fn main() {}
