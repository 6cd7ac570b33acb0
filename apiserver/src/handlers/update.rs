//! PUT, and what every change of an existing object goes through.

use std::sync::Arc;

use serde_json::Value;

use super::prepare::{self, Part};
use super::{create, decode, metadata};
use crate::call::{Call, Handled, Outcome, Stop};
use crate::cluster::Shared;
use crate::document::Document;
use crate::error::{ApiError, ApiResult, Cause};
use crate::object;
use crate::resource::Resource;
use crate::store::{Expect, Lost, Stored};
use crate::webhook::Change;

/// How a change came in; the real server refuses a few things differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    Put,
    Patch,
    Apply,
}

/// More lost races than this in a row are an error, as in the real server.
const ATTEMPTS: usize = 1_000;

impl Shared {
    pub(super) fn update(&self, call: &mut Call, resource: &Arc<Resource>, part: Part) -> Handled {
        call.write_options("UpdateOptions")?;
        let mut new = decode::object(call, resource)?;
        check_name(call, &new)?;
        create::check_namespace(call, resource, &mut new)?;
        let key = resource.key(&call.info.namespace, &call.info.name);
        for _ in 0..ATTEMPTS {
            let Some(old) = self.store.get(&resource.table, &key) else {
                return self.update_missing(call, resource, part, new);
            };
            let unconditional = matches!(object::meta(&new, "resourceVersion"), "" | "0");
            match self.replace(call, resource, part, Via::Put, &key, &old, new.clone()) {
                Err(Stop::Lost(_)) if unconditional => {}
                Err(Stop::Lost(_)) => return Err(resource.modified(&call.info.name).into()),
                other => {
                    let object = other?;
                    return Ok(Outcome::Reply(
                        self.render_object(call, resource, 200, &object)?,
                    ));
                }
            }
        }
        Err(resource.modified(&call.info.name).into())
    }

    fn update_missing(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        part: Part,
        new: Value,
    ) -> Handled {
        if part != Part::Main || !resource.create_on_update() {
            return Err(resource.not_found(&call.info.name).into());
        }
        self.admit(call, resource, &new)?;
        let created = self.create_object(call, resource, new)?;
        Ok(Outcome::Reply(
            self.render_object(call, resource, 201, &created)?,
        ))
    }

    /// Replaces `old` by `new` (in the version of the request) if that is a legal change, and a change at all.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn replace(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        part: Part,
        via: Via,
        key: &str,
        old: &Stored,
        mut new: Value,
    ) -> Handled<Document> {
        let shown_as = self.present(call, resource, &old.object)?;
        let shown = shown_as.value();
        preconditions(call, resource, via, old, &new)?;
        let name = object::meta(&shown, "name").to_owned();
        if part == Part::Main && object::is_terminating(&new) && !object::is_terminating(&shown) {
            let cause = metadata::immutable(&new, "deletionTimestamp");
            return Err(resource.invalid(&name, &[cause.clone(), cause]).into());
        }
        prepare::for_update(resource, part, &shown, &mut new, &call.info.subresource);
        if via != Via::Apply {
            self.track_update(call, resource, Some(&shown), &mut new);
        }
        if resource.is_custom() {
            // What the change took away may have a default, which is back at once.
            resource.model.default(&mut new);
        }
        let change = Change {
            operation: "UPDATE",
            new: Some(&new),
            old: Some(&*shown),
            revision: old.revision,
        };
        if let Some(mutated) = self.mutate(call, resource, change)? {
            new = mutated;
            prepare::for_update(resource, part, &shown, &mut new, &call.info.subresource);
        }
        self.guard_escalation(call, resource, &new, Some(&*shown))?;
        crate::managed::keep_times(&shown, &mut new);
        let mut causes = metadata::validate_update(&shown, &new);
        causes.extend(
            resource
                .model
                .validate(&new, Some(&shown), &call.info.subresource),
        );
        if !causes.is_empty() {
            return Err(resource.invalid(&name, &causes).into());
        }
        for warning in metadata::warnings(&new)
            .into_iter()
            .chain(resource.model.warnings(&new))
        {
            call.warn(warning);
        }
        let change = Change {
            operation: "UPDATE",
            new: Some(&new),
            old: Some(&*shown),
            revision: old.revision,
        };
        self.guard_owners(call, resource, &change)?;
        self.vet(call, resource, change)?;
        if *shown == new {
            // The no-op rule: no new revision, no event, no entry in managedFields.
            return Ok(shown_as);
        }
        if is_finished(resource, &new) {
            return self.finish(call, resource, key, old, new);
        }
        self.store_as(call, resource, &mut new)?;
        if call.dry_run {
            return self.present(call, resource, &new.into());
        }
        let foreseen = self.foresee(call, resource, &new)?;
        let stored = self.commit_put(call, resource, key, Expect::Revision(old.revision), new)?;
        Ok(foreseen.settle(resource, &stored))
    }

    /// The last finalizer went: the object goes, too. The answer is the object as it would be, at its old version.
    fn finish(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        key: &str,
        old: &Stored,
        new: Value,
    ) -> Handled<Document> {
        if !call.dry_run {
            self.commit_remove(call, resource, key, old)?;
        }
        Ok(new.into())
    }
}

