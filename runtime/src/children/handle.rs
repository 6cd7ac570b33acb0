//! Children and dependencies as a handler sees them.

use std::sync::Arc;

use futures::future::BoxFuture;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use crate::{
    children::{ChildResource, ObjectRef, metadata},
    cx::Cx,
    error::Result,
    observed::{Absent, Complete},
    phase::{FinalizerPhase, Phase},
};

impl<P: Phase> Cx<'_, P> {
    /// A name for a child: the owner's, the suffix and a hash, at most 63 characters. The same for the same owner and
    /// suffix, also after a restore, and never that of another one.
    #[must_use]
    pub fn child_name(&self, suffix: &str) -> String {
        self.child_scope().child_name(suffix)
    }

    /// Brings a child to the desired state by server-side apply, with an owner reference and a label added, and returns
    /// it as the server has it. Sends nothing if the cached child is as desired already; heals it if it was changed or
    /// deleted. The kind must be declared by `owns`.
    ///
    /// # Errors
    /// If the cache of the kind is not complete yet, if an object of that name is not ours, if the server refuses the
    /// child, or if it would be owned across namespaces: see [`ChildError`](crate::children::ChildError). A handler
    /// passes them on by `?`; the runtime waits or holds as each of them wants, and says so on the conditions.
    pub fn apply<T: ChildResource>(&self, child: T) -> BoxFuture<'static, Result<Arc<T>>> {
        let scope = self.child_scope().clone();
        Box::pin(async move { scope.apply(child).await })
    }

    /// The child of that name as the cache has it, never older than our own last write of it. No request is made.
    ///
    /// # Errors
    /// If the kind is not declared, or its cache not complete yet.
    pub fn child<T: ChildResource>(&self, name: impl Into<ObjectRef>) -> Result<Option<Arc<T>>> {
        self.child_scope().child(&name.into())
    }

    /// All children of a kind, by name. No request is made.
    ///
    /// # Errors
    /// If the kind is not declared, or if its cache is not complete: while it is read anew, too.
    pub fn children<T: ChildResource>(&self) -> Result<Complete<Arc<T>>> {
        self.child_scope().all()
    }

    /// The proof for [`Step::gone`](crate::step::Step::gone) of an object that makes nothing but children: there is none
    /// left in `all`. Of more kinds than one, ask for the others first. What is made outside the cluster is proven gone
    /// by a bounded client, and by nothing else.
    #[must_use]
    pub fn childless<T: ChildResource>(&self, all: &Complete<Arc<T>>) -> Option<Absent>
    where
        P: FinalizerPhase,
    {
        let key = self.idempotency_key("children");
        let proof = Absent::by_listing(&key, all, |_| true)?;
        Some(proof.accepted(self.now()))
    }

    /// Deletes the child of that name, this very one by its uid. False if there is none. The kind's options have to
    /// say [`deletes`](crate::children::OwnedOptions::deletes).
    ///
    /// # Errors
    /// If the kind is not declared to be deleted, its cache not complete yet, or the server does not answer well.
    pub fn delete_child<T: ChildResource>(
        &self,
        name: impl Into<ObjectRef>,
    ) -> BoxFuture<'static, Result<bool>> {
        let (scope, name) = (self.child_scope().clone(), name.into());
        Box::pin(async move { scope.delete_child::<T>(name).await })
    }

    /// Deletes all children of `all` but those to keep; returns how many. `all` is
    /// [`Cx::children`], which is never a part of the children. The kind's options have to say
    /// [`deletes`](crate::children::OwnedOptions::deletes).
    ///
    /// # Errors
    /// If the kind is not declared to be deleted, or the server does not answer well.
    pub fn prune<T: ChildResource>(
        &self,
        all: Complete<Arc<T>>,
        mut keep: impl FnMut(&T) -> bool,
    ) -> BoxFuture<'static, Result<usize>> {
        let scope = self.child_scope().clone();
        let doomed: Vec<_> = all
            .into_vec()
            .into_iter()
            .filter(|one| !keep(one))
            .collect();
        Box::pin(async move { scope.prune(doomed).await })
    }

    /// An object that this one refers to, as the cache has it. No request is made. The kind must be declared by
    /// `watches`, and the name be one of those its function returned.
    ///
    /// # Errors
    /// If the kind or the reference is not declared, or the cache not complete yet.
    pub fn related<T: ChildResource>(&self, name: impl Into<ObjectRef>) -> Result<Option<Arc<T>>> {
        self.child_scope().find_related(&name.into())
    }

    /// Changes labels, annotations or finalizers of the object. The change is computed anew, on the metadata read anew,
    /// as often as others write first; nothing is sent if nothing changes. What is under `opgen.dev/`, and our own
    /// finalizer, may not be changed. A kind without finalizer and failed phase says
    /// [`writes_metadata`](crate::operator::KindOptions::writes_metadata), for the role to allow it.
    ///
    /// # Errors
    /// If the object is gone, if the server refuses the change, or if others keep writing.
    pub fn update_metadata<F>(&self, change: F) -> BoxFuture<'static, Result<()>>
    where
        F: FnMut(&mut ObjectMeta) + Send + 'static,
    {
        let (engine, scope) = (self.engine(), self.child_scope().clone());
        let meta = self.object.meta().clone();
        Box::pin(async move {
            metadata::update(&engine.api, &scope, &engine.finalizer.present, meta, change).await
        })
    }
}
