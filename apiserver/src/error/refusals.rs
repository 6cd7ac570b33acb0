//! What the server refuses, code by code, in the words of the real one.

use serde_json::{Map, Value, json};

use super::{ApiError, Cause};

impl ApiError {
    /// 404 in plain text, for paths that the server does not know.
    pub fn page_not_found() -> Self {
        let mut error = Self::new(404, "NotFound", "404 page not found\n");
        error.0.plain = true;
        error
    }

    /// 404 for an unknown resource of a known group version.
    pub fn unknown_resource() -> Self {
        Self::new(
            404,
            "NotFound",
            "the server could not find the requested resource",
        )
        .details(json!({}))
    }

    /// 404 for an object.
    pub fn not_found(group: &str, resource: &str, name: &str) -> Self {
        Self::new(
            404,
            "NotFound",
            format!("{} \"{name}\" not found", qualified(resource, group)),
        )
        .details(details(name, group, resource))
    }

    /// 409 for a name that is taken.
    pub fn already_exists(group: &str, resource: &str, name: &str, terminating: bool) -> Self {
        let head = if terminating {
            "object is being deleted: "
        } else {
            ""
        };
        Self::new(
            409,
            "AlreadyExists",
            format!(
                "{head}{} \"{name}\" already exists",
                qualified(resource, group)
            ),
        )
        .details(details(name, group, resource))
    }

    /// 409 for a lost race or a failed precondition; `why` ends the message.
    pub fn conflict(group: &str, resource: &str, name: &str, why: &str) -> Self {
        Self::new(
            409,
            "Conflict",
            format!(
                "Operation cannot be fulfilled on {} \"{name}\": {why}",
                qualified(resource, group)
            ),
        )
        .details(details(name, group, resource))
    }