/// Whether nothing holds a terminating object any longer.
pub(super) fn is_finished(resource: &Resource, object: &Value) -> bool {
    let held_by_spec = || {
        resource.kind == "Namespace"
            && object["spec"]["finalizers"]
                .as_array()
                .is_some_and(|list| !list.is_empty())
    };
    let in_grace = || {
        let seconds = &object["metadata"]["deletionGracePeriodSeconds"];
        seconds.as_i64().unwrap_or(0) > 0
    };
    object::is_terminating(object)
        && object::finalizers(object).is_empty()
        && !held_by_spec()
        && !in_grace()
}

fn preconditions(
    call: &Call,
    resource: &Resource,
    via: Via,
    old: &Stored,
    new: &Value,
) -> Result<(), Stop> {
    let name = &call.info.name;
    if via == Via::Put {
        check_uid(call, resource, old, new)?;
    }
    match wanted_revision(new)? {
        None if resource.unconditional_update() => Ok(()),
        None => {
            let cause = Cause::invalid(
                "metadata.resourceVersion",
                &0.into(),
                "must be specified for an update",
            );
            Err(ApiError::invalid(&resource.group, &resource.plural, name, &[cause]).into())
        }
        Some(revision) if revision == old.revision => Ok(()),
        // A patch that was computed on this revision lost a race; one that names another is refused.
        Some(_) => Err(resource.modified(name).into()),
    }
}

fn check_uid(call: &Call, resource: &Resource, old: &Stored, new: &Value) -> ApiResult<()> {
    let name = &call.info.name;
    let uid = object::meta(new, "uid");
    let old_object = old.object.value();
    let old_uid = object::meta(&old_object, "uid");
    if !uid.is_empty() && uid != old_uid {
        let key = if resource.namespaced {
            format!("{}/{name}", call.info.namespace)
        } else {
            name.clone()
        };
        let head = if resource.is_custom() {
            format!("/registry/{}/{}", resource.group, resource.plural)
        } else {
            format!("/registry/{}", resource.plural)
        };
        return Err(ApiError::conflict(
            &resource.group,
            &resource.plural,
            name,
            &format!(
                "StorageError: invalid object, Code: 4, Key: {head}/{key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {old_uid}"
            ),
        ));
    }
    Ok(())
}

/// The version that the object is meant to replace.
fn wanted_revision(new: &Value) -> ApiResult<Option<u64>> {
    match object::meta(new, "resourceVersion") {
        "" | "0" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            ApiError::internal(format!(
                "strconv.ParseUint: parsing {text:?}: invalid syntax"
            ))
        }),
    }
}

/// The name in the body must be that of the path.
pub(super) fn check_name(call: &Call, new: &Value) -> ApiResult<()> {
    let name = &call.info.name;
    match object::meta(new, "name") {
        "" => Err(ApiError::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        ))),
        given if given != name => Err(ApiError::bad_request(format!(
            "the name of the object ({given}) does not match the name on the URL ({name})"
        ))),
        _ => Ok(()),
    }
}

/// A commit that found the object gone meanwhile.
pub(super) fn is_gone(stop: &Stop) -> bool {
    matches!(stop, Stop::Lost(Lost::Gone))
}
