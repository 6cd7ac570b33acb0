//! POST: new objects.

use std::sync::Arc;

use serde_json::Value;

use super::{decode, metadata, prepare};
use crate::call::{Call, Handled, Outcome, Stop};
use crate::cluster::Shared;
use crate::document::Document;
use crate::error::{ApiError, ApiResult};
use crate::object;
use crate::resource::Resource;
use crate::store::{Expect, Lost};
use crate::webhook::Change;

/// So many generated names are tried.
const NAME_ATTEMPTS: usize = 8;

impl Shared {
    pub(super) fn create(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        if resource.namespaced && call.info.namespace.is_empty() {
            return Err(ApiError::page_not_found().into());
        }
        if !resource.is_custom() && !call.info.name.is_empty() {
            return Err(ApiError::method_not_allowed().into());
        }
        call.write_options("CreateOptions")?;
        let mut new = decode::object(call, resource)?;
        check_namespace(call, resource, &mut new)?;
        self.admit(call, resource, &new)?;
        let created = self.create_named(call, resource, new)?;
        Ok(Outcome::Reply(
            self.render_object(call, resource, 201, &created)?,
        ))
    }

    /// Creates; a generated name that is taken is drawn again, a few times.
    fn create_named(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        new: Value,
    ) -> Handled<Document> {
        let is_generated =
            object::meta(&new, "name").is_empty() && !object::meta(&new, "generateName").is_empty();
        if is_generated {
            for _ in 1..NAME_ATTEMPTS {
                match self.create_object(call, resource, new.clone()) {
                    Err(Stop::Refused(error)) if error.reason() == "AlreadyExists" => {
                        call.drawn = None;
                    }
                    other => return other,
                }
            }
        }
        self.create_object(call, resource, new)
    }

    /// From a decoded object to a stored one. Also the way of a PUT or an apply that creates.
    pub(super) fn create_object(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        mut new: Value,
    ) -> Handled<Document> {
        let wanted_version = object::meta(&new, "resourceVersion").to_owned();
        let namespace = call.info.namespace.clone();
        let drawn = call
            .drawn
            .get_or_insert_with(|| (self.store.uid(), self.store.suffix()));
        let (uid, suffix) = drawn.clone();
        let mut tracked = call.content_type() == "application/apply-patch+yaml";
        if self.has_mutating_webhooks(call, resource) {
            // They see what the client sent: no uid, no generated name, but already the record of the manager.
            prepare::wipe(resource, &mut new, &namespace);
            if !tracked {
                self.track_update(call, resource, None, &mut new);
            }
            tracked = true;
            let change = Change {
                operation: "CREATE",
                new: Some(&new),
                old: None,
                revision: 0,
            };
            if let Some(mutated) = self.mutate(call, resource, change)? {
                new = mutated;
            }
        }
        let time = self.stamp(call);
        prepare::for_create(time, resource, &mut new, &namespace, (uid, suffix));
        if !tracked {
            self.track_update(call, resource, None, &mut new);
        }
        self.create_prepared(call, resource, new, &wanted_version)
    }

    fn create_prepared(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        mut new: Value,
        wanted_version: &str,
    ) -> Handled<Document> {
        self.guard_escalation(call, resource, &new, None)?;
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
        self.authorize_creation(call)?;
        let change = Change {
            operation: "CREATE",
            new: Some(&new),
            old: None,
            revision: 0,
        };
        self.guard_owners(call, resource, &change)?;
        self.vet(call, resource, change)?;
        let key = resource.key(object::meta(&new, "namespace"), &name);
        self.store_as(call, resource, &mut new)?;
        if call.dry_run {
            return match self.store.get(&resource.table, &key) {
                Some(found) => Err(exists(resource, &name, &found.object.value()).into()),
                None => self.present(call, resource, &new.into()),
            };
        }
        let foreseen = self.foresee(call, resource, &new)?;
        match self.commit_put(call, resource, &key, Expect::Absent, new) {
            Ok(stored) => Ok(foreseen.settle(resource, &stored)),
            Err(Stop::Lost(Lost::Gone)) => Err(ApiError::page_not_found().into()),
            Err(Stop::Lost(Lost::Exists(found))) => {
                Err(exists(resource, &name, &found.object.value()).into())
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
        if object::is_terminating(&found.object.value()) {
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
    match object::meta(new, "namespace") {
        "" => {
            object::meta_mut(new).insert("namespace".into(), call.info.namespace.clone().into());
            Ok(())
        }
        given if given == call.info.namespace => Ok(()),
        _ => Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        )),
    }
}
