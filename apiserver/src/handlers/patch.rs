//! PATCH by JSON patch, merge patch and strategic merge patch.

use std::sync::Arc;

use serde_json::Value;

use super::prepare::Part;
use super::update::{self, Via};
use super::{create, decode};
use crate::call::{Call, FieldValidation, Handled, Outcome, Stop};
use crate::cluster::Shared;
use crate::error::{ApiError, ApiResult, Cause};
use crate::json;
use crate::patch::json::{MAX_OPERATIONS, Operation};
use crate::patch::{self, PatchError};
use crate::resource::Resource;

/// A patch that has been read.
#[derive(Clone)]
pub(super) enum Patch {
    Json(Vec<Operation>),
    Merge(Value),
    Strategic(Value),
    Apply(Value),
}

impl Shared {
    pub(super) fn patch(&self, call: &mut Call, resource: &Arc<Resource>, part: Part) -> Handled {
        let patch = read(call, !resource.is_custom())?;
        call.write_options("PatchOptions")?;
        let mut patch = match patch {
            Patch::Apply(config) => return self.apply(call, resource, part, config),
            patch => patch,
        };
        let key = resource.key(&call.info.namespace, &call.info.name);
        loop {
            let Some(old) = self.store.get(&resource.table, &key) else {
                return Err(resource.not_found(&call.info.name).into());
            };
            let shown = self.present(call, resource, &old.object)?.to_value();
            let patched = run(resource, patch, shown)?;
            let mut new = typed(call, resource, patched)?;
            update::check_name(call, &new)?;
            create::check_namespace(call, resource, &mut new)?;
            match self.replace(call, resource, part, Via::Patch, &key, &old, new) {
                Err(stop) if update::is_gone(&stop) => {
                    return Err(resource.not_found(&call.info.name).into());
                }
                // Somebody was faster: once more on what is there now.
                Err(Stop::Lost(_)) => patch = read(call, !resource.is_custom())?,
                other => {
                    let object = other?;
                    return Ok(Outcome::Reply(
                        self.render_object(call, resource, 200, &object)?,
                    ));
                }
            }
        }
    }
}

/// Reads the patch by its media type.
pub(super) fn read(call: &Call, strategic: bool) -> ApiResult<Patch> {
    if call.info.name.is_empty() {
        return Err(ApiError::bad_request("name must be provided"));
    }
    let kind = call.content_type().to_owned();
    let known = match kind.as_str() {
        "application/json-patch+json"
        | "application/merge-patch+json"
        | "application/apply-patch+yaml" => true,
        "application/strategic-merge-patch+json" => strategic,
        _ => false,
    };
    if !known {
        let list = if strategic {
            "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml"
        } else {
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
        };
        return Err(ApiError::new(
            415,
            "UnsupportedMediaType",
            format!(
                "the body of the request was in an unknown format - accepted media types include: {list}"
            ),
        ));
    }
    if kind == "application/apply-patch+yaml" {
        let text = String::from_utf8_lossy(&call.body);
        let config = serde_json::from_slice(&call.body)
            .or_else(|_| serde_saphyr::from_str::<Value>(&text))
            .map_err(|_| {
                ApiError::bad_request(
                    "error decoding YAML: error converting YAML to JSON: yaml: line 1: did not find expected node content",
                )
            })?;
        return Ok(Patch::Apply(config));
    }
    if kind == "application/json-patch+json" {
        return Ok(Patch::Json(operations(&call.body)?));
    }
    let value = document(&call.body)?;
    patch::merge::check(&value).map_err(|e| refusal(&e))?;
    Ok(if kind == "application/merge-patch+json" {
        Patch::Merge(value)
    } else {
        Patch::Strategic(value)
    })
}

fn operations(body: &[u8]) -> ApiResult<Vec<Operation>> {
    match json::read::<Vec<Operation>>(body) {
        Ok(list) if list.len() <= MAX_OPERATIONS => Ok(list),
        _ => Operation::list(document(body)?).map_err(|e| refusal(&e)),
    }
}

