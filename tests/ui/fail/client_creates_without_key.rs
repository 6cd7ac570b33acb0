use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;

#[timeout_client]
pub trait Provider {
    #[call(creates)]
    async fn create(&self, name: &str) -> CallResult<()>;
}

fn main() {}
