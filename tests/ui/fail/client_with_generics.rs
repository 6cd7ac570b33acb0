use opgen_runtime::external::CallResult;
use opgen_runtime::prelude::*;

#[timeout_client]
pub trait Provider {
    async fn send<T: Send>(&self, what: T) -> CallResult<()>;
}

#[timeout_client]
pub trait Typed<T> {
    async fn ping(&self) -> CallResult<()>;
}

fn main() {}
