use opgen_runtime::prelude::*;

#[reconcile_phase]
pub struct Pending;

fn main() {}
