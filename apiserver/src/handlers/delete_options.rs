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

/// Reads them, and whether the request is a dry run.
pub(super) fn read(call: &mut Call) -> ApiResult<Options> {
    let asked = if call.body.is_empty() {
        Asked {
            options: Options {
                propagation: Some(call.query.get("propagationPolicy").to_owned())
                    .filter(|policy| !policy.is_empty()),
                grace: call.query.number("gracePeriodSeconds")?,
                ..Options::default()
            },
            orphan: call.query.flag("orphanDependents"),
            dry_run: call
                .query
                .all("dryRun")
                .into_iter()
                .map(str::to_owned)
                .collect(),
        }
    } else {
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
        Asked::of(&body)
    };
    call.dry_run = !asked.dry_run.is_empty();
    asked.checked()
}

/// Those that an eviction carries; a dry run of either is one.
pub(super) fn of_eviction(call: &mut Call, eviction: &Value) -> ApiResult<Options> {
    let asked = Asked::of(&eviction["deleteOptions"]);
    call.dry_run |= !asked.dry_run.is_empty();
    asked.checked()
}

/// What stands in a request, before it is checked.
struct Asked {
    options: Options,
    orphan: Option<bool>,
    dry_run: Vec<String>,
}

impl Asked {
    fn of(body: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Self {
            options: Options {
                uid: text(&body["preconditions"]["uid"]),
                resource_version: text(&body["preconditions"]["resourceVersion"]),
                propagation: text(&body["propagationPolicy"]),
                grace: body["gracePeriodSeconds"].as_i64(),
            },
            orphan: body["orphanDependents"].as_bool(),
            dry_run: body["dryRun"]
                .as_array()
                .map(|list| list.iter().filter_map(text).collect())
                .unwrap_or_default(),
        }
    }

    fn checked(self) -> ApiResult<Options> {
        validate(&self.options, self.orphan, &self.dry_run)?;
        let mut options = self.options;
        if let Some(orphan) = self.orphan {
            options.propagation = Some(if orphan { "Orphan" } else { "Background" }.to_owned());
        }
        Ok(options)
    }
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
