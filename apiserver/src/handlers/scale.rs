//! The scale subresource.

use std::sync::Arc;

use serde_json::{Value, json};

use super::prepare::Part;
use super::update::Via;
use super::{decode, patch};
use crate::call::{Call, Handled, Outcome, Reply, Stop};
use crate::cluster::Shared;
use crate::error::{ApiError, Cause};
use crate::object;
use crate::resource::{Resource, ScalePaths};

impl Shared {
    pub(super) fn scale(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        let Some(paths) = resource.scale.clone() else {
            return Err(resource.not_found(&call.info.name).into());
        };
        let key = resource.key(&call.info.namespace, &call.info.name);
        match call.method.as_str() {
            "GET" => {
                let found = self
                    .store
                    .get(&resource.table, &key)
                    .ok_or_else(|| resource.not_found(&call.info.name))?;
                Ok(Outcome::Reply(Reply::json(
                    200,
                    &shown(
                        &paths,
                        &self.present(call, resource, &found.object)?.value(),
                    ),
                )))
            }
            "PUT" | "PATCH" => self.change_scale(call, resource, &paths, &key),
            _ => Err(ApiError::method_not_allowed().into()),
        }
    }

    fn change_scale(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        paths: &ScalePaths,
        key: &str,
    ) -> Handled {
        let put = call.method == "PUT";
        let patch = if put {
            None
        } else {
            Some(patch::read(call, !resource.is_custom())?)
        };
        call.write_options(if put { "UpdateOptions" } else { "PatchOptions" })?;
        loop {
            let Some(old) = self.store.get(&resource.table, key) else {
                return Err(resource.not_found(&call.info.name).into());
            };
            let object = self.present(call, resource, &old.object)?.value();
            let scale = shown(paths, &object);
            let wanted = match &patch {
                Some(patch) => patch::run(resource, patch.clone(), scale)?,
                None => decode::json_value(&call.body).map_err(ApiError::bad_request)?,
            };
            if wanted["kind"] != "Scale" {
                return Err(ApiError::bad_request(format!(
                    "wrong object passed to Scale update: {}",
                    wanted["kind"]
                ))
                .into());
            }
            let version = object::meta(&wanted, "resourceVersion");
            if !version.is_empty() && version != old.revision.to_string() {
                return Err(resource.modified(&call.info.name).into());
            }
            let replicas = wanted["spec"]["replicas"].as_i64().unwrap_or(0);
            let mut new = (*object).clone();
            set(&mut new, &paths.spec, replicas.into());
            if replicas < 0 {
                return Err(self.negative(resource, &object, &new, replicas).into());
            }
            match self.replace(call, resource, Part::Main, Via::Patch, key, &old, new) {
                Err(Stop::Lost(_)) => {}
                other => {
                    let object = other?;
                    return Ok(Outcome::Reply(Reply::json(
                        200,
                        &shown(paths, &object.value()),
                    )));
                }
            }
        }
    }

    fn negative(&self, resource: &Resource, old: &Value, new: &Value, replicas: i64) -> ApiError {
        let why = "should be a non-negative integer";
        let mut causes = vec![Cause::invalid(".spec.replicas", &replicas.into(), why)];
        causes.extend(resource.model.validate(new, Some(old), ""));
        resource.invalid(object::meta(new, "name"), &causes)
    }
}

fn at<'a>(object: &'a Value, path: &str) -> &'a Value {
    path.trim_start_matches('.')
        .split('.')
        .fold(object, |value, segment| &value[segment])
}

fn set(object: &mut Value, path: &str, value: Value) {
    let mut target = object;
    for segment in path.trim_start_matches('.').split('.') {
        target = object::top(target).entry(segment).or_insert(Value::Null);
    }
    *target = value;
}

/// The Scale of an object.
fn shown(paths: &ScalePaths, object: &Value) -> Value {
    let mut metadata = serde_json::Map::new();
    for field in [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    ] {
        if let Some(value) = object["metadata"].get(field) {
            metadata.insert(field.into(), value.clone());
        }
    }
    let mut spec = json!({});
    if let Some(replicas) = at(object, &paths.spec).as_i64().filter(|n| *n != 0) {
        spec["replicas"] = replicas.into();
    }
    let mut status = json!({ "replicas": at(object, &paths.status).as_i64().unwrap_or(0) });
    if let Some(path) = &paths.selector {
        let selector = match at(object, path) {
            Value::String(text) => text.clone(),
            Value::Object(_) => labels(at(object, path)),
            _ => String::new(),
        };
        if !selector.is_empty() {
            status["selector"] = selector.into();
        }
    }
    json!({ "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec, "status": status })
}

/// A label selector object as text.
fn labels(selector: &Value) -> String {
    let list = |value: &Value| -> Vec<String> {
        value
            .as_array()
            .map(|values| {
                values
                    .iter()
                    .filter_map(|v| v.as_str().map(str::to_owned))
                    .collect()
            })
            .unwrap_or_default()
    };
    let mut parts: Vec<String> = selector["matchLabels"]
        .as_object()
        .map(|map| {
            map.iter()
                .map(|(k, v)| format!("{k}={}", v.as_str().unwrap_or_default()))
                .collect()
        })
        .unwrap_or_default();
    for rule in selector["matchExpressions"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let key = rule["key"].as_str().unwrap_or_default();
        let values = list(&rule["values"]).join(",");
        parts.push(match rule["operator"].as_str() {
            Some("In") => format!("{key} in ({values})"),
            Some("NotIn") => format!("{key} notin ({values})"),
            Some("Exists") => key.to_owned(),
            _ => format!("!{key}"),
        });
    }
    parts.join(",")
}
