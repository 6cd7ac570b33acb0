use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;

#[timeout_client]
pub trait Provider {
    #[call(creates)]
    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<String>>;
}

fn main() {}
