//! Admission: mutating webhooks before an object is checked, validating ones before it is stored.

use std::sync::Arc;

use base64::Engine;
use serde_json::{Value, json};

use super::Said;
use super::hook::Hook;
use crate::call::{Call, Handled};
use crate::cluster::Shared;
use crate::error::ApiError;
use crate::object;
use crate::patch;
use crate::resource::Resource;
use crate::store::Stored;

const GROUP: &str = "admissionregistration.k8s.io";
const MUTATING: &str = "mutatingwebhookconfigurations.admissionregistration.k8s.io";
const VALIDATING: &str = "validatingwebhookconfigurations.admissionregistration.k8s.io";

/// What a request is about to do, in the version of the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'a> {
    /// `CREATE`, `UPDATE` or `DELETE`.
    pub(crate) operation: &'static str,
    pub(crate) new: Option<&'a Value>,
    pub(crate) old: Option<&'a Value>,
    /// Revision of what is there, 0 for nothing: the same question on another revision is another one.
    pub(crate) revision: u64,
}

impl Shared {
    fn admission_hooks(&self, call: &Call, resource: &Resource, table: &str) -> Vec<Hook> {
        if call.internal || resource.group == GROUP {
            return Vec::new();
        }
        self.hooks(table)
    }

    /// Whether there is anybody to call.
    pub(crate) fn has_mutating_webhooks(&self, call: &Call, resource: &Resource) -> bool {
        !self.admission_hooks(call, resource, MUTATING).is_empty()
    }

    /// Lets the mutating webhooks change a new object. `None`: none of them did.
    pub(crate) fn mutate(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        change: Change<'_>,
    ) -> Handled<Option<Value>> {
        let hooks = self.admission_hooks(call, resource, MUTATING);
        let mut changed: Option<Value> = None;
        // Per webhook that was called: how many changes there had been once it was done.
        let mut seen: Vec<Option<usize>> = vec![None; hooks.len()];
        let mut changes = 0;
        for pass in 0..2 {
            for (place, hook) in hooks.iter().enumerate() {
                let again = hook.is_reinvoked() && seen[place].is_some_and(|count| count < changes);
                if pass == 1 && !again {
                    continue;
                }
                let now = Change {
                    new: changed.as_ref().or(change.new),
                    ..change
                };
                let Some(version) = self.seen_as(hook, call, resource, &now) else {
                    continue;
                };
                let mutated = self.mutate_once(call, resource, &version, hook, &now, pass)?;
                if let Some(object) = mutated {
                    changes += 1;
                    changed = Some(object);
                }
                seen[place] = Some(changes);
            }
        }
        Ok(changed)
    }

    fn mutate_once(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        version: &Arc<Resource>,
        hook: &Hook,
        change: &Change<'_>,
        pass: usize,
    ) -> Handled<Option<Value>> {
        let label = format!("mutating {pass} {}", hook.place);
        let Some(response) = self.consult(call, resource, version, hook, change, &label)? else {
            return Ok(None);
        };
        let Some(before) = change.new else {
            return Ok(None);
        };
        let invalid = |why: &str| failed(hook, format!("received invalid webhook response: {why}"));
        let kind = response["patchType"].as_str();
        let patch = match (&response["patch"], kind) {
            (Value::Null, None) => return Ok(None),
            (Value::String(text), Some("JSONPatch")) => base64::engine::general_purpose::STANDARD
                .decode(text)
                .ok()
                .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()),
            (Value::Null, Some(_)) => {
                return Err(
                    invalid("webhook returned response.patchType but not response.patch").into(),
                );
            }
            (_, None) => {
                return Err(
                    invalid("webhook returned response.patch but not response.patchType").into(),
                );
            }
            (_, Some(other)) => {
                let why = format!("webhook returned invalid response.patchType of {other:?}");
                return Err(invalid(&why).into());
            }
        };
        let wrong = |why: String| {
            ApiError::new(
                500,
                "InternalError",
                format!("Internal error occurred: {why}"),
            )
        };
        let patch = patch.ok_or_else(|| wrong("Invalid JSON Patch".to_owned()))?;
        let shown = self.convert_for(call, resource, version, before)?;
        let mut object = patch::json::apply(&shown, &patch).map_err(|_| {
            wrong(format!(
                "the patch of admission webhook {:?} does not apply",
                hook.name()
            ))
        })?;
        version.model.decode(&mut object).map_err(wrong)?;
        let mut object = self.convert_for(call, version, resource, &object)?;
        resource.model.default(&mut object);
        Ok((object != *before).then_some(object))
    }

    /// Lets the validating webhooks refuse a change. All are asked; the first refusal counts.
    pub(crate) fn vet(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        change: Change<'_>,
    ) -> Handled<()> {
        for hook in self.admission_hooks(call, resource, VALIDATING) {
            let Some(version) = self.seen_as(&hook, call, resource, &change) else {
                continue;
            };
            let label = format!("validating {}", hook.place);
            self.consult(call, resource, &version, &hook, &change, &label)?;
        }
        Ok(())
    }

    /// Both kinds on a deletion, which has nothing to mutate.
    pub(crate) fn vet_deletion(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        old: &Stored,
    ) -> Handled<()> {
        if [MUTATING, VALIDATING]
            .into_iter()
            .all(|table| self.admission_hooks(call, resource, table).is_empty())
        {
            return Ok(());
        }
        let shown = self.present(call, resource, &old.object)?.value();
        let change = Change {
            operation: "DELETE",
            new: None,
            old: Some(&shown),
            revision: old.revision,
        };
        self.mutate(call, resource, change)?;
        self.vet(call, resource, change)
    }

    /// The response of a webhook that allows the change; `None` if it could not be called and that does not matter.
    fn consult(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        version: &Arc<Resource>,
        hook: &Hook,
        change: &Change<'_>,
        label: &str,
    ) -> Handled<Option<Value>> {
        if matches!(
            call.info.subresource.as_str(),
            "scale" | "eviction" | "binding"
        ) {
            return Err(ApiError::not_implemented(format!(
                "this server does not send {}/{} to admission webhooks, and {:?} wants to see it",
                resource.plural,
                call.info.subresource,
                hook.name()
            ))
            .into());
        }
        let shown = change.new.or(change.old).unwrap_or(&Value::Null);
        let (space, name) = (
            object::meta(shown, "namespace"),
            object::meta(shown, "name"),
        );
        let key = format!("{label} {space}/{name} {}", change.revision);
        let said = if call.knows(&key) {
            self.ask(call, key, |_| unreachable!("it is known"))?
        } else {
            let mut versions = [Value::Null, Value::Null];
            for (place, object) in [change.new, change.old].into_iter().enumerate() {
                if let Some(object) = object {
                    versions[place] = self.convert_for(call, resource, version, object)?;
                }
            }
            let request = request(call, resource, version, change, versions);
            let met = hook.is_met(&request).map_err(|why| {
                ApiError::not_implemented(format!(
                    "this server cannot evaluate what admission webhook {:?} asks for: {why}",
                    hook.name()
                ))
            })?;
            if !met {
                return Ok(None);
            }
            if call.dry_run && !hook.takes_dry_runs() {
                let why = format!(
                    "admission webhook {:?} does not support dry run",
                    hook.name()
                );
                return Err(ApiError::bad_request(why).into());
            }
            let review = json!({
                "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request,
            });
            self.ask(call, key, |key| {
                self.question(key, hook.client_config(), hook.timeout(), review)
            })?
        };
        verdict(call, hook, said)
    }

    /// An object in another version of its resource.
    fn convert_for(
        &self,
        call: &mut Call,
        from: &Arc<Resource>,
        to: &Arc<Resource>,
        object: &Value,
    ) -> Handled<Value> {
        if from.api_version == to.api_version {
            return Ok(object.clone());
        }
        let mut stored = object.clone();
        self.store_as(call, from, &mut stored)?;
        Ok(self.present(call, to, &stored.into())?.to_value())
    }
}