fn document(body: &[u8]) -> ApiResult<Value> {
    decode::json_value(body)
        .map_err(|error| ApiError::bad_request(format!("error decoding patch: {error}")))
}

pub(super) fn refusal(error: &PatchError) -> ApiError {
    match error {
        PatchError::BadRequest(text) => ApiError::bad_request(text.clone()),
        PatchError::Unprocessable(_) => ApiError::unprocessable(),
        PatchError::TooLarge(text) => ApiError::new(413, "RequestEntityTooLarge", text.clone()),
        PatchError::Internal(text) => ApiError::internal(text.clone()),
    }
}

/// The patched object, not yet checked.
pub(super) fn run(resource: &Resource, patch: Patch, mut shown: Value) -> ApiResult<Value> {
    match patch {
        Patch::Json(ops) => patch::json::run(shown, ops).map_err(|e| refusal(&e)),
        Patch::Merge(patch) | Patch::Apply(patch) => {
            patch::merge::merge(&mut shown, patch);
            Ok(shown)
        }
        Patch::Strategic(patch) => patch::strategic::apply(resource.model.schema(), &shown, &patch)
            .map_err(|e| refusal(&e)),
    }
}

/// Reads the patched object as one of the resource. What does not fit is blamed on the patch.
fn typed(call: &mut Call, resource: &Resource, mut value: Value) -> ApiResult<Value> {
    let expected = resource.api_version.as_str();
    let name = call.info.name.clone();
    if value["apiVersion"] != *expected {
        let given = value["apiVersion"].clone();
        call.warn_unknown_version(&value);
        let cause = Cause::invalid("apiVersion", &given, &format!("must be {expected}"));
        return Err(resource.invalid(&name, &[cause]));
    }
    if value["kind"] != *resource.kind {
        let kind = value["kind"].as_str().unwrap_or_default().to_owned();
        let cause = Cause::invalid(
            "kind",
            &value["kind"],
            &format!("must be {}", resource.kind),
        );
        return Err(ApiError::invalid(&resource.group, &kind, &name, &[cause]));
    }
    let unknown = resource
        .model
        .decode(&mut value)
        .map_err(|why| blame(call, &why))?;
    if !unknown.is_empty() {
        if call.field_validation() == FieldValidation::Strict {
            let list = decode::unknown_fields(unknown).join(", ");
            return Err(blame(call, &format!("strict decoding error: {list}")));
        }
        decode::report(call, resource, decode::unknown_fields(unknown))?;
    }
    resource.model.default(&mut value);
    Ok(value)
}

fn blame(call: &Call, why: &str) -> ApiError {
    let patch = json::read(&call.body).unwrap_or(Value::Null);
    let shown = match call.content_type() {
        "application/json-patch+json" => patch.to_string(),
        _ => go_format(&patch),
    };
    ApiError::invalid("", "", "", &[Cause::invalid("patch", &shown.into(), why)])
}

/// A value as Go's `%+v` prints it.
fn go_format(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(go_format).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(map) => {
            let mut items: Vec<String> = map
                .iter()
                .map(|(k, v)| format!("{k}:{}", go_format(v)))
                .collect();
            items.sort();
            format!("map[{}]", items.join(" "))
        }
        other => other.to_string(),
    }
}

impl Call {
    /// Fields under an `apiVersion` without a schema are all unknown.
    pub(super) fn warn_unknown_version(&mut self, value: &Value) {
        let known = ["apiVersion", "kind", "metadata"];
        let fields: Vec<String> = value
            .as_object()
            .map(|map| {
                map.keys()
                    .filter(|k| !known.contains(&k.as_str()))
                    .cloned()
                    .collect()
            })
            .unwrap_or_default();
        for field in fields {
            self.warn(format!("unknown field \"{field}\""));
        }
    }
}
