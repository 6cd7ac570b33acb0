use opgen_runtime::prelude::*;

#[derive(MachineContext)]
pub struct Context {
    #[context(dat)]
    pub region: String,
    #[context(client, data)]
    pub zone: String,
}

fn main() {}
