//! From a request to an answer, without a socket.

use std::panic::{AssertUnwindSafe, catch_unwind};

use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
};
use serde::Serialize;

use super::{ProbeSource, page};
use crate::metrics;

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";

const LIVEZ: &str = "/livez";
const READYZ: &str = "/readyz";
const METRICS: &str = "/metrics";
const RECONCILES: &str = "/debug/reconciles";
const GRAPH: &str = "/debug/graph";

/// Every path that is served, and what it answers.
pub const ENDPOINTS: [(&str, &str); 5] = [
    (
        LIVEZ,
        "200 while the scheduler beats, else 503 with the reasons",
    ),
    (
        READYZ,
        "200 once caches are synced and CRDs served, else 503 with the reasons",
    ),
    (METRICS, "OpenMetrics text"),
    (
        RECONCILES,
        "every object in flight, waiting or backing off: phase, since when, why, and when it is due next; JSON, or a page for a browser",
    ),
    (GRAPH, "the phase machines; JSON, or a page for a browser"),
];

/// The answer to a request. A source that panics is a 500, not the end of the server.
#[must_use]
pub fn respond<B>(source: &dyn ProbeSource, request: &Request<B>) -> Response<String> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut refused = answer(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET and HEAD\n");
        refused
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    let path = request.uri().path();
    let html = wants_html(request);
    catch_unwind(AssertUnwindSafe(|| route(source, path, html))).unwrap_or_else(|_| {
        answer(
            StatusCode::INTERNAL_SERVER_ERROR,
            TEXT,
            "the operator could not say; its log has the panic\n",
        )
    })
}

fn route(source: &dyn ProbeSource, path: &str, html: bool) -> Response<String> {
    match path {
        LIVEZ => check(source.live()),
        READYZ => check(source.ready()),
        METRICS => answer(StatusCode::OK, metrics::CONTENT_TYPE, source.metrics()),
        RECONCILES => {
            let mut views = source.reconciles();
            views.sort_by(|a, b| {
                (a.since, &a.kind, &a.namespace, &a.name).cmp(&(
                    b.since,
                    &b.kind,
                    &b.namespace,
                    &b.name,
                ))
            });
            if html {
                answer(StatusCode::OK, HTML, page::reconciles(&views, source.now()))
            } else {
                json(&views)
            }
        }
        GRAPH => {
            let graphs = source.graphs();
            if html {
                answer(StatusCode::OK, HTML, page::graphs(&graphs))
            } else {
                json(&graphs)
            }
        }
        "/" | "/debug" | "/debug/" => answer(StatusCode::OK, HTML, page::index()),
        _ => answer(
            StatusCode::NOT_FOUND,
            TEXT,
            format!("there are {}\n", ENDPOINTS.map(|(path, _)| path).join(", ")),
        ),
    }
}

fn check(result: Result<(), Vec<String>>) -> Response<String> {
    match result {
        Ok(()) => answer(StatusCode::OK, TEXT, "ok\n"),
        Err(reasons) => answer(
            StatusCode::SERVICE_UNAVAILABLE,
            TEXT,
            reasons.join("\n") + "\n",
        ),
    }
}

fn json(value: &impl Serialize) -> Response<String> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => answer(StatusCode::OK, JSON, text + "\n"),
        Err(error) => answer(
            StatusCode::INTERNAL_SERVER_ERROR,
            TEXT,
            format!("could not be written as JSON: {error}\n"),
        ),
    }
}

fn answer(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<String>,
) -> Response<String> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn wants_html<B>(request: &Request<B>) -> bool {
    request
        .headers()
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("text/html"))
}
