use opgen_runtime::prelude::*;

pub struct HttpProvider;

#[derive(MachineContext)]
pub struct Context {
    pub provider: HttpProvider,
    pub region: String,
}

fn main() {}
