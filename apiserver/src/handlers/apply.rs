//! PATCH by server-side apply, and the record of other writes in `managedFields`.

use std::sync::Arc;

use serde_json::Value;

use super::prepare::Part;
use super::update::{self, Via};
use super::{create, metadata};
use crate::call::{Call, Handled, Outcome, Stop};
use crate::cluster::Shared;
use crate::error::{ApiError, ApiResult, Cause};
use crate::managed::{self, ApplyError, ApplyOptions, Reset, UpdateOptions};
use crate::object;
use crate::resource::Resource;

impl Shared {
    pub(super) fn apply(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        part: Part,
        config: Value,
    ) -> Handled {
        let name = call.info.name.clone();
        check_config_name(&name, &config)?;
        let key = resource.key(&call.info.namespace, &name);
        loop {
            let old = self.store.get(&resource.table, &key);
            let live = match &old {
                Some(old) => Some(self.present(call, resource, &old.object)?.value()),
                None => None,
            };
            if live.is_none() && part != Part::Main {
                return Err(resource.not_found(&name).into());
            }
            let mut new = self.merge_config(call, resource, live.as_deref(), &config)?;
            resource.model.default(&mut new);
            create::check_namespace(call, resource, &mut new)?;
            let (code, result) = match &old {
                None => {
                    if !object::meta(&config, "uid").is_empty() {
                        let cause = metadata::immutable(&config, "uid");
                        return Err(resource.invalid(&name, &[cause.clone(), cause]).into());
                    }
                    let made = object::meta_mut(&mut new);
                    made.remove("resourceVersion");
                    made.insert("name".into(), name.clone().into());
                    self.admit(call, resource, &new)?;
                    (201, self.create_object(call, resource, new))
                }
                Some(old) => {
                    update::check_name(call, &new)?;
                    (
                        200,
                        self.replace(call, resource, part, Via::Apply, &key, old, new),
                    )
                }
            };
            match result {
                Err(Stop::Lost(_)) => {}
                Err(Stop::Refused(error)) if code == 201 && error.reason() == "AlreadyExists" => {}
                other => {
                    let object = other?;
                    return Ok(Outcome::Reply(
                        self.render_object(call, resource, code, &object)?,
                    ));
                }
            }
        }
    }

    fn merge_config(
        &self,
        call: &Call,
        resource: &Resource,
        live: Option<&Value>,
        config: &Value,
    ) -> ApiResult<Value> {
        let now = self.stamp(call);
        let options = ApplyOptions {
            manager: &call.field_manager,
            force: call.query.flag("force") == Some(true),
            api_version: &resource.api_version,
            kind: &resource.kind,
            subresource: &call.info.subresource,
            now: &now,
            reset: Reset::of_endpoint(&call.info.subresource, resource.status),
            versions: resource.model.versions(),
        };
        managed::apply(resource.model.schema(), live, config, &options)
            .map_err(|error| refusal(&error))
    }

    /// Records who changed what in `managedFields`.
    pub(super) fn track_update(
        &self,
        call: &Call,
        resource: &Resource,
        old: Option<&Value>,
        new: &mut Value,
    ) {
        let now = self.stamp(call);
        let options = UpdateOptions {
            manager: &call.field_manager,
            api_version: &resource.api_version,
            subresource: &call.info.subresource,
            now: &now,
            reset: Reset::of_endpoint(&call.info.subresource, resource.status),
            versions: resource.model.versions(),
        };
        managed::update(resource.model.schema(), old, new, &options);
    }
}

fn check_config_name(name: &str, config: &Value) -> ApiResult<()> {
    match object::meta(config, "name") {
        "" => Ok(()),
        given if given == name => Ok(()),
        given => Err(ApiError::bad_request(format!(
            "the name of the object ({given}) does not match the name on the URL ({name})"
        ))),
    }
}

fn refusal(error: &ApplyError) -> ApiError {
    match error {
        ApplyError::Conflicts(conflicts) => {
            let causes: Vec<Cause> = conflicts
                .iter()
                .map(|c| {
                    Cause::new(
                        "FieldManagerConflict",
                        &c.field,
                        format!("conflict with {}", c.manager),
                    )
                })
                .collect();
            ApiError::apply_conflict(error.to_string(), &causes)
        }
        ApplyError::BadRequest(text) => ApiError::bad_request(text.clone()),
        ApplyError::Internal(text) => ApiError::internal(text.clone()),
    }
}
