use opgen_runtime::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize)]
#[status(parts)]
pub struct Status {
    #[status(volatil)]
    pub id: Option<String>,
    #[status(key = "name", keys("a", "b"))]
    pub list: Vec<String>,
    #[status(bounded = 0)]
    pub log: Vec<String>,
}

fn main() {}
