use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;

#[timeout_client]
pub trait Provider {
    async fn ping(&self) -> CallResult<()>;
}

struct Http;

#[timeout_client(timeout = "5s")]
impl Provider for Http {
    async fn ping(&self) -> CallResult<()> {
        Ok(())
    }
}

fn main() {}
