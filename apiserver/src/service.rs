//! The tower service: every request goes through here, in process and over HTTP.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, header};
use http_body::Body;

use crate::auth::{self, User};
use crate::body::{self, ApiBody, response, stream};
use crate::call::{Call, Outcome, Reply, Stop};
use crate::cluster::Shared;
use crate::error::{ApiError, ApiResult};
use crate::fault::{Action, Armed};
use crate::log::LogEntry;
use crate::query::Query;
use crate::rbac::Attempt;
use crate::request::RequestInfo;
use crate::watch;

/// More answers of webhooks than this no request needs: it asks in circles.
const QUESTION_LIMIT: usize = 10_000;

/// The connection broke before the answer (a fault).
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("connection reset by the server")]
pub struct ConnectionDropped;

/// A tower service that answers Kubernetes API requests from a [`Cluster`](crate::Cluster).
#[derive(Clone, Debug)]
pub struct ClusterService {
    shared: Arc<Shared>,
    /// Who is asking; `None` for HTTP, where the request says it.
    user: Option<Arc<User>>,
}

impl ClusterService {
    pub(crate) fn new(shared: Arc<Shared>, user: Option<Arc<User>>) -> Self {
        Self { shared, user }
    }
}

impl<B> tower::Service<Request<B>> for ClusterService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<ApiBody>;
    type Error = ConnectionDropped;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (shared, user) = (self.shared.clone(), self.user.clone());
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let head = parts.method == http::Method::HEAD;
            let body = body::read(body).await;
            let call = match body.and_then(|body| shared.call_of(parts, body, user)) {
                Ok(call) => call,
                Err(error) => return Ok(response(Reply::refusal(&error), &[])),
            };
            shared.serve(call, head).await
        })
    }
}

impl Shared {
    async fn serve(
        self: Arc<Self>,
        mut call: Box<Call>,
        head: bool,
    ) -> Result<Response<ApiBody>, ConnectionDropped> {
        for fault in call.faults.clone() {
            match fault.action() {
                Action::Delay(by) => tokio::time::sleep(*by).await,
                Action::Hang => {
                    self.record(&mut call, 0);
                    return std::future::pending().await;
                }
                Action::FailBefore(code) => {
                    let error = ApiError::injected(*code);
                    self.record(&mut call, *code);
                    return Ok(response(Reply::refusal(&error), &[]));
                }
                Action::Throttle(seconds) => {
                    let error = ApiError::injected(429).again_in(*seconds);
                    self.record(&mut call, 429);
                    return Ok(response(Reply::refusal(&error), &[]));
                }
                _ => {}
            }
        }
        let handled = self.run(&mut call).await;
        let (outcome, hung) = match handled {
            Ok(outcome) => (outcome, false),
            Err(Stop::Hung) => (Outcome::Reply(Reply::text(0, "")), true),
            Err(Stop::Refused(error)) => (Outcome::Reply(Reply::refusal(&error)), false),
            Err(Stop::Await(wanted)) => {
                let error = ApiError::version_too_large(wanted, self.store.revision());
                (Outcome::Reply(Reply::refusal(&error)), false)
            }
            Err(Stop::Lost(_) | Stop::Ask(_)) => {
                let error = ApiError::internal("the write lost a race and was not tried again");
                (Outcome::Reply(Reply::refusal(&error)), false)
            }
        };
        let code = match &outcome {
            Outcome::Reply(reply) => reply.code,
            Outcome::Watch(_) => 200,
        };
        let silenced = hung || hangs_after(&call.faults);
        self.record(&mut call, if silenced { 0 } else { code });
        if silenced {
            return std::future::pending().await;
        }
        for fault in &call.faults {
            match fault.action() {
                Action::FailAfter(code) => {
                    return Ok(response(Reply::refusal(&ApiError::injected(*code)), &[]));
                }
                Action::DropConnection => return Err(ConnectionDropped),
                _ => {}
            }
        }
        Ok(match outcome {
            Outcome::Reply(mut reply) => {
                if crate::render::wants_yaml(call.header(header::ACCEPT)) {
                    reply.make_yaml();
                }
                if head {
                    reply.body = Bytes::new();
                }
                response(reply, &call.warnings)
            }
            Outcome::Watch(plan) => stream(watch::open(&self, *plan), &call.warnings),
        })
    }

    /// Runs the handler; a request that asks for a version of the future waits for it, up to three seconds.
    async fn run(self: &Arc<Self>, call: &mut Call) -> Result<Outcome, Stop> {
        let limit = tokio::time::Instant::now() + crate::handlers::sync_await_limit();
        call.time = Some(self.clock.now());
        let mut questions = 0;
        loop {
            let advanced = self.store.lock().advanced.clone();
            let notified = advanced.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            match self.handle(call) {
                Err(Stop::Await(_)) => {}
                Err(Stop::Ask(question)) if questions < QUESTION_LIMIT => {
                    questions += 1;
                    // Rare and large: it would make the future of every request so.
                    Box::pin(call.answer(*question)).await;
                    continue;
                }
                other => return other,
            }
            tokio::select! {
                () = &mut notified => {}
                () = tokio::time::sleep_until(limit) => return self.handle(call),
            }
        }
    }

