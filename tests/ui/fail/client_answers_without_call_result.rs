use opgen_runtime::prelude::*;

#[timeout_client]
pub trait Provider {
    async fn size(&self) -> u32;
    async fn ping(&self);
}

fn main() {}
