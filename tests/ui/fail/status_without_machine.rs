use opgen_runtime::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize)]
pub struct Status {
    pub id: Option<String>,
}

fn main() {}
