//! POST: new objects.

use std::sync::Arc;

use serde_json::Value;

use super::{decode, metadata, prepare};
use crate::call::{Call, Handled, Outcome, Stop};
use crate::cluster::Shared;
use crate::error::{ApiError, ApiResult};
use crate::object;
use crate::resource::Resource;
use crate::store::{Expect, Lost};

impl Shared {
    pub(super) fn create(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        if resource.namespaced && call.info.namespace.is_empty() {
            return Err(ApiError::page_not_found().into());
        }
        if !resource.is_custom() && !call.info.name.is_empty() {
            return Err(ApiError::method_not_allowed().into());
        }
        refuse_unserved(resource)?;
        call.write_options("CreateOptions")?;
        let mut new = decode::object(call, resource)?;
        check_namespace(call, resource, &mut new)?;
        self.admit(call, resource, &new)?;
        let created = self.create_object(call, resource, new)?;
        Ok(Outcome::Reply(
            self.render_object(call, resource, 201, &created)?,
        ))
    }

    /// From a decoded object to a stored one. Also the way of a PUT or an apply that creates.
    pub(super) fn create_object(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        mut new: Value,
    ) -> Handled<Arc<Value>> {
        let wanted_version = object::meta(&new, "resourceVersion").to_owned();
        let namespace = call.info.namespace.clone();
        prepare::for_create(self, resource, &mut new, &namespace);
        self.create_prepared(call, resource, new, &wanted_version)
    }

    fn create_prepared(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        mut new: Value,
        wanted_version: &str,
    ) -> Handled<Arc<Value>> {
        if call.content_type() != "application/apply-patch+yaml" {
            self.track_update(call, resource, None, &mut new);
        }
        let mut causes = metadata::validate(resource, &new);
        causes.extend(resource.model.validate(&new, None, ""));
        let name = object::meta(&new, "name").to_owned();
        call.made = Some(name.clone());
        if !causes.is_empty() {
            return Err(resource.invalid(&name, &causes).into());
        }
        for warning in metadata::warnings(&new)
            .into_iter()
            .chain(resource.model.warnings(&new))
        {
            call.warn(warning);
        }
        if !wanted_version.is_empty() && wanted_version != "0" {
            return Err(ApiError::internal(
                "resourceVersion should not be set on objects to be created",
            )
            .into());
        }
        object::meta_mut(&mut new).remove("resourceVersion");
        let key = resource.key(object::meta(&new, "namespace"), &name);
        resource.to_stored(&mut new);
        if call.dry_run {
            return match self.store.get(&resource.table, &key) {
                Some(found) => Err(exists(resource, &name, &found.object).into()),
                None => Ok(resource.present(&Arc::new(new))),
            };
        }
        match self.commit_put(call, resource, &key, Expect::Absent, new) {
            Ok(stored) => Ok(resource.present(&stored.object)),
            Err(Stop::Lost(Lost::Gone)) => Err(ApiError::page_not_found().into()),
            Err(Stop::Lost(Lost::Exists(found))) => {
                Err(exists(resource, &name, &found.object).into())
            }
            Err(other) => Err(other),
        }
    }

    /// Namespace life cycle: nothing new in a namespace that is not there or on its way out.
    pub(super) fn admit(&self, call: &Call, resource: &Resource, new: &Value) -> ApiResult<()> {
        if !resource.namespaced {
            return Ok(());
        }
        let namespace = &call.info.namespace;
        let Some(found) = self.store.get("namespaces", namespace) else {
            return Err(ApiError::not_found("", "namespaces", namespace));
        };
        if object::is_terminating(&found.object) {
            let name = object::meta(new, "name");
            return Err(ApiError::namespace_terminating(
                &resource.group,
                &resource.plural,
                name,
                namespace,
            ));
        }
        Ok(())
    }
}

/// What would be stored and never looked at must not seem to work.
fn refuse_unserved(resource: &Resource) -> ApiResult<()> {
    if resource.group != "admissionregistration.k8s.io" {
        return Ok(());
    }
    Err(ApiError::not_implemented(format!(
        "this server calls no admission webhooks and runs no admission policies, so it takes no {}",
        resource.kind
    )))
}

fn exists(resource: &Resource, name: &str, found: &Value) -> ApiError {
    ApiError::already_exists(
        &resource.group,
        &resource.plural,
        name,
        object::is_terminating(found),
    )
}

/// The namespace in the body must be that of the path; an absent one is filled in.
pub(super) fn check_namespace(call: &Call, resource: &Resource, new: &mut Value) -> ApiResult<()> {
    if !resource.namespaced {
        return Ok(());
    }
    let given = object::meta(new, "namespace");
    if !given.is_empty() && given != call.info.namespace {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    object::meta_mut(new).insert("namespace".into(), call.info.namespace.clone().into());
    Ok(())
}
