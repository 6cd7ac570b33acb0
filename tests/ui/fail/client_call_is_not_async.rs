use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;

#[timeout_client]
pub trait Provider {
    #[call(idempotent)]
    fn ping(&self) -> CallResult<()>;
}

fn main() {}
