//! What a handler is given.

use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::core::object::HasStatus;
use tokio::time::Instant;

use crate::{
    context::BoundedClient,
    error::{Error, Result},
    external::{CallScope, PerSecret},
    identity::{IdempotencyKey, Identity},
    phase::{Phase, PhaseMachine, StatusOf},
};

/// One run of a handler of phase `P`: the object, a copy of its status, the context, and the time that is left.
pub struct Cx<'a, P: Phase> {
    /// The object as the cache has it, never older than our own last write.
    pub object: &'a <P::Machine as PhaseMachine>::Resource,
    run: &'a mut Run<P::Machine>,
    phase: PhantomData<P>,
}

/// What outlives a single handler: the driver owns it, chained phases share it.
#[doc(hidden)]
pub struct Run<M: PhaseMachine> {
    pub(crate) context: Arc<M::Context>,
    /// The status as a handler has begun to write it; most write nothing.
    pub(crate) written: Option<StatusOf<M>>,
    /// What an object without a status has.
    pub(crate) empty: StatusOf<M>,
    pub(crate) identity: Identity,
    /// The attempt whose traces this run looks after; on deletion older ones have their turn too.
    pub(crate) attempt: u32,
    /// Why this run is.
    pub(crate) woken_by: crate::engine::woken::WokenBy,
    pub(crate) phase_entered_at: Timestamp,
    pub(crate) spec_changed: bool,
    pub(crate) scope: CallScope,
    pub(crate) blocking: crate::blocking::BlockingPool,
    pub(crate) kind: Arc<str>,
    /// When the budget of the whole run is spent.
    pub(crate) run_deadline: Instant,
    /// Whether another handler ran before this one in the same run.
    pub(crate) chained: bool,
    pub(crate) children: crate::children::ChildScope,
    pub(crate) engine: Arc<crate::engine::kind::Kind<M>>,
}

impl<M: PhaseMachine> fmt::Debug for Run<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

impl<P: Phase> fmt::Debug for Cx<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("object", &self.object)
            .finish_non_exhaustive()
    }
}

impl<'a, P: Phase> Cx<'a, P> {
    pub(crate) fn new(
        object: &'a <P::Machine as PhaseMachine>::Resource,
        run: &'a mut Run<P::Machine>,
    ) -> Self {
        Self {
            object,
            run,
            phase: PhantomData,
        }
    }

    pub(crate) fn child_scope(&self) -> &crate::children::ChildScope {
        &self.run.children
    }

    pub(crate) fn engine(&self) -> Arc<crate::engine::kind::Kind<P::Machine>> {
        Arc::clone(&self.run.engine)
    }

    /// The context the operator was started with.
    #[must_use]
    pub fn context(&self) -> &<P::Machine as PhaseMachine>::Context {
        &self.run.context
    }

    /// The status as this run has it so far.
    #[must_use]
    pub fn status(&self) -> &<<P::Machine as PhaseMachine>::Resource as HasStatus>::Status {
        let written = self.run.written.as_ref();
        written
            .or_else(|| self.object.status())
            .unwrap_or(&self.run.empty)
    }

    /// The copy of the status that is compared and written after the run. What the runtime owns (phase,
    /// observedGeneration, the conditions Ready, Reconciling and Stalled) is not taken from it.
    pub fn status_mut(
        &mut self,
    ) -> &mut <<P::Machine as PhaseMachine>::Resource as HasStatus>::Status {
        let object = self.object;
        let written = &mut self.run.written;
        written.get_or_insert_with(|| object.status().cloned().unwrap_or_default())
    }

    /// The key of `purpose` for this object and attempt: the same after a crash, a new one after a failure.
    #[must_use]
    pub fn idempotency_key(&self, purpose: &str) -> IdempotencyKey {
        self.run.identity.key(purpose, self.run.attempt)
    }

    /// Whether the spec moved on: in a steady phase since the object converged, in the failed one since it failed, in
    /// any other since the object began to change.
    #[must_use]
    pub fn spec_changed(&self) -> bool {
        self.run.spec_changed
    }

    /// When the object entered this phase.
    #[must_use]
    pub fn phase_entered_at(&self) -> Timestamp {
        self.run.phase_entered_at
    }

    /// The time, by the operator's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.run.scope.now()
    }

    /// What is left of the handler's time.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.run
            .scope
            .deadline()
            .saturating_duration_since(Instant::now())
    }

    /// Runs blocking code on a bounded pool, the one legal place for it.
    ///
    /// # Errors
    /// If the pool has no place within the handler's time, or if the code panicked.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        self.run.blocking.run(work).await
    }

    /// The handle of a bounded client; `#[derive(MachineContext)]` makes a method of it per client.
    pub fn bounded<C: BoundedClient>(&self, client: &C) -> C::Handle {
        client.handle(self.run.scope.clone())
    }

    /// The handle of the client that belongs to a secret; `#[derive(MachineContext)]` makes a method `<field>_for` of it.
    /// The secret comes from [`Cx::related`](crate::cx::Cx::related), so that its rotation wakes the object.
    ///
    /// # Errors
    /// If no client can be made from the secret.
    pub fn bounded_for<C: BoundedClient>(
        &self,
        clients: &PerSecret<C>,
        secret: &Secret,
    ) -> Result<C::Handle> {
        clients.handle(secret, self.run.scope.clone())
    }
}
