//! What each phase does. A handler starts work or looks at it and returns at once: waiting is the runtime's part.

use opgen_runtime::prelude::*;

use super::{
    children,
    phase::{Deleting, Failed, Pending, Provisioning, Ready},
    provider::InstanceState,
    references,
};
use crate::context::ContextClients;

/// The key of the one instance of an object. The same after a crash, so `create` can be repeated safely.
const INSTANCE: &str = "instance";

#[reconcile_phase(timeout = "10s")]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    // Its arrival wakes the object; the wait is only a net below that.
    if let Some(missing) = references::missing(cx)? {
        return Ok(Step::wait(missing, secs(60)));
    }
    let key = cx.idempotency_key(INSTANCE);
    let id = cx.provider().create(&key, &cx.object.spec).await?;
    cx.status_mut().instance_id = Some(id);
    Ok(Step::to(Provisioning))
}

#[reconcile_phase(timeout = "10s")]
async fn provisioning(cx: &mut Cx<'_, Provisioning>) -> Result<Step<Provisioning>> {
    // Its arrival wakes the object; the wait is only a net below that.
    if let Some(missing) = references::missing(cx)? {
        return Ok(Step::wait(missing, secs(60)));
    }
    let key = cx.idempotency_key(INSTANCE);
    let spec = &cx.object.spec;
    match cx.provider().observe(&key).await? {
        Observed::Present(found) => match found.state {
            InstanceState::Failed(why) => Err(Error::msg(why).permanent()),
            _ if !found.matches(spec) => {
                cx.provider().update(&found.id, spec).await?;
                Ok(Step::poll_in(secs(5)))
            }
            InstanceState::Building => Ok(Step::poll_in(secs(5))),
            InstanceState::Running => {
                cx.status_mut().instance_id = Some(found.id);
                match children::apply(cx).await? {
                    children::Progress::Ready => Ok(Step::to(Ready)),
                    // A change of a child wakes the object; the wait is only a net below that.
                    children::Progress::Waiting(why) => Ok(Step::wait(why, secs(30))),
                    children::Progress::Failed(why) => Err(Error::msg(why).permanent()),
                }
            }
        },
        // Somebody removed it while it was being built: the same key makes it again.
        Observed::Absent(_) => {
            cx.provider().create(&key, spec).await?;
            Ok(Step::poll_in(secs(5)))
        }
        Observed::Unknown(why) => Ok(Step::wait(why, secs(10))),
    }
}

#[reconcile_phase(timeout = "10s")]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    // Its return wakes the object. Until then what runs is left as it is.
    if let Some(missing) = references::missing(cx)? {
        return Ok(Step::wait(missing, secs(60)));
    }
    if cx.spec_changed() {
        return Ok(Step::to(Provisioning));
    }
    let key = cx.idempotency_key(INSTANCE);
    match cx.provider().observe(&key).await? {
        Observed::Present(found) if found.matches(&cx.object.spec) => {
            match children::apply(cx).await? {
                children::Progress::Ready => Ok(Step::settled()),
                _ => Ok(Step::to(Provisioning)),
            }
        }
        // Drift: changed or removed outside.
        Observed::Present(_) | Observed::Absent(_) => Ok(Step::to(Provisioning)),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(30))),
    }
}

#[reconcile_phase(timeout = "5s")]
async fn failed(cx: &mut Cx<'_, Failed>) -> Result<Step<Failed>> {
    if cx.spec_changed() {
        return Ok(Step::to(Pending));
    }
    Ok(Step::settled())
}

#[reconcile_phase(timeout = "10s")]
async fn deleting(cx: &mut Cx<'_, Deleting>) -> Result<Step<Deleting>> {
    // Found by key: a crash may have lost the id before it was recorded.
    let key = cx.idempotency_key(INSTANCE);
    match cx.provider().observe(&key).await? {
        Observed::Present(found) => {
            cx.provider().destroy(&found.id).await?;
            Ok(Step::poll_in(secs(5)))
        }
        Observed::Absent(proof) => Ok(Step::gone(proof)),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(10))),
    }
}