/// The `request` of the review.
fn request(
    call: &Call,
    resource: &Resource,
    version: &Resource,
    change: &Change<'_>,
    [new, old]: [Value; 2],
) -> Value {
    let kind = |of: &Resource| json!({ "group": of.group, "version": of.version, "kind": of.kind });
    let place =
        |of: &Resource| json!({ "group": of.group, "version": of.version, "resource": of.plural });
    let shown = if new.is_null() { &old } else { &new };
    let name = object::meta(shown, "name");
    let namespace = match object::meta(shown, "namespace") {
        "" if resource.kind == "Namespace" && !resource.is_custom() => name,
        namespace => namespace,
    };
    let mut options = json!({ "apiVersion": "meta.k8s.io/v1" });
    options["kind"] = match (change.operation, call.method.as_str()) {
        ("DELETE", _) => "DeleteOptions",
        (_, "PATCH") => "PatchOptions",
        ("UPDATE", _) => "UpdateOptions",
        _ => "CreateOptions",
    }
    .into();
    for field in ["fieldManager", "fieldValidation"] {
        let value = call.query.get(field);
        if !value.is_empty() {
            options[field] = value.into();
        }
    }
    let mut request = json!({
        "kind": kind(version), "resource": place(version),
        "requestKind": kind(resource), "requestResource": place(resource),
        "operation": change.operation,
        "userInfo": { "username": call.user.name, "groups": call.user.groups },
        "object": new, "oldObject": old, "dryRun": call.dry_run, "options": options,
    });
    let optional = [
        ("name", name),
        ("namespace", namespace),
        ("subResource", &call.info.subresource),
        ("requestSubResource", &call.info.subresource),
    ];
    for (field, value) in optional {
        if !value.is_empty() {
            request[field] = value.into();
        }
    }
    if !call.user.uid.is_empty() {
        request["userInfo"]["uid"] = call.user.uid.clone().into();
    }
    request
}

fn failed(hook: &Hook, why: String) -> ApiError {
    let why = format!("failed calling webhook {:?}: {why}", hook.name());
    ApiError::new(
        500,
        "InternalError",
        format!("Internal error occurred: {why}"),
    )
}

/// What follows from the answer of a webhook.
fn verdict(call: &mut Call, hook: &Hook, said: Said) -> Handled<Option<Value>> {
    let response = match said {
        Ok(response) => response,
        Err(_) if hook.ignores_failure() => return Ok(None),
        Err(why) => return Err(failed(hook, why).into()),
    };
    for warning in response["warnings"].as_array().into_iter().flatten() {
        call.warn(warning.as_str().unwrap_or_default());
    }
    if response["allowed"] == true {
        return Ok(Some(response));
    }
    let status = &response["status"];
    let code = status["code"]
        .as_u64()
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| *code >= 400)
        .unwrap_or(400);
    let text = |field: &str| status[field].as_str().filter(|text| !text.is_empty());
    let why = match text("message").or_else(|| text("reason")) {
        Some(why) => format!(": {why}"),
        None => " without explanation".to_owned(),
    };
    let message = format!(
        "admission webhook {:?} denied the request{why}",
        hook.name()
    );
    Err(ApiError::of_webhook(code, status, message).into())
}
