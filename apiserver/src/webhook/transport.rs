//! From a question to its answer.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use super::{Handler, Question, Said, Target};
use crate::call::Handled;
use crate::cluster::Shared;
use crate::error::ApiError;

/// What an answer may be long.
const ANSWER_LIMIT: usize = 3 << 20;

impl Shared {
    /// Where a `clientConfig` leads.
    pub(super) fn question(
        &self,
        key: String,
        config: &Value,
        timeout: Duration,
        mut review: Value,
    ) -> Handled<Question> {
        review["request"]["uid"] = self.store.uid().into();
        let seconds = timeout.as_secs();
        let (target, url) = match config["url"].as_str() {
            Some(url) => (self.at_url(url)?, url.to_owned()),
            None => self.at_service(&config["service"]),
        };
        Ok(Question {
            key,
            target,
            url: format!("{url}?timeout={seconds}s"),
            timeout,
            review,
        })
    }

    fn at_url(&self, url: &str) -> Handled<Target> {
        if let Some(handler) = self.webhooks.get(url) {
            return Ok(Target::Process(handler));
        }
        if url.starts_with("http://") {
            return Ok(Target::Http);
        }
        Err(ApiError::not_implemented(format!(
            "this server calls webhooks in process and over plain HTTP, not {url}; serve it with Cluster::webhook(\"{url}\", ..), or use an http:// URL"
        ))
        .into())
    }

    fn at_service(&self, service: &Value) -> (Target, String) {
        let text = |field: &str| service[field].as_str().unwrap_or_default();
        let (namespace, name) = (text("namespace"), text("name"));
        let path = text("path").trim_start_matches('/');
        let port = service["port"].as_i64().unwrap_or(443);
        let url = format!("https://{name}.{namespace}.svc:{port}/{path}");
        let handler = self
            .webhooks
            .get(&format!("{namespace}/{name}/{path}"))
            .or_else(|| self.webhooks.get(&format!("{namespace}/{name}")));
        let target = match handler {
            Some(handler) => Target::Process(handler),
            None => Target::Nowhere(format!("service {name:?} not found")),
        };
        (target, url)
    }
}

/// Asks, for as long as the webhook may take.
pub(super) async fn send(question: &Question) -> Said {
    let answer = async {
        match &question.target {
            Target::Process(Handler::Instant(handler)) => Ok(handler(&question.review)),
            Target::Process(Handler::Waiting(handler)) => {
                Ok(handler(question.review.clone()).await)
            }
            Target::Http => post(&question.url, &question.review).await,
            Target::Nowhere(why) => Err(why.clone()),
        }
    };
    let answer = tokio::time::timeout(question.timeout, answer)
        .await
        .unwrap_or_else(|_| Err("context deadline exceeded".to_owned()));
    check(question, answer)
}

/// The `response` of a review that answers the question.
pub(super) fn check(question: &Question, answer: Result<Value, String>) -> Said {
    let review =
        answer.map_err(|why| format!("failed to call webhook: Post {:?}: {why}", question.url))?;
    let invalid = |why: String| Err(format!("received invalid webhook response: {why}"));
    let asked = &question.review;
    for field in ["apiVersion", "kind"] {
        if review[field] != asked[field] {
            return invalid(format!(
                "expected webhook response of {}, Kind={}, got {}, Kind={}",
                plain(&asked["apiVersion"]),
                plain(&asked["kind"]),
                plain(&review["apiVersion"]),
                plain(&review["kind"])
            ));
        }
    }
    let response = &review["response"];
    if !response.is_object() {
        return Err("webhook response was absent".to_owned());
    }
    let (wanted, given) = (plain(&asked["request"]["uid"]), plain(&response["uid"]));
    if wanted != given {
        return invalid(format!("expected response.uid={wanted:?}, got {given:?}"));
    }
    Ok(response.clone())
}

fn plain(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

async fn post(url: &str, review: &Value) -> Result<Value, String> {
    let uri: Uri = url.parse().map_err(|error| format!("{error}"))?;
    let host = uri.host().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let port = uri.port_u16().unwrap_or(80);
    let stream = TcpStream::connect((bare, port))
        .await
        .map_err(|error| format!("dial tcp {host}:{port}: {error}"))?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| error.to_string())?;
    let connection = tokio::spawn(connection);
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let request = Request::post(path)
        .header(header::HOST, format!("{host}:{port}"))
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json")
        .body(Full::new(Bytes::from(review.to_string())))
        .map_err(|error| error.to_string())?;
    let answered = async {
        let response = sender
            .send_request(request)
            .await
            .map_err(|error| error.to_string())?;
        let status = response.status();
        let body = Limited::new(response.into_body(), ANSWER_LIMIT)
            .collect()
            .await
            .map_err(|error| error.to_string())?
            .to_bytes();
        if !status.is_success() {
            let text = String::from_utf8_lossy(&body);
            return Err(format!(
                "an error on the server ({text:?}) has prevented the request from succeeding"
            ));
        }
        serde_json::from_slice(&body)
            .map_err(|error| format!("couldn't get version/kind; json parse error: {error}"))
    }
    .await;
    connection.abort();
    answered
}
