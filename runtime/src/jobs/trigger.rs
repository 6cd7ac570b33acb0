//! Wakes objects from outside: a webhook, a message queue, a timer of one's own.

use std::{fmt, marker::PhantomData, sync::Arc};

use crate::{
    engine::{key::ObjectKey, owned_bell::Bell},
    phase::PhaseMachine,
};

/// Wakes objects of one kind. Cheap to clone, and to be used from any thread; each object is woken once however often
/// it was asked for meanwhile. A process that does not lead keeps what it is told
/// until it does, up to ten thousand objects: then it lists, and all run anyway.
pub struct Trigger<M> {
    bell: Arc<Bell>,
    machine: PhantomData<fn() -> M>,
}

impl<M> Clone for Trigger<M> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.bell))
    }
}

impl<M> fmt::Debug for Trigger<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trigger").finish_non_exhaustive()
    }
}

impl<M> Trigger<M> {
    pub(crate) fn new(bell: Arc<Bell>) -> Self {
        Self {
            bell,
            machine: PhantomData,
        }
    }
}

impl<M: PhaseMachine> Trigger<M> {
    /// Makes the object run soon, if it exists; a backoff or a poll is cut. `None` as the namespace is for kinds that
    /// are in none.
    pub fn wake<'a>(&self, namespace: impl Into<Option<&'a str>>, name: &str) {
        self.bell.ask(&ObjectKey::new(namespace.into(), name));
    }
}

/// Passes on what triggers ask for, for as long as the loop runs.
pub(crate) async fn forward(from: Arc<Bell>, to: Arc<Bell>) {
    from.followed();
    loop {
        for key in from.take().into_keys() {
            to.run(&key);
        }
        from.rung().await;
    }
}
