use opgen_runtime::prelude::*;

#[derive(MachineContext)]
pub struct Context<T: Send + Sync + 'static> {
    pub inner: T,
}

fn main() {}