    /// Authenticates and authorizes.
    fn call_of(
        &self,
        parts: http::request::Parts,
        body: Bytes,
        user: Option<Arc<User>>,
    ) -> ApiResult<Box<Call>> {
        let query = Query::parse(parts.uri.query().unwrap_or_default());
        let method = parts.method.as_str().to_owned();
        let info = RequestInfo::parse(&method, parts.uri.path(), &query);
        let real = match user {
            Some(user) => user,
            None => {
                let tokens = self.tokens.read().unwrap_or_else(PoisonError::into_inner);
                tokens.authenticate(&parts.headers, !self.rbac)?
            }
        };
        let user = match auth::impersonated(&parts.headers)? {
            Some(wanted) => {
                self.authorize_impersonation(&real, &wanted)?;
                Arc::new(wanted)
            }
            None => real,
        };
        let mut call = Box::new(Call {
            method: if method == "HEAD" {
                "GET".into()
            } else {
                method
            },
            faults: self.faults.meet(&info, &user.name, || name_in(&body)),
            info,
            query,
            headers: parts.headers,
            body,
            user,
            warnings: Vec::new(),
            revisions: 0,
            dry_run: false,
            field_manager: String::new(),
            made: None,
            internal: false,
            answers: crate::webhook::Answers::default(),
            drawn: None,
            time: None,
        });
        if let Err(error) = self.authorize(&call.user, &Attempt::of(&call.info)) {
            self.record(&mut call, error.code());
            return Err(error);
        }
        call.read_protobuf()?;
        Ok(call)
    }

    fn authorize_impersonation(&self, real: &User, wanted: &User) -> ApiResult<()> {
        let mut attempts = vec![("users", wanted.name.as_str())];
        if let Some((_, name)) = wanted
            .name
            .strip_prefix("system:serviceaccount:")
            .and_then(|n| n.split_once(':'))
        {
            attempts[0] = ("serviceaccounts", name);
        }
        let implied = User::new(&wanted.name, "", &[]);
        attempts.extend(
            wanted
                .groups
                .iter()
                .filter(|g| !implied.groups.contains(g))
                .map(|g| ("groups", g.as_str())),
        );
        for (resource, name) in attempts {
            self.authorize(
                real,
                &Attempt {
                    verb: "impersonate",
                    resource,
                    name,
                    ..Attempt::default()
                },
            )?;
        }
        Ok(())
    }

    /// Writes the log. What the request was about is moved there: nobody needs it any more.
    fn record(&self, call: &mut Call, code: u16) {
        let info = std::mem::take(&mut call.info);
        let name = match call.made.take() {
            Some(made) if info.name.is_empty() => made,
            _ => info.name,
        };
        self.log.push(LogEntry {
            sequence: 0,
            time: self.clock.now(),
            verb: info.verb,
            group: info.group,
            version: info.version,
            resource: info.resource,
            subresource: info.subresource,
            namespace: info.namespace,
            name,
            user: call.user.name.clone(),
            field_manager: std::mem::take(&mut call.field_manager),
            code,
            committed: call.revisions > 0,
            revisions: call.revisions,
        });
    }

    /// A request with all rights, answered without a runtime, past faults, hooks and the log.
    pub(crate) fn serve_sync(
        &self,
        method: &str,
        path: &str,
        content_type: &'static str,
        body: &[u8],
    ) -> ApiResult<(u16, Bytes)> {
        let mut call = Call::internal(method, path, content_type, Bytes::copy_from_slice(body));
        match self.handle(&mut call) {
            Ok(Outcome::Reply(reply)) => Ok((reply.code, reply.body)),
            Ok(Outcome::Watch(_)) => Err(ApiError::bad_request("a watch needs a client")),
            Err(Stop::Refused(error)) => Err(error),
            Err(Stop::Await(wanted)) => {
                Err(ApiError::version_too_large(wanted, self.store.revision()))
            }
            Err(Stop::Ask(question)) => Err(ApiError::not_implemented(format!(
                "this request needs an answer that takes time ({question:?}), so it needs a client"
            ))),
            Err(Stop::Hung) => Err(ApiError::internal(
                "the write hook hung a synchronous request",
            )),
            Err(Stop::Lost(_)) => Err(ApiError::internal(
                "the write lost a race and was not tried again",
            )),
        }
    }
}

/// The name of the object in a body.
fn name_in(body: &[u8]) -> String {
    let object: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    crate::object::meta(&object, "name").to_owned()
}

fn hangs_after(faults: &[Arc<Armed>]) -> bool {
    faults
        .iter()
        .any(|fault| matches!(fault.action(), Action::HangAfter))
}

/// Bounds the time that a client may take to send a request.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(60);
