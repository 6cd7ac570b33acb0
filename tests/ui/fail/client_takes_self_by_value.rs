use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;

#[timeout_client]
pub trait Provider {
    async fn close(self) -> CallResult<()>;
    async fn change(&mut self) -> CallResult<()>;
}

fn main() {}
