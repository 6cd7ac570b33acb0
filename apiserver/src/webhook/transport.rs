//! From a question to its answer.

use std::time::Duration;

use serde_json::Value;

use super::remote::Remote;
use super::{Handler, InProcess, Question, Said, Target};
use crate::call::Handled;
use crate::cluster::Shared;
use crate::error::ApiError;

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
        let bundle = config["caBundle"].as_str().unwrap_or_default();
        let (target, url) = match config["url"].as_str() {
            Some(url) => (self.at_url(url, bundle), url.to_owned()),
            None => self.at_service(&config["service"], bundle),
        };
        if let Target::Remote(Remote { bundle, .. }) = &target
            && bundle.is_empty()
            && url.starts_with("https:")
        {
            return Err(ApiError::not_implemented(format!(
                "this server does not know the authorities that the system trusts; give the webhook at {url} a caBundle, or serve it with Cluster::webhook"
            ))
            .into());
        }
        Ok(Question {
            key,
            target,
            url: format!("{url}?timeout={seconds}s"),
            timeout,
            review,
        })
    }

    fn at_url(&self, url: &str, bundle: &str) -> Target {
        match self.webhooks.get(url) {
            Some(handler) => handler.target(bundle),
            None => Target::Remote(Remote {
                at: None,
                bundle: bundle.to_owned(),
            }),
        }
    }

    fn at_service(&self, service: &Value, bundle: &str) -> (Target, String) {
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
            Some(handler) => handler.target(bundle),
            None => Target::Nowhere(format!("service {name:?} not found")),
        };
        (target, url)
    }
}

impl Handler {
    fn target(self, bundle: &str) -> Target {
        match self {
            Self::Listening(at) => Target::Remote(Remote {
                at: Some(at),
                bundle: bundle.to_owned(),
            }),
            Self::Process(handler) => Target::Process(handler),
        }
    }
}

/// Asks, for as long as the webhook may take.
pub(super) async fn send(question: &Question) -> Said {
    let answer = async {
        match &question.target {
            Target::Process(InProcess::Instant(handler)) => Ok(handler(&question.review)),
            Target::Process(InProcess::Waiting(handler)) => {
                Ok(handler(question.review.clone()).await)
            }
            Target::Remote(remote) => remote.post(&question.url, &question.review).await,
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
