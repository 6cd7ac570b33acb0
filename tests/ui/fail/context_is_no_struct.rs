use opgen_runtime::prelude::*;

#[derive(MachineContext)]
pub enum Context {
    Real,
}

#[derive(MachineContext)]
pub struct Pair(pub String, pub String);

fn main() {}
