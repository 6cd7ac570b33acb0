use opgen_runtime::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize)]
pub enum Status {
    #[default]
    Fine,
}

fn main() {}
