use opgen_runtime::prelude::*;
use opgen_runtime::status::Sensitive;

#[derive(serde::Serialize)]
pub struct Status {
    pub phase: Option<String>,
    pub password: Sensitive<String>,
}

fn main() {
    let _ = secs(1);
}
