//! What each phase does. A handler starts work or looks at it and returns at once: waiting is the runtime's part.

use opgen_runtime::prelude::*;

use super::phase::{Failed, Pending, Progressing, Ready};

#[reconcile_phase(timeout = "10s")]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    // Check here what no schema can; `.permanent()` on an error says that only another spec can mend it.
    let _ = cx;
    Ok(Step::to(Progressing))
}

#[reconcile_phase(timeout = "10s")]
async fn progressing(cx: &mut Cx<'_, Progressing>) -> Result<Step<Progressing>> {
    // Take the next step here, and `Ok(Step::poll_in(secs(5)))` until it is done.
    cx.status_mut().size = Some(cx.object.spec.size);
    Ok(Step::to(Ready))
}

#[reconcile_phase(timeout = "10s")]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    if cx.spec_changed() {
        return Ok(Step::to(Progressing));
    }
    Ok(Step::settled())
}

#[reconcile_phase(timeout = "5s")]
async fn failed(cx: &mut Cx<'_, Failed>) -> Result<Step<Failed>> {
    if cx.spec_changed() {
        return Ok(Step::to(Pending));
    }
    Ok(Step::settled())
}
