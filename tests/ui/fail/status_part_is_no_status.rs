#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize)]
#[status(part)]
pub struct Part {
    pub id: String,
}

fn needs_status<T: MachineStatus>() {}

pub fn check() {
    needs_status::<Part>();
}

fn main() {}