    /// 409 for a stale resourceVersion.
    pub fn modified(group: &str, resource: &str, name: &str) -> Self {
        Self::conflict(
            group,
            resource,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// 422 with one or more causes; `kind` is the kind or, in some cases, the resource.
    pub fn invalid(group: &str, kind: &str, name: &str, causes: &[Cause]) -> Self {
        let mut texts: Vec<String> = Vec::new();
        for cause in causes {
            let text = format!("{}: {}", cause.field, cause.message);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let list = if texts.len() == 1 {
            texts.remove(0)
        } else {
            format!("[{}]", texts.join(", "))
        };
        let mut about = details(name, group, kind);
        if let Value::Object(map) = &mut about {
            map.insert(
                "causes".into(),
                causes.iter().map(Cause::to_value).collect(),
            );
        }
        Self::new(
            422,
            "Invalid",
            format!("{} \"{name}\" is invalid: {list}", qualified(kind, group)),
        )
        .details(about)
    }

    /// 409 of server-side apply: conflicting fields as causes.
    pub fn apply_conflict(message: impl Into<String>, causes: &[Cause]) -> Self {
        let causes: Vec<Value> = causes.iter().map(Cause::to_value).collect();
        Self::new(409, "Conflict", message).details(json!({ "causes": causes }))
    }

    /// 400.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 500 without a reason, as plain Go errors appear.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// 422 without details: a patch that cannot be applied.
    pub fn unprocessable() -> Self {
        Self::new(
            422,
            "Invalid",
            "the server rejected our request due to an error in our request",
        )
        .details(json!({}))
    }

    /// 403 of the authorizer or of admission.
    pub fn forbidden(group: &str, resource: &str, name: &str, why: &str) -> Self {
        let what = qualified(resource, group);
        let message = if name.is_empty() {
            format!("{what} is forbidden: {why}")
        } else {
            format!("{what} \"{name}\" is forbidden: {why}")
        };
        Self::new(403, "Forbidden", message).details(details(name, group, resource))
    }

    /// 403 for a path that is not a resource; `tail` ends the message.
    pub(crate) fn forbidden_path(user: &str, verb: &str, path: &str, tail: &str) -> Self {
        Self::new(
            403,
            "Forbidden",
            format!("forbidden: User \"{user}\" cannot {verb} path \"{path}\"{tail}"),
        )
        .details(json!({}))
    }

    /// 403 of admission: the namespace is on its way out.
    pub fn namespace_terminating(group: &str, resource: &str, name: &str, namespace: &str) -> Self {
        let why = format!(
            "unable to create new content in namespace {namespace} because it is being terminated"
        );
        let mut error = Self::forbidden(group, resource, name, &why);
        if let Some(Value::Object(map)) = &mut error.0.details {
            map.insert(
                "causes".into(),
                json!([{
                    "reason": "NamespaceTerminating",
                    "message": format!("namespace {namespace} is being terminated"),
                    "field": "metadata.namespace",
                }]),
            );
        }
        error
    }

    /// 401.
    pub fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// 405.
    pub fn method_not_allowed() -> Self {
        Self::new(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        )
        .details(json!({}))
    }

    /// 405 of a subresource of a custom resource.
    pub(crate) fn unsupported_verb(verb: &str, group: &str, resource: &str) -> Self {
        let what = qualified(resource, group);
        Self::new(
            405,
            "MethodNotAllowed",
            format!("{verb} is not supported on resources of kind \"{what}\""),
        )
        .details(details("", group, resource))
    }

    /// 429 of an eviction that has to wait, and why; `wait` is how many seconds, if that is known.
    pub(crate) fn too_many_requests(message: &str, why: &str, wait: u32) -> Self {
        let mut about = json!({ "causes": [{ "reason": "DisruptionBudget", "message": why }] });
        if wait > 0 {
            about["retryAfterSeconds"] = wait.into();
        }
        let mut error = Self::new(429, "TooManyRequests", message).details(about);
        error.0.retry_after = (wait > 0).then_some(wait);
        error
    }

    /// 413 for a body beyond three megabytes.
    pub fn too_large(limit: usize) -> Self {
        Self::new(
            413,
            "RequestEntityTooLarge",
            format!("Request entity too large: limit is {limit}"),
        )
    }

    /// 410, in a list as well as inside of a watch.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// 504 for a resourceVersion that did not come within three seconds.
    pub fn version_too_large(wanted: u64, current: u64) -> Self {
        let mut error = Self::new(
            504,
            "Timeout",
            format!("Timeout: Too large resource version: {wanted}, current: {current}"),
        )
        .details(json!({
            "causes": [{ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" }],
            "retryAfterSeconds": 1,
        }));
        error.0.retry_after = Some(1);
        error
    }

    /// 501: this server does not do it, and says so.
    pub fn not_implemented(message: impl Into<String>) -> Self {
        Self::new(501, "NotImplemented", message)
    }

    /// A status as a fault injects it, with the reason that belongs to the code.
    pub fn injected(code: u16) -> Self {
        let reason = match code {
            400 => "BadRequest",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "NotFound",
            409 => "Conflict",
            410 => "Expired",
            413 => "RequestEntityTooLarge",
            422 => "Invalid",
            429 => "TooManyRequests",
            500 => "InternalError",
            503 => "ServiceUnavailable",
            504 => "Timeout",
            _ => "",
        };
        let mut error = Self::new(code, reason, "injected fault");
        if matches!(code, 429 | 503 | 504) {
            error = error.again_in(1);
        }
        error
    }

    /// Asks to be left alone for so many seconds.
    pub(crate) fn again_in(mut self, seconds: u32) -> Self {
        self.0.retry_after = Some(seconds);
        self.details(json!({ "retryAfterSeconds": seconds }))
    }

    /// A refusal that came as a `Status` object.
    pub(crate) fn from_status(code: u16, status: &Value) -> Self {
        let reason = match status["reason"].as_str() {
            Some("AlreadyExists") => "AlreadyExists",
            _ => Self::injected(code).0.reason,
        };
        let mut error = Self::new(code, reason, status["message"].as_str().unwrap_or_default());
        error.0.details = status.get("details").cloned();
        error
    }

    /// The refusal of an admission webhook; reason and details are those of its status.
    pub(crate) fn of_webhook(code: u16, status: &Value, message: String) -> Self {
        const REASONS: [&str; 16] = [
            "BadRequest",
            "Unauthorized",
            "Forbidden",
            "NotFound",
            "AlreadyExists",
            "Conflict",
            "Gone",
            "Expired",
            "Invalid",
            "TooManyRequests",
            "InternalError",
            "ServiceUnavailable",
            "Timeout",
            "ServerTimeout",
            "NotAcceptable",
            "MethodNotAllowed",
        ];
        let reason = REASONS
            .into_iter()
            .find(|reason| status["reason"] == **reason)
            .unwrap_or_default();
        let mut error = Self::new(code, reason, message);
        error.0.details = status.get("details").cloned();
        error
    }
}

/// `widgets.example.com`, or `configmaps` for the core group.
pub(crate) fn qualified(resource: &str, group: &str) -> String {
    if group.is_empty() {
        resource.to_owned()
    } else {
        format!("{resource}.{group}")
    }
}

fn details(name: &str, group: &str, kind: &str) -> Value {
    let mut map = Map::new();
    for (key, value) in [("name", name), ("group", group), ("kind", kind)] {
        if !value.is_empty() {
            map.insert(key.into(), value.into());
        }
    }
    Value::Object(map)
}
