//! What looks like a hazard and is none.

#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context, budget = "1m30s")]
pub enum Life {
    #[default]
    #[phase(steady)]
    Ready,
}

#[reconcile_phase(timeout = "1m30s")]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    let text = cx.blocking(|| std::fs::read_to_string("/etc/hostname")).await??;
    let address: std::net::IpAddr = "127.0.0.1".parse()?;
    fn nap() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    loop {
        cx.blocking(nap).await?;
        if !text.is_empty() || address.is_loopback() {
            break;
        }
    }
    for _ in text.lines() {}
    Ok(Step::poll_in(secs(10)))
}

fn main() {
    assert_eq!(<Ready as ReconcilePhase>::TIMEOUT, secs(90));
}
