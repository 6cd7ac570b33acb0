use opgen_runtime::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize)]
#[status(part)]
pub struct Part {
    #[serde(flatten)]
    #[status(volatile)]
    pub more: More,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct More {}

fn main() {}
