//! What a request is: whether it writes, whether it streams, and when it may be sent again.

use http::{Method, Request, StatusCode, header::CONTENT_TYPE};
use kube::client::Body;

/// What became of an attempt, as far as repeating it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// 429: the server did not begin.
    Refused,
    /// 500, 502, 503, 504, or no answer: it may have been done.
    Unclear,
}

impl Failure {
    pub(super) fn of(status: StatusCode) -> Option<Self> {
        match status.as_u16() {
            429 => Some(Self::Refused),
            // 500 is left to the caller: it is an answer, and mostly the same one again.
            502..=504 => Some(Self::Unclear),
            _ => None,
        }
    }
}

/// The shape of a request.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) writes: bool,
    /// The answer has no end of its own: a watch, a followed log.
    pub(super) streams: bool,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Put,
    Apply,
    /// A JSON, merge or strategic patch, or a delete: what it does the second time may differ.
    Change,
    Create,
}

impl Shape {
    pub(super) fn of(request: &Request<Body>) -> Self {
        let kind = match *request.method() {
            Method::GET | Method::HEAD | Method::OPTIONS => Kind::Read,
            Method::PUT => Kind::Put,
            Method::PATCH if is_apply(request) => Kind::Apply,
            Method::PATCH | Method::DELETE => Kind::Change,
            _ => Kind::Create,
        };
        Self {
            method: name(request.method()),
            path: request.uri().path().to_owned(),
            writes: kind != Kind::Read,
            streams: kind == Kind::Read && asks_for_stream(request.uri().query().unwrap_or("")),
            kind,
        }
    }

    /// Whether it may be sent again after such a failure.
    pub(super) fn may_repeat(&self, failure: Failure, request: &Request<Body>) -> bool {
        match (self.kind, failure) {
            // A create is never repeated: its answer, AlreadyExists included, is the caller's to understand.
            (Kind::Create, _) | (Kind::Change, Failure::Unclear) => false,
            (Kind::Read | Kind::Apply, _) | (Kind::Put | Kind::Change, Failure::Refused) => true,
            // The second one is a 409 if the first was done; without a version it would undo what came between.
            (Kind::Put, Failure::Unclear) => has_version(request),
        }
    }
}

fn is_apply(request: &Request<Body>) -> bool {
    request
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/apply-patch"))
}

fn asks_for_stream(query: &str) -> bool {
    query.split('&').any(|pair| {
        matches!(
            pair,
            "watch=true" | "watch=1" | "watch" | "follow=true" | "follow=1"
        )
    })
}

/// Whether the body is an object with a resourceVersion: then the server compares.
fn has_version(request: &Request<Body>) -> bool {
    #[derive(serde::Deserialize)]
    struct Meta {
        #[serde(rename = "resourceVersion", default)]
        version: String,
    }
    #[derive(serde::Deserialize)]
    struct Object {
        metadata: Meta,
    }
    // Request bodies are one buffer, so collecting a clone of it is done at the first poll.
    request
        .body()
        .try_clone()
        .and_then(|body| futures::FutureExt::now_or_never(body.collect_bytes()))
        .and_then(Result::ok)
        .and_then(|bytes| serde_json::from_slice::<Object>(&bytes).ok())
        .is_some_and(|object| !object.metadata.version.is_empty())
}

fn name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "OTHER",
    }
}
