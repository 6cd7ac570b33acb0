//! One request on its way through the server, and what comes out of it.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use jiff::Timestamp;
use serde_json::Value;

use crate::auth::User;
use crate::error::{ApiError, ApiResult, Cause};
use crate::fault::Armed;
use crate::query::Query;
use crate::request::RequestInfo;
use crate::store::Lost;
use crate::watch::WatchPlan;
use crate::webhook::{Answers, Question};

/// A request and what is learned while it is handled.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) info: RequestInfo,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) user: Arc<User>,
    pub(crate) faults: Vec<Arc<Armed>>,
    pub(crate) warnings: Vec<String>,
    /// Revisions that this request made.
    pub(crate) revisions: u32,
    pub(crate) dry_run: bool,
    pub(crate) field_manager: String,
    /// Name of the object that a create made.
    pub(crate) made: Option<String>,
    /// Whether the cluster itself asks: past faults, hooks and counters.
    pub(crate) internal: bool,
    /// What webhooks have answered.
    pub(crate) answers: Answers,
    /// Uid and suffix of the name of a new object: the same if the handler runs again.
    pub(crate) drawn: Option<(String, String)>,
    /// The time of the request: it stands still while webhooks are asked.
    pub(crate) time: Option<Timestamp>,
}

impl Call {
    /// A request of the cluster itself, with all rights.
    pub(crate) fn internal(
        method: &str,
        path: &str,
        content_type: &'static str,
        body: Bytes,
    ) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(
            http::header::CONTENT_TYPE,
            http::HeaderValue::from_static(content_type),
        );
        headers.insert(
            http::header::USER_AGENT,
            http::HeaderValue::from_static("cluster"),
        );
        let query = Query::default();
        Self {
            method: method.to_owned(),
            info: RequestInfo::parse(method, path, &query),
            query,
            headers,
            body,
            user: User::admin(),
            faults: Vec::new(),
            warnings: Vec::new(),
            revisions: 0,
            dry_run: false,
            field_manager: String::new(),
            made: None,
            internal: true,
            answers: Answers::default(),
            drawn: None,
            time: None,
        }
    }

    pub(crate) fn header(&self, name: http::header::HeaderName) -> &str {
        self.headers
            .get(name)
            .and_then(|v| v.to_str().ok())
            .unwrap_or_default()
    }

    /// Turns a protobuf body into the JSON that the handlers read.
    pub(crate) fn read_protobuf(&mut self) -> ApiResult<()> {
        if self.content_type() != "application/vnd.kubernetes.protobuf" || self.body.is_empty() {
            return Ok(());
        }
        let object = crate::protobuf::decode(&self.body).ok_or_else(|| {
            ApiError::not_implemented(
                "this server reads protobuf bodies of a few kinds only; send this one as JSON",
            )
        })?;
        self.body = object.to_string().into();
        let json = http::HeaderValue::from_static("application/json");
        self.headers.insert(http::header::CONTENT_TYPE, json);
        Ok(())
    }

    /// Media type of the body, without parameters.
    pub(crate) fn content_type(&self) -> &str {
        let value = self.header(http::header::CONTENT_TYPE);
        value.split(';').next().unwrap_or_default().trim()
    }

    pub(crate) fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Reads and checks `dryRun`, `fieldManager`, `fieldValidation` and `force` of a writing request.
    pub(crate) fn write_options(&mut self, kind: &str) -> ApiResult<()> {
        let mut causes = Vec::new();
        let dry_run = self.query.all("dryRun");
        if dry_run.iter().any(|value| *value != "All") {
            causes.push(Cause::unsupported(
                "dryRun",
                &Value::from(dry_run.clone()),
                &["All"],
            ));
        }
        let manager = self.query.get("fieldManager");
        if manager.len() > 128 {
            causes.push(Cause::new(
                "FieldValueTooLong",
                "fieldManager",
                "Too long: may not be more than 128 bytes",
            ));
        }
        let hidden = manager
            .char_indices()
            .find(|(_, letter)| letter.is_control());
        if let Some((place, letter)) = hidden {
            let why = format!(
                "invalid character U+{:04X} (at position {place})",
                u32::from(letter)
            );
            causes.push(Cause::invalid("fieldManager", &manager.into(), &why));
        }
        let apply = kind == "PatchOptions" && self.content_type() == "application/apply-patch+yaml";
        if kind == "PatchOptions" {
            if apply && manager.is_empty() {
                causes.push(Cause::required(
                    "fieldManager",
                    "is required for apply patch",
                ));
            }
            if !apply && self.query.has("force") {
                causes.push(Cause::forbidden(
                    "force",
                    "may not be specified for non-apply patch",
                ));
            }
        }
        let validation = self.query.get("fieldValidation");
        if !matches!(validation, "" | "Ignore" | "Warn" | "Strict") {
            causes.push(Cause::unsupported(
                "fieldValidation",
                &validation.into(),
                &["", "Ignore", "Strict", "Warn"],
            ));
        }
        if !causes.is_empty() {
            return Err(ApiError::invalid("meta.k8s.io", kind, "", &causes));
        }
        self.dry_run = !dry_run.is_empty();
        self.field_manager = self.manager();
        Ok(())
    }

    /// The field manager, or what the user agent calls itself.
    fn manager(&self) -> String {
        let named = self.query.get("fieldManager");
        if !named.is_empty() {
            return named.to_owned();
        }
        let agent = self.header(http::header::USER_AGENT);
        let agent: String = agent
            .split('/')
            .next()
            .unwrap_or_default()
            .chars()
            .take(128)
            .collect();
        if agent.is_empty() {
            "unknown".to_owned()
        } else {
            agent
        }
    }

    /// How unknown fields are to be treated.
    pub(crate) fn field_validation(&self) -> FieldValidation {
        match self.query.get("fieldValidation") {
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            _ => FieldValidation::Warn,
        }
    }
}

