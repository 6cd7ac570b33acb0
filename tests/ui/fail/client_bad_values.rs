use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;

#[timeout_client(timeout = 5, bulkhead = 0, settle = "never")]
pub trait Provider {
    async fn ping(&self) -> CallResult<()>;
}

fn main() {}
