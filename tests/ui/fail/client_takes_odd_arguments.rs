use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;

#[timeout_client]
pub trait Provider {
    async fn fill(&self, buffer: &mut Vec<u8>) -> CallResult<()>;
    async fn name(&self, name: impl Into<String>) -> CallResult<()>;
    async fn pair(&self, (left, right): (u8, u8)) -> CallResult<()>;
}

fn main() {}
