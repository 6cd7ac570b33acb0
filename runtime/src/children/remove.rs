//! Deleting children: always this very one, by its uid, and never by the lack of knowledge.

use std::{any::TypeId, sync::Arc, time::Duration};

use crate::{
    children::{
        ChildError, ChildResource, ObjectRef,
        request::Deleted,
        scope::{ChildScope, Stop},
        store::Store,
    },
    engine::key::ObjectKey,
    error::Result,
    observed::Complete,
    reference::reasons,
};

/// How soon an owner looks again that may not prune yet.
const UNSURE: Duration = Duration::from_secs(10);

/// The role allows it only where it was asked for.
fn may_delete<T: ChildResource>(store: &Store<T>) -> std::result::Result<(), ChildError> {
    if store.options.deletes {
        return Ok(());
    }
    let kind = &store.kind;
    let message = format!(
        "a handler deletes children of kind {kind}, which is not declared, so the role does not allow it: declare it by `.owns_with::<{kind}>(|owned| owned.deletes())`"
    );
    Err(ChildError::wrong(reasons::NOT_DECLARED, message))
}

impl ChildScope {
    /// The child of that name.
    pub(super) fn child<T: ChildResource>(&self, name: &ObjectRef) -> Result<Option<Arc<T>>> {
        let store = self
            .store::<T>()
            .map_err(|error| self.stopped(error.into()))?;
        let key = self.key::<T>(name);
        if let Some(error) = store.undecodable(&key) {
            return Err(self.stopped(error.into()));
        }
        Ok(store
            .get(&key)
            .filter(|entry| self.is_mine(entry.owner.as_ref()))
            .map(|entry| entry.object))
    }

    fn is_mine(&self, owner: Option<&super::owner::Owner>) -> bool {
        owner.is_some_and(|owner| owner.uid == self.owner().uid)
    }

    /// All children of a kind.
    pub(super) fn all<T: ChildResource>(&self) -> Result<Complete<Arc<T>>> {
        let store = self
            .store::<T>()
            .map_err(|error| self.stopped(error.into()))?;
        if !store.proves_absence() {
            let message = format!(
                "the list of {} is being read anew: it is not complete, and nothing may be concluded from it",
                store.kind
            );
            let error = ChildError::waits(reasons::NOT_SYNCED, message, UNSURE);
            return Err(self.stopped(error.into()));
        }
        if let Some(error) = store.undecodable_of(self.owner()) {
            return Err(self.stopped(error.into()));
        }
        Ok(Complete::of_cache(store.of_owner(self.owner())))
    }

    pub(super) async fn delete_child<T: ChildResource>(&self, name: ObjectRef) -> Result<bool> {
        self.try_delete::<T>(&name)
            .await
            .map_err(|stop| self.stopped(stop))
    }

    async fn try_delete<T: ChildResource>(&self, name: &ObjectRef) -> Result<bool, Stop> {
        let store = self.store::<T>()?;
        may_delete(&store)?;
        let key = self.key::<T>(name);
        if let Some(error) = store.undecodable(&key) {
            return Err(error.into());
        }
        let Some(entry) = store
            .get(&key)
            .filter(|entry| self.is_mine(entry.owner.as_ref()))
        else {
            return Ok(false);
        };
        self.delete_entry(&store, &key, &entry.object).await?;
        Ok(true)
    }

    async fn delete_entry<T: ChildResource>(
        &self,
        store: &Store<T>,
        key: &ObjectKey,
        object: &Arc<T>,
    ) -> Result<(), Stop> {
        let meta = object.meta();
        if meta.deletion_timestamp.is_some() {
            return Ok(());
        }
        let uid = meta.uid.as_deref().unwrap_or_default();
        match self.requests().delete::<T>(key, uid).await? {
            Deleted::Gone => {
                store.vanished(key, Some(uid));
                self.notes().seen.remove(TypeId::of::<T>(), key);
            }
            Deleted::Going(object) => {
                let entry = store.answered(object);
                self.notes()
                    .seen
                    .set(TypeId::of::<T>(), key.clone(), entry.print);
            }
        }
        Ok(())
    }

    pub(super) async fn prune<T: ChildResource>(&self, doomed: Vec<Arc<T>>) -> Result<usize> {
        let store = self
            .store::<T>()
            .map_err(|error| self.stopped(error.into()))?;
        may_delete(&store).map_err(|error| self.stopped(error.into()))?;
        let mut count = 0;
        for object in doomed {
            let key = ObjectKey::of(object.meta());
            self.delete_entry(&store, &key, &object)
                .await
                .map_err(|stop| self.stopped(stop))?;
            count += 1;
        }
        Ok(count)
    }

    /// An object that the owner refers to.
    pub(super) fn find_related<T: ChildResource>(
        &self,
        name: &ObjectRef,
    ) -> Result<Option<Arc<T>>> {
        let key = self.key::<T>(name);
        let store = self
            .related::<T>(&key)
            .map_err(|error| self.stopped(error.into()))?;
        if let Some(error) = store.undecodable(&key) {
            return Err(self.stopped(error.into()));
        }
        let found = store.get(&key);
        if found.is_none() {
            let missing = format!("{} {key}", store.kind);
            self.notes().missing.get_or_insert(missing);
        }
        Ok(found)
    }
}
