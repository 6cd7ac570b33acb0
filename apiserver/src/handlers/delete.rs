//! DELETE of one object and of a collection.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::delete_options::{self, Options};
use super::update;
use crate::call::{Call, Handled, Outcome, Reply, Stop};
use crate::cluster::Shared;
use crate::document::Document;
use crate::error::{ApiError, ApiResult};
use crate::object;
use crate::resource::Resource;
use crate::store::{Expect, Stored};

const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];

/// What became of a deleted object.
pub(super) enum Deleted {
    /// It waits for its finalizers; in the version of the request.
    Marked(Document),
    Gone(Document),
}

impl Shared {
    /// Deletes on behalf of the cluster itself; whether there was anything to do.
    pub(crate) fn delete_internal(
        &self,
        resource: &Arc<Resource>,
        key: &str,
        uid: &str,
        propagation: Option<&str>,
    ) -> bool {
        let before = self.store.revision();
        let mut call = Call::internal("DELETE", "/", "application/json", bytes::Bytes::new());
        let options = Options {
            uid: Some(uid.to_owned()),
            propagation: propagation.map(str::to_owned),
            ..Options::default()
        };
        let name = key.rsplit('/').next().unwrap_or(key).to_owned();
        self.delete_key(&mut call, resource, key, &name, &options)
            .is_ok()
            && self.store.revision() != before
    }

    pub(super) fn delete(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        let options = delete_options::read(call)?;
        let name = call.info.name.clone();
        if resource.kind == "Namespace" && IMMORTAL.contains(&name.as_str()) {
            return Err(ApiError::forbidden(
                "",
                "namespaces",
                &name,
                "this namespace may not be deleted",
            )
            .into());
        }
        let key = resource.key(&call.info.namespace, &name);
        match self.delete_key(call, resource, &key, &name, &options)? {
            Deleted::Marked(object) => Ok(Outcome::Reply(
                self.render_object(call, resource, 200, &object)?,
            )),
            Deleted::Gone(object) if returns_object(resource) => Ok(Outcome::Reply(
                self.render_object(call, resource, 200, &resource.present(&object))?,
            )),
            Deleted::Gone(object) => Ok(Outcome::Reply(Reply::json(
                200,
                &success(resource, &object.value()),
            ))),
        }
    }

    pub(super) fn delete_collection(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        let options = delete_options::read(call)?;
        let (revision, items) = self.select(call, resource)?;
        let objects = items.iter().map(|stored| stored.object.clone()).collect();
        let objects = self.present_all(call, resource, objects)?;
        // Webhooks are asked before the first one goes: the handler starts anew after each answer.
        for stored in &items {
            self.vet_deletion(call, resource, stored)?;
        }
        for stored in &items {
            let name = object::meta(&stored.object.value(), "name").to_owned();
            let key = resource.key(object::meta(&stored.object.value(), "namespace"), &name);
            match self.delete_key(call, resource, &key, &name, &options) {
                Ok(_) => {}
                Err(Stop::Refused(error)) if error.code() == 404 => {}
                Err(other) => return Err(other),
            }
        }
        let revision = revision.max(self.store.revision());
        Ok(Outcome::Reply(self.render_list(
            call, resource, &objects, revision, None, None,
        )?))
    }

    pub(super) fn delete_key(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        key: &str,
        name: &str,
        options: &Options,
    ) -> Handled<Deleted> {
        loop {
            let Some(old) = self.store.get(&resource.table, key) else {
                return Err(resource.not_found(name).into());
            };
            check_preconditions(resource, name, options, &old)?;
            self.vet_deletion(call, resource, &old)?;
            match self.delete_stored(call, resource, key, &old, options) {
                Err(Stop::Lost(_)) => {}
                other => return other,
            }
        }
    }

    fn delete_stored(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        key: &str,
        old: &Stored,
        options: &Options,
    ) -> Handled<Deleted> {
        let mut new = old.object.to_value();
        set_finalizers(&mut new, options);
        let first = !object::is_terminating(&old.object.value());
        let grace = grace(resource, &old.object.value(), options);
        if first {
            self.mark(resource, &mut new, grace, self.time(call));
        } else if let Some(before) =
            old.object.value()["metadata"]["deletionGracePeriodSeconds"].as_i64()
            && grace < before
        {
            object::meta_mut(&mut new).insert("deletionGracePeriodSeconds".into(), grace.into());
        }
        if update::is_finished(resource, &new) {
            if call.dry_run {
                return Ok(Deleted::Gone(old.object.clone()));
            }
            let last = self.commit_remove(call, resource, key, old)?;
            if !is_graceful(resource) {
                return Ok(Deleted::Gone(last.object));
            }
            // A pod is shown as it was marked before it went.
            let version = last.object.value()["metadata"]["resourceVersion"].clone();
            object::meta_mut(&mut new).insert("resourceVersion".into(), version);
            return Ok(Deleted::Gone(new.into()));
        }
        if new == *old.object.value() || call.dry_run {
            let shown = self.present(call, resource, &new.into())?;
            return Ok(Deleted::Marked(shown));
        }
        let foreseen = self.foresee(call, resource, &new)?;
        let stored = self.commit_put(call, resource, key, Expect::Revision(old.revision), new)?;
        Ok(Deleted::Marked(foreseen.settle(resource, &stored)))
    }

