use opgen_runtime::prelude::*;

use std::sync::Arc;

pub struct HttpProvider;

#[derive(MachineContext)]
pub struct Context {
    pub provider: Arc<HttpProvider>,
}

fn main() {}
