use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;

#[timeout_client(timeout = "5s", bulkheads = 32)]
pub trait Provider {
    #[call(idempotant)]
    async fn ping(&self) -> CallResult<()>;
}

fn main() {}
