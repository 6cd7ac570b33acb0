//! What a job is given.

use std::{fmt, sync::Arc};

use jiff::Timestamp;

use crate::{context::BoundedClient, external::CallScope, identity::IdempotencyKey};

/// The context, the key, and clients whose calls end with the job.
pub struct JobScope<C> {
    context: Arc<C>,
    key: IdempotencyKey,
    scope: CallScope,
}

impl<C> fmt::Debug for JobScope<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobScope")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl<C> JobScope<C> {
    pub(super) fn new(context: Arc<C>, key: IdempotencyKey, scope: CallScope) -> Self {
        Self {
            context,
            key,
            scope,
        }
    }

    /// The key of this job: the same after a crash and on a repetition, another one with other parameters or in
    /// another attempt.
    #[must_use]
    pub fn key(&self) -> &IdempotencyKey {
        &self.key
    }

    /// The context the operator was started with.
    #[must_use]
    pub fn context(&self) -> &C {
        &self.context
    }

    /// The handle of a client of the context: `job.bounded(|context| &context.provider)`.
    pub fn bounded<B: BoundedClient>(&self, client: impl FnOnce(&C) -> &B) -> B::Handle {
        client(&self.context).handle(self.scope.clone())
    }

    /// The time, by the operator's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.scope.now()
    }
}
