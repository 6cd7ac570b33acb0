//! The layer around a kube client: fence, time limit, bounded repetition, counting.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use kube::{Client, client::Body};
use tokio::time::Instant;
use tower::BoxError;

use super::{
    error::ClientError,
    fence::Fence,
    shape::{Failure, Shape},
};
use crate::mutant::{Mutant, mutated};
use crate::{external::retry_after, metrics::Metrics};

/// The numbers of one client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// From the request to the last byte of the answer, repetitions included; for a stream, to its head.
    pub(super) time: Duration,
    /// The same for a stream's head.
    pub(super) head: Duration,
    /// Repetitions at most.
    pub(super) retries: u32,
}

/// Requests without a client around the layer. A client would hand every request to a task of its own and wait for
/// its answer there: twice the way for what most runs consist of.
#[derive(Clone)]
pub(crate) struct Caller(pub(super) Arc<Layered<Client>>);

impl Caller {
    /// Sends a request and reads the answer to its end.
    pub(crate) async fn send(&self, request: Request<Bytes>) -> kube::Result<(StatusCode, Bytes)> {
        let answer = self.0.handle(request.map(Body::from)).await;
        let answer = answer.map_err(|error| match error.downcast::<kube::Error>() {
            Ok(error) => *error,
            Err(error) => kube::Error::Service(error),
        })?;
        let status = answer.status();
        Ok((status, answer.into_body().collect_bytes().await?))
    }
}

/// The first pause, doubled each time, with full jitter.
const BACKOFF: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Layered<C> {
    pub(super) inner: C,
    pub(super) limits: Limits,
    pub(super) fence: Fence,
    pub(super) metrics: Metrics,
}

/// The layer, without a client around it.
pub(super) fn layer(
    inner: Client,
    limits: Limits,
    fence: Fence,
    metrics: Metrics,
) -> Arc<Layered<Client>> {
    Arc::new(Layered {
        inner,
        limits,
        fence,
        metrics,
    })
}

/// A client that goes through the layer.
pub(super) fn client(layered: Arc<Layered<Client>>) -> Client {
    let namespace = layered.inner.default_namespace().to_owned();
    let valid_until = *layered.inner.valid_until();
    let service = tower::service_fn(move |request| {
        let layered = Arc::clone(&layered);
        async move { layered.handle(request).await }
    });
    Client::new(service, namespace).with_valid_until(valid_until)
}

impl Layered<Client> {
    async fn handle(&self, mut request: Request<Body>) -> Result<Response<Body>, BoxError> {
        let shape = Shape::of(&request);
        let time = if shape.streams {
            self.limits.head
        } else {
            self.limits.time
        };
        let deadline = Instant::now() + time;
        let mut repeated = 0;
        loop {
            let spare = clone(&request);
            let result = self.attempt(&shape, deadline, time, request).await;
            let Some((failure, wait)) = failure(&result) else {
                return result;
            };
            let Some(again) = spare else { return result };
            let pause = pause(repeated, wait);
            if repeated >= self.limits.retries
                || Instant::now() + pause >= deadline
                || !shape.may_repeat(failure, &again)
            {
                return result;
            }
            tokio::time::sleep(pause).await;
            repeated += 1;
            request = again;
        }
    }

    async fn attempt(
        &self,
        shape: &Shape,
        deadline: Instant,
        time: Duration,
        request: Request<Body>,
    ) -> Result<Response<Body>, BoxError> {
        let fenced = async {
            match shape.writes {
                true => self.fence.closed().await,
                false => std::future::pending().await,
            }
        };
        let mut counted = Counted {
            metrics: &self.metrics,
            method: shape.method,
            code: None,
        };
        tokio::select! {
            biased;
            () = fenced => {
                counted.code = Some("<fenced>".to_owned());
                Err(Box::new(ClientError::Fenced {
                    method: shape.method,
                    path: shape.path.clone(),
                }))
            }
            result = self.answer(shape, request) => {
                if let Ok(response) = &result {
                    counted.code = Some(response.status().as_str().to_owned());
                }
                result
            }
            () = tokio::time::sleep_until(deadline), if !mutated(Mutant::ApiTimeout) => Err(Box::new(ClientError::Timeout {
                method: shape.method,
                path: shape.path.clone(),
                after: time,
            })),
        }
    }

    /// The answer, read to its end unless it is a stream: kube reads the body later, without any limit.
    async fn answer(
        &self,
        shape: &Shape,
        request: Request<Body>,
    ) -> Result<Response<Body>, BoxError> {
        let response = self.inner.send(request).await?;
        let status = response.status();
        if status == StatusCode::SWITCHING_PROTOCOLS || (shape.streams && status.is_success()) {
            return Ok(response);
        }
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await?.to_bytes();
        Ok(Response::from_parts(parts, Body::from(bytes)))
    }
}

/// Counts one attempt, also one that nobody waited for to the end.
struct Counted<'a> {
    metrics: &'a Metrics,
    method: &'static str,
    code: Option<String>,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        match self.code.take() {
            Some(code) => self.metrics.rest_request(code, self.method),
            None => self.metrics.rest_request("<error>", self.method),
        }
    }
}

/// What kind of failure a result is, if any, and how long the server wants to be left alone.
fn failure(result: &Result<Response<Body>, BoxError>) -> Option<(Failure, Option<Duration>)> {
    match result {
        Ok(response) => Failure::of(response.status())
            .map(|failure| (failure, retry_after::from_headers(response.headers()))),
        // Our own errors are final: the time is over, or the lease.
        Err(error) if error.is::<ClientError>() => None,
        Err(_) => Some((Failure::Unclear, None)),
    }
}

/// At least what the server asked for; the jitter on top keeps many callers from coming back at once.
fn pause(repeated: u32, wait: Option<Duration>) -> Duration {
    let most = BACKOFF.saturating_mul(1 << repeated.min(10));
    wait.unwrap_or_default() + most.mul_f64(0.1 + 0.9 * fastrand::f64())
}

/// A copy of a request whose body is one buffer.
fn clone(request: &Request<Body>) -> Option<Request<Body>> {
    let mut copy = Request::new(request.body().try_clone()?);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.version_mut() = request.version();
    *copy.headers_mut() = request.headers().clone();
    *copy.extensions_mut() = request.extensions().clone();
    Some(copy)
}
