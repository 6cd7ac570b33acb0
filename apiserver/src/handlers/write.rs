//! Commits: the only way from a request into the store, past the write hook.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use serde_json::Value;

use crate::call::{Call, Handled, Stop};
use crate::cluster::Shared;
use crate::error::ApiError;
use crate::hook::{Stage, WriteInfo, WriteVerdict};
use crate::object;
use crate::resource::Resource;
use crate::store::{Expect, Stored};

/// What etcd takes in one request.
const OBJECT_LIMIT: usize = 3 << 19;

impl Shared {
    /// Writes an object on behalf of a request.
    pub(super) fn commit_put(
        &self,
        call: &mut Call,
        resource: &Resource,
        key: &str,
        expect: Expect,
        new: Value,
    ) -> Handled<Stored> {
        let name = object::meta(&new, "name").to_owned();
        if call.body.len() > 1 << 18 && new.to_string().len() > OBJECT_LIMIT {
            return Err(ApiError::internal("etcdserver: request is too large").into());
        }
        self.hook(call, &name, Stage::Before)?;
        let stored = self
            .store
            .lock()
            .put(&resource.table, key, expect, new)
            .map_err(Stop::Lost)?;
        self.committed(call, resource, &name, Some(&stored.object.value()))?;
        Ok(stored)
    }

    /// Removes an object on behalf of a request.
    pub(super) fn commit_remove(
        &self,
        call: &mut Call,
        resource: &Resource,
        key: &str,
        old: &Stored,
    ) -> Handled<Stored> {
        let name = object::meta(&old.object.value(), "name").to_owned();
        self.hook(call, &name, Stage::Before)?;
        let removed = self
            .store
            .lock()
            .remove(&resource.table, key, old.revision)
            .map_err(Stop::Lost)?;
        self.committed(call, resource, &name, None)?;
        Ok(removed)
    }

    fn committed(
        &self,
        call: &mut Call,
        resource: &Resource,
        name: &str,
        object: Option<&Value>,
    ) -> Handled<()> {
        call.revisions += 1;
        if resource.kind == "CustomResourceDefinition" {
            self.definition_changed(name, object);
        } else if object.is_none() && resource.is_custom() {
            self.instance_removed(&resource.table);
        }
        let verdict = self.hook(call, name, Stage::After);
        if !call.internal {
            self.writes.fetch_add(1, Ordering::SeqCst);
        }
        verdict
    }

    fn hook(&self, call: &Call, name: &str, stage: Stage) -> Handled<()> {
        if call.internal {
            return Ok(());
        }
        let hook = self
            .hook
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let Some(hook) = hook else {
            return Ok(());
        };
        let info = WriteInfo {
            sequence: self.writes.load(Ordering::SeqCst) + 1,
            verb: call.info.verb.clone(),
            group: call.info.group.clone(),
            version: call.info.version.clone(),
            resource: call.info.resource.clone(),
            subresource: call.info.subresource.clone(),
            namespace: call.info.namespace.clone(),
            name: name.to_owned(),
            user: call.user.name.clone(),
            field_manager: call.field_manager.clone(),
        };
        match hook(&info, stage) {
            WriteVerdict::Proceed => Ok(()),
            WriteVerdict::Hang => Err(Stop::Hung),
            WriteVerdict::Fail(code) => Err(ApiError::injected(code).into()),
        }
    }
}
