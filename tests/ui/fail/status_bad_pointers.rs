use opgen_runtime::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize)]
#[status(phase = "phase", conditions = "/conditions/")]
pub struct Status {
    pub phase: Option<String>,
}

fn main() {}