    /// Marks an object as terminating.
    fn mark(&self, resource: &Resource, new: &mut Value, grace: i64, now: Timestamp) {
        let ends = now
            .checked_add(jiff::SignedDuration::from_secs(grace))
            .unwrap_or(now);
        let generation = object::generation(new);
        let metadata = object::meta_mut(new);
        metadata.insert(
            "deletionTimestamp".into(),
            crate::clock::seconds(ends).into(),
        );
        if resource.kind == "Namespace" {
            let status = object::top(new)
                .entry("status")
                .or_insert_with(|| json!({}));
            object::top(status).insert("phase".into(), "Terminating".into());
            return;
        }
        if resource.kind != "CustomResourceDefinition" {
            metadata.insert("deletionGracePeriodSeconds".into(), grace.into());
        }
        if generation > 0 && resource.kind != "CustomResourceDefinition" {
            metadata.insert("generation".into(), (generation + 1).into());
        }
        if resource.kind == "CustomResourceDefinition" {
            crate::crd::mark_terminating(new, &crate::clock::seconds(now));
        }
    }
}

/// Seconds that a pod on a node gets; everything else goes at once.
fn grace(resource: &Resource, object: &Value, options: &Options) -> i64 {
    let scheduled = !object["spec"]["nodeName"]
        .as_str()
        .unwrap_or_default()
        .is_empty();
    let done = matches!(
        object["status"]["phase"].as_str(),
        Some("Succeeded" | "Failed")
    );
    if resource.kind != "Pod" || !resource.group.is_empty() || !scheduled || done {
        return 0;
    }
    let default = object["spec"]["terminationGracePeriodSeconds"]
        .as_i64()
        .unwrap_or(30);
    options.grace.unwrap_or(default).max(0)
}

fn is_graceful(resource: &Resource) -> bool {
    resource.kind == "Pod" && !resource.is_custom()
}

/// Kinds whose deletion answers with the object.
fn returns_object(resource: &Resource) -> bool {
    resource.group.is_empty()
        && matches!(
            resource.kind.as_str(),
            "Pod"
                | "Service"
                | "ServiceAccount"
                | "PersistentVolumeClaim"
                | "PersistentVolume"
                | "PodTemplate"
                | "ResourceQuota"
        )
}

/// The finalizers of the garbage collector, as the propagation policy wants them.
fn set_finalizers(new: &mut Value, options: &Options) {
    let mut list: Vec<String> = object::finalizers(new)
        .into_iter()
        .map(str::to_owned)
        .collect();
    if let Some(policy) = &options.propagation {
        list.retain(|f| f != "orphan" && f != "foregroundDeletion");
        match policy.as_str() {
            "Orphan" => list.push("orphan".into()),
            "Foreground" => list.push("foregroundDeletion".into()),
            _ => {}
        }
    }
    let metadata = object::meta_mut(new);
    if list.is_empty() {
        metadata.remove("finalizers");
    } else {
        metadata.insert("finalizers".into(), list.into());
    }
}

fn check_preconditions(
    resource: &Resource,
    name: &str,
    options: &Options,
    old: &Stored,
) -> ApiResult<()> {
    let object = old.object.value();
    let uid = object::meta(&object, "uid");
    let conflict = |why: String| ApiError::conflict(&resource.group, &resource.kind, name, &why);
    if let Some(wanted) = options.uid.as_deref().filter(|wanted| *wanted != uid) {
        return Err(conflict(format!(
            "the UID in the precondition ({wanted}) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
        )));
    }
    let revision = old.revision.to_string();
    if let Some(wanted) = options
        .resource_version
        .as_deref()
        .filter(|wanted| *wanted != revision)
    {
        return Err(conflict(format!(
            "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in record ({revision}). The object might have been modified"
        )));
    }
    Ok(())
}

fn success(resource: &Resource, object: &Value) -> Value {
    let mut details = json!({
        "name": object::meta(object, "name"),
        "kind": resource.plural,
        "uid": object::meta(object, "uid"),
    });
    if !resource.group.is_empty() {
        details["group"] = resource.group.clone().into();
    }
    json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details })
}
