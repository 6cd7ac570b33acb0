//! DeleteOptions, from the body of a request or its query.

use serde_json::Value;

use super::decode;
use crate::call::Call;
use crate::error::{ApiError, ApiResult, Cause};

/// DeleteOptions, from the body or else from the query.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) uid: Option<String>,
    pub(super) resource_version: Option<String>,
    pub(super) propagation: Option<String>,
    pub(super) grace: Option<i64>,
}

pub(super) fn read(call: &mut Call) -> ApiResult<Options> {
    let mut options = Options::default();
    let mut orphan = None;
    let dry_run: Vec<String>;
    if call.body.is_empty() {
        options.propagation =
            Some(call.query.get("propagationPolicy").to_owned()).filter(|p| !p.is_empty());
        options.grace = call.query.number("gracePeriodSeconds")?;
        orphan = call.query.flag("orphanDependents");
        dry_run = call
            .query
            .all("dryRun")
            .into_iter()
            .map(str::to_owned)
            .collect();
    } else {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let body = decode::json_value(&call.body).map_err(|error| {
            ApiError::bad_request(format!(
                "couldn't get version/kind; json parse error: {error}"
            ))
        })?;
        let kind = body["kind"].as_str().unwrap_or("DeleteOptions");
        if kind != "DeleteOptions" || !body.is_object() {
            return Err(ApiError::bad_request(format!(
                "decoded object cannot be converted to DeleteOptions: it is a {kind}"
            )));
        }
        options.uid = text(&body["preconditions"]["uid"]);
        options.resource_version = text(&body["preconditions"]["resourceVersion"]);
        options.propagation = text(&body["propagationPolicy"]);
        options.grace = body["gracePeriodSeconds"].as_i64();
        if body["orphanDependents"].is_boolean() {
            orphan = body["orphanDependents"].as_bool();
        }
        dry_run = body["dryRun"]
            .as_array()
            .map(|list| list.iter().filter_map(&text).collect())
            .unwrap_or_default();
    }
    validate(&options, orphan, &dry_run)?;
    if let Some(orphan) = orphan {
        options.propagation = Some(if orphan { "Orphan" } else { "Background" }.to_owned());
    }
    call.dry_run = !dry_run.is_empty();
    Ok(options)
}

fn validate(options: &Options, orphan: Option<bool>, dry_run: &[String]) -> ApiResult<()> {
    let mut causes = Vec::new();
    if let Some(policy) = &options.propagation {
        let value = policy.as_str().into();
        if orphan.is_some() {
            causes.push(Cause::invalid(
                "propagationPolicy",
                &value,
                "orphanDependents and deletionPropagation cannot be both set",
            ));
        } else if !matches!(policy.as_str(), "Foreground" | "Background" | "Orphan") {
            causes.push(Cause::unsupported(
                "propagationPolicy",
                &value,
                &["Foreground", "Background", "Orphan", "nil"],
            ));
        }
    }
    if dry_run.iter().any(|value| value != "All") {
        causes.push(Cause::unsupported(
            "dryRun",
            &Value::from(dry_run.to_vec()),
            &["All"],
        ));
    }
    if causes.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid(
        "meta.k8s.io",
        "DeleteOptions",
        "",
        &causes,
    ))
}