/// `fieldValidation` of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    Ignore,
    Warn,
    Strict,
}

/// Why a handler does not answer with a result.
#[derive(Debug)]
pub(crate) enum Stop {
    Refused(ApiError),
    /// A webhook has to be asked before the handler runs once more.
    Ask(Box<Question>),
    /// The write hook holds the client for ever.
    Hung,
    /// The answer has to wait for this revision.
    Await(u64),
    /// Another write came first.
    Lost(Lost),
}

impl From<ApiError> for Stop {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

/// The result of a handler.
pub(crate) type Handled<T = Outcome> = Result<T, Stop>;

/// What a handled request is answered with.
pub(crate) enum Outcome {
    Reply(Reply),
    Watch(Box<WatchPlan>),
}

/// A complete answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) code: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: Bytes,
    pub(crate) retry_after: Option<u32>,
}

impl Reply {
    pub(crate) fn json(code: u16, body: &impl serde::Serialize) -> Self {
        Self {
            code,
            content_type: "application/json",
            // Serialising plain JSON values into memory cannot fail.
            body: serde_json::to_vec(body).unwrap_or_default().into(),
            retry_after: None,
        }
    }

    /// An answer that is JSON already.
    pub(crate) fn json_text(code: u16, body: Bytes) -> Self {
        Self {
            code,
            content_type: "application/json",
            body,
            retry_after: None,
        }
    }

    pub(crate) fn text(code: u16, body: impl Into<Bytes>) -> Self {
        Self {
            code,
            content_type: "text/plain; charset=utf-8",
            body: body.into(),
            retry_after: None,
        }
    }

    /// Turns JSON into YAML.
    pub(crate) fn make_yaml(&mut self) {
        if self.content_type != "application/json" {
            return;
        }
        let Ok(value) = serde_json::from_slice::<Value>(&self.body) else {
            return;
        };
        if let Ok(text) = serde_saphyr::to_string(&value) {
            self.body = text.into();
            self.content_type = "application/yaml";
        }
    }

    pub(crate) fn refusal(error: &ApiError) -> Self {
        if error.is_plain() {
            return Self::text(error.code(), error.message().to_owned());
        }
        Self {
            retry_after: error.retry_after(),
            ..Self::json(error.code(), &error.to_value())
        }
    }
}
