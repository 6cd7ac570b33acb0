use opgen_runtime::prelude::*;

#[timeout_client]
pub struct Provider;

#[timeout_client]
impl Provider {}

fn main() {}
