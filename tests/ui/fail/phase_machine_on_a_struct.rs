use opgen_runtime::prelude::*;

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Life;

fn main() {}
