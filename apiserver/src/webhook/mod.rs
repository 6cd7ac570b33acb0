//! Webhooks: admission and the conversion of custom resources, in process, over HTTP or over TLS.
//!
//! Handlers of requests are synchronous. One that needs an answer which takes time stops with [`Stop::Ask`]; the
//! service asks, keeps the answer with the request and runs the handler again, which finds it there.

mod admission;
mod conversion;
mod hook;
mod remote;
mod tls;
mod transport;

use std::collections::HashMap;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde_json::Value;

use crate::call::{Call, Handled, Stop};
use crate::cluster::{Cluster, Shared};

pub(crate) use admission::Change;
pub(crate) use hook::selects;

type Answer = Pin<Box<dyn Future<Output = Value> + Send>>;

/// Who serves a webhook.
#[derive(Clone)]
enum Handler {
    Process(InProcess),
    /// A server at that address.
    Listening(SocketAddr),
}

/// A webhook that is a function of this process.
#[derive(Clone)]
enum InProcess {
    Instant(Arc<dyn Fn(&Value) -> Value + Send + Sync>),
    Waiting(Arc<dyn Fn(Value) -> Answer + Send + Sync>),
}

/// Who serves the webhooks, by their addresses.
#[derive(Default)]
pub(crate) struct Handlers(RwLock<HashMap<String, Handler>>);

impl Handlers {
    fn set(&self, address: &str, handler: Option<Handler>) {
        let mut handlers = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match handler {
            Some(handler) => handlers.insert(address.to_owned(), handler),
            None => handlers.remove(address),
        };
    }

    fn get(&self, address: &str) -> Option<Handler> {
        let handlers = self.0.read().unwrap_or_else(PoisonError::into_inner);
        handlers.get(address).cloned()
    }
}

/// Whom to ask.
enum Target {
    Process(InProcess),
    Remote(remote::Remote),
    /// Not to be reached, and why.
    Nowhere(String),
}

/// A review to be answered by a webhook.
pub(crate) struct Question {
    /// Tells it from the other questions of a request.
    key: String,
    target: Target,
    url: String,
    timeout: Duration,
    review: Value,
}

impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question")
            .field("key", &self.key)
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// What a webhook said: the `response` of the review, or why there is none.
type Said = Result<Value, String>;

/// The answers that a request has got so far.
#[derive(Debug, Default)]
pub(crate) struct Answers(HashMap<String, Said>);

impl Shared {
    /// The answer to a question; stops the handler if it has to be waited for.
    fn ask(
        &self,
        call: &mut Call,
        key: String,
        question: impl FnOnce(String) -> Handled<Question>,
    ) -> Handled<Said> {
        if let Some(said) = call.answers.0.get(&key) {
            return Ok(said.clone());
        }
        let question = question(key)?;
        if let Target::Process(InProcess::Instant(handler)) = &question.target {
            let said = transport::check(&question, Ok(handler(&question.review)));
            call.answers.0.insert(question.key, said.clone());
            return Ok(said);
        }
        Err(Stop::Ask(Box::new(question)))
    }
}

impl Call {
    /// Whether a question has its answer.
    fn knows(&self, key: &str) -> bool {
        self.answers.0.contains_key(key)
    }

    /// Asks what the handler stopped for, and keeps the answer.
    pub(crate) async fn answer(&mut self, question: Question) {
        let said = transport::send(&question).await;
        self.answers.0.insert(question.key, said);
    }
}

impl Cluster {
    /// Serves a webhook in process: admission (validating and mutating) or the conversion of a custom resource.
    ///
    /// It takes the review as JSON and returns it with its `response`. `address` is what `clientConfig` names:
    ///
    /// * `NAMESPACE/SERVICE` with the path, if there is one (`default/hooks/validate`), or without it for all paths;
    /// * the `url` itself, such as `https://hooks.example.com/validate`; nothing is sent there.
    ///
    /// Other URLs are called over TLS, for which the configuration must hold a `caBundle`, or over plain HTTP, which
    /// the real server never does. A service that nobody serves is a webhook that cannot be called: see
    /// [`Cluster::webhook_at`]. Requests of the cluster itself, such as [`Cluster::create_raw`] and
    /// [`Cluster::collect_garbage`], pass admission webhooks by.
    ///
    /// ```
    /// use serde_json::json;
    /// let cluster = opgen_apiserver::Cluster::new();
    /// cluster.webhook("default/hooks/validate", |review| {
    ///     let allowed = review["request"]["object"]["data"]["color"] != "red";
    ///     json!({
    ///         "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
    ///         "response": { "uid": review["request"]["uid"], "allowed": allowed },
    ///     })
    /// });
    /// ```
    pub fn webhook(
        &self,
        address: &str,
        handler: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) {
        let handler = InProcess::Instant(Arc::new(handler));
        let handler = Handler::Process(handler);
        self.0.webhooks.set(address, Some(handler));
    }

    /// As [`Cluster::webhook`], for one that takes its time: `timeoutSeconds` runs on tokio's clock.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # let cluster = opgen_apiserver::Cluster::new();
    /// cluster.webhook_async("default/slow", |review| async move {
    ///     tokio::time::sleep(Duration::from_secs(60)).await;
    ///     review
    /// });
    /// ```
    pub fn webhook_async<F, Fut>(&self, address: &str, handler: F)
    where
        F: Fn(Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Value> + Send + 'static,
    {
        let handler = InProcess::Waiting(Arc::new(move |review| Box::pin(handler(review))));
        let handler = Handler::Process(handler);
        self.0.webhooks.set(address, Some(handler));
    }

    /// Tells where a webhook listens, as the address of its service would: a real server, called over TLS.
    ///
    /// `address` is as in [`Cluster::webhook`]. The name that the certificate must be for stays that of the service
    /// (`hooks.default.svc`) or of the URL, and the `caBundle` of the configuration must vouch for it.
    ///
    /// ```
    /// # let cluster = opgen_apiserver::Cluster::new();
    /// cluster.webhook_at("default/hooks", ([127, 0, 0, 1], 9443).into());
    /// ```
    pub fn webhook_at(&self, address: &str, at: SocketAddr) {
        self.0.webhooks.set(address, Some(Handler::Listening(at)));
    }

    /// Takes a webhook in process away: calls of its service fail from now on.
    pub fn remove_webhook(&self, address: &str) {
        self.0.webhooks.set(address, None);
    }
}
