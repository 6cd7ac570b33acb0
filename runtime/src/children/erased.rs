//! The caches of owned and watched kinds, their types forgotten.

use std::{any::Any, sync::Arc};

use futures::future::BoxFuture;

use crate::mutant::{Mutant, mutated};
use crate::{
    children::{ChildResource, owner::Owner, related::Related, seen::Seen, store::Store},
    engine::{
        key::ObjectKey,
        owned_watch::{Follow, Sink, follow},
        print::Print,
    },
};

/// An owned kind whose type is forgotten.
pub(super) trait AnyOwned: Send + Sync {
    fn kind(&self) -> &str;
    fn sum(&self, owner: &ObjectKey, uid: &str) -> Print;
    fn snapshot(&self, owner: &Owner, seen: &mut Seen);
    fn is_settled(&self) -> bool;
    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
    fn follow(self: Arc<Self>, with: Follow) -> BoxFuture<'static, ()>;
}

impl<T: ChildResource> AnyOwned for Store<T> {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn sum(&self, owner: &ObjectKey, uid: &str) -> Print {
        Self::sum(self, owner, uid)
    }

    fn snapshot(&self, owner: &Owner, seen: &mut Seen) {
        Self::snapshot(self, owner, seen);
    }

    fn is_settled(&self) -> bool {
        Self::is_complete(self) || (self.is_troubled() && !mutated(Mutant::IsolatedWatches))
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn follow(self: Arc<Self>, with: Follow) -> BoxFuture<'static, ()> {
        Box::pin(follow::<T, Self>(self, with))
    }
}

/// A watched kind whose type is forgotten.
pub(super) trait AnyRelated: Send + Sync {
    fn kind(&self) -> &str;
    fn index(&self, primary: &ObjectKey, targets: Vec<ObjectKey>);
    fn forget(&self, primary: &ObjectKey);
    fn sum(&self, primary: &ObjectKey) -> Print;
    fn snapshot(&self, primary: &ObjectKey, seen: &mut Seen);
    fn is_settled(&self) -> bool;
    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
    fn follow(self: Arc<Self>, with: Follow) -> BoxFuture<'static, ()>;
}

impl<T: ChildResource> AnyRelated for Related<T> {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn index(&self, primary: &ObjectKey, targets: Vec<ObjectKey>) {
        Self::index(self, primary, targets);
    }

    fn forget(&self, primary: &ObjectKey) {
        Self::forget(self, primary);
    }

    fn sum(&self, primary: &ObjectKey) -> Print {
        Self::sum(self, primary)
    }

    fn snapshot(&self, primary: &ObjectKey, seen: &mut Seen) {
        Self::snapshot(self, primary, seen);
    }

    fn is_settled(&self) -> bool {
        Sink::is_complete(self) || self.is_troubled()
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn follow(self: Arc<Self>, with: Follow) -> BoxFuture<'static, ()> {
        Box::pin(follow::<T, Self>(self, with))
    }
}
