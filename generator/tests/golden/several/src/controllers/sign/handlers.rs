//! What each phase does. A handler starts work or looks at it and returns at once: waiting is the runtime's part.

use opgen_runtime::prelude::*;

use super::{
    children,
    phase::{Failed, Pending, Progressing, Ready},
    references,
};

#[reconcile_phase(timeout = "10s")]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    // Its arrival wakes the object; the wait is only a net below that.
    if let Some(missing) = references::missing(cx)? {
        return Ok(Step::wait(missing, secs(60)));
    }
    // Check here what no schema can; `.permanent()` on an error says that only another spec can mend it.
    Ok(Step::to(Progressing))
}

#[reconcile_phase(timeout = "10s")]
async fn progressing(cx: &mut Cx<'_, Progressing>) -> Result<Step<Progressing>> {
    // Its arrival wakes the object; the wait is only a net below that.
    if let Some(missing) = references::missing(cx)? {
        return Ok(Step::wait(missing, secs(60)));
    }
    match children::apply(cx).await? {
        children::Progress::Ready => Ok(Step::to(Ready)),
        // A change of a child wakes the object; the wait is only a net below that.
        children::Progress::Waiting(why) => Ok(Step::wait(why, secs(30))),
    }
}

#[reconcile_phase(timeout = "10s")]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    // Its return wakes the object. Until then what runs is left as it is.
    if let Some(missing) = references::missing(cx)? {
        return Ok(Step::wait(missing, secs(60)));
    }
    let progress = children::apply(cx).await?;
    if cx.spec_changed() || progress != children::Progress::Ready {
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
