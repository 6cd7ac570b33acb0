//! The layers around the kube clients: limits, which verbs repeat, the fence, the counting.
#![allow(clippy::unwrap_used)]

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures::{StreamExt, future::BoxFuture};
use http::{Request, Response, header::CONTENT_TYPE};
use http_body::Frame;
use http_body_util::StreamBody;
use kube::{Client, client::Body};
use opgen_runtime::{
    clients::{ClientError, Clients},
    error::{Error, ErrorClass},
    secs,
};
use tokio::time::Instant;
use tower::BoxError;

type Answer = BoxFuture<'static, Response<BoxBody>>;
type BoxBody = http_body_util::combinators::UnsyncBoxBody<Bytes, BoxError>;

/// A server in this process that counts the requests it gets.
struct Server {
    calls: Arc<AtomicU32>,
    clients: Clients,
}

impl Server {
    fn new(answer: impl Fn(u32) -> Answer + Send + Sync + 'static) -> Self {
        let calls = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&calls);
        let service = tower::service_fn(move |_: Request<Body>| {
            let answer = answer(counter.fetch_add(1, Ordering::SeqCst));
            async move { Ok::<_, BoxError>(answer.await) }
        });
        Self {
            calls,
            clients: Clients::in_process(Client::new(service, "default")),
        }
    }

    /// One that always says the same.
    fn saying(code: u16, retry_after: Option<&'static str>) -> Self {
        Self::new(move |_| Box::pin(async move { status(code, retry_after) }))
    }

    fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }

    async fn call(&self, request: Request<Vec<u8>>) -> kube::Result<String> {
        self.clients.call.request_text(request).await
    }
}

fn body(text: &'static str) -> BoxBody {
    BoxBody::new(http_body_util::BodyExt::map_err(
        http_body_util::Full::from(text),
        |never| match never {},
    ))
}

/// A body that sends its head and then nothing.
fn hung_body() -> BoxBody {
    let frames = futures::stream::pending::<Result<Frame<Bytes>, BoxError>>();
    BoxBody::new(StreamBody::new(frames))
}

fn status(code: u16, retry_after: Option<&'static str>) -> Response<BoxBody> {
    let mut response = Response::builder().status(code);
    if let Some(wait) = retry_after {
        response = response.header("retry-after", wait);
    }
    response.body(body("{}")).unwrap()
}

fn hang() -> Answer {
    Box::pin(std::future::pending())
}

const PODS: &str = "/api/v1/namespaces/default/pods";

fn request(method: &str, path: &str) -> Request<Vec<u8>> {
    sending(method, path, "application/json", "")
}

fn sending(method: &str, path: &str, content_type: &str, body: &str) -> Request<Vec<u8>> {
    Request::builder()
        .method(method)
        .uri(path)
        .header(CONTENT_TYPE, content_type)
        .body(body.as_bytes().to_vec())
        .unwrap()
}

#[track_caller]
fn assert_timeout(error: &kube::Error, after: Duration) {
    match ClientError::of(error) {
        Some(ClientError::Timeout { after: given, .. }) => assert_eq!(*given, after),
        other => panic!("{other:?} {error:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_hung_request_ends_after_15_s() {
    let server = Server::new(|_| hang());
    let from = Instant::now();
    let error = server.call(request("GET", PODS)).await.unwrap_err();
    assert_timeout(&error, secs(15));
    assert_eq!(from.elapsed().as_secs(), 15);
    assert_eq!(server.calls(), 1);
    assert_eq!(Error::from(error).class(), ErrorClass::Transient);
}

#[tokio::test(start_paused = true)]
async fn an_answer_whose_body_hangs_ends_too() {
    let server = Server::new(|_| Box::pin(async { Response::new(hung_body()) }));
    let from = Instant::now();
    let error = server.call(request("GET", PODS)).await.unwrap_err();
    assert_timeout(&error, secs(15));
    assert_eq!(from.elapsed().as_secs(), 15);
}

#[tokio::test(start_paused = true)]
async fn repetitions_share_the_15_s() {
    let server = Server::new(|nth| {
        Box::pin(async move {
            tokio::time::sleep(secs(6)).await;
            let _ = nth;
            status(503, None)
        })
    });
    let from = Instant::now();
    let _ = server.call(request("GET", PODS)).await.unwrap_err();
    assert_eq!(from.elapsed().as_secs(), 15);
    assert_eq!(server.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_list_on_the_watch_client_has_30_s() {
    let server = Server::new(|_| Box::pin(async { Response::new(hung_body()) }));
    let from = Instant::now();
    let error = server
        .clients
        .watch
        .request_text(request("GET", PODS))
        .await
        .unwrap_err();
    assert_timeout(&error, secs(30));
    assert_eq!(from.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn the_head_of_a_watch_has_30_s() {
    let server = Server::new(|_| hang());
    let from = Instant::now();
    let watch = Request::get(format!("{PODS}?watch=true&resourceVersion=1"))
        .body(Body::empty())
        .unwrap();
    let error = server.clients.watch.send(watch).await.unwrap_err();
    assert_timeout(&error, secs(30));
    assert_eq!(from.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn an_open_watch_has_no_limit() {
    let server = Server::new(|_| {
        Box::pin(async {
            let frames = futures::stream::once(async {
                tokio::time::sleep(secs(3600)).await;
                Ok::<_, BoxError>(Frame::data(Bytes::from_static(b"late")))
            });
            Response::new(BoxBody::new(StreamBody::new(frames)))
        })
    });
    let watch = Request::get(format!("{PODS}?watch=true"))
        .body(Body::empty())
        .unwrap();
    let response = server.clients.watch.send(watch).await.unwrap();
    let mut frames = http_body_util::BodyStream::new(response.into_body());
    let frame = frames.next().await.unwrap().unwrap();
    assert_eq!(frame.into_data().unwrap(), "late");
}

#[tokio::test(start_paused = true)]
async fn a_refused_watch_is_no_stream() {
    // kube reads the body of a refusal without any limit.
    let server = Server::new(|_| {
        Box::pin(async {
            let mut response = Response::new(hung_body());
            *response.status_mut() = http::StatusCode::FORBIDDEN;
            response
        })
    });
    let watch = request("GET", "/api/v1/pods?watch=true");
    let answer = server.clients.watch.request_text(watch);
    let answer = tokio::time::timeout(secs(60), answer).await;
    assert_timeout(&answer.expect("no limit").unwrap_err(), secs(30));
}

const VERSIONED: &str = r#"{"metadata":{"name":"a","resourceVersion":"7"}}"#;
const BLIND: &str = r#"{"metadata":{"name":"a"}}"#;

#[tokio::test(start_paused = true)]
async fn only_what_may_be_repeated_is() {
    let json = "application/json";
    let apply = "application/apply-patch+yaml";
    let tested = "application/json-patch+json";
    let merge = "application/merge-patch+json";
    // method, content type, body, requests after 503, requests after 429
    let rows = [
        ("GET", json, "", 4, 4),
        ("PATCH", apply, BLIND, 4, 4),
        ("PUT", json, VERSIONED, 4, 4),
        ("PUT", json, BLIND, 1, 4),
        ("PATCH", tested, "[]", 1, 4),
        ("PATCH", merge, BLIND, 1, 4),
        ("DELETE", json, "", 1, 4),
        ("POST", json, BLIND, 1, 1),
    ];
    for (method, content_type, body, unclear, refused) in rows {
        for (code, calls) in [(503, unclear), (429, refused), (504, unclear)] {
            let server = Server::saying(code, None);
            let _ = server
                .call(sending(method, PODS, content_type, body))
                .await
                .unwrap_err();
            assert_eq!(
                server.calls(),
                calls,
                "{method} {content_type} {body} {code}"
            );
        }
        for code in [400, 403, 404, 409, 422, 500] {
            let server = Server::saying(code, None);
            let _ = server
                .call(sending(method, PODS, content_type, body))
                .await
                .unwrap_err();
            assert_eq!(server.calls(), 1, "{method} {code}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_repeated_request_is_the_same_request() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let service = tower::service_fn(move |request: Request<Body>| {
        let log = Arc::clone(&log);
        async move {
            let line = format!("{} {}", request.method(), request.uri());
            let bytes = request.into_body().collect_bytes().await?;
            let mut log = log.lock().unwrap();
            log.push((line, bytes));
            let code = if log.len() == 1 { 503 } else { 200 };
            Ok::<_, BoxError>(status(code, None))
        }
    });
    let clients = Clients::in_process(Client::new(service, "default"));
    clients
        .call
        .request_text(sending("PUT", PODS, "application/json", VERSIONED))
        .await
        .unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0].1, VERSIONED);
}

#[tokio::test(start_paused = true)]
async fn the_watch_client_repeats_nothing() {
    let server = Server::saying(503, None);
    let _ = server
        .clients
        .watch
        .request_text(request("GET", PODS))
        .await
        .unwrap_err();
    assert_eq!(server.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_waited_for() {
    let server = Server::new(|nth| {
        Box::pin(async move {
            if nth == 0 {
                status(429, Some("4"))
            } else {
                status(200, None)
            }
        })
    });
    let from = Instant::now();
    server.call(request("GET", PODS)).await.unwrap();
    assert_eq!(from.elapsed().as_secs(), 4);
    assert_eq!(server.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_beyond_the_limit_is_the_callers() {
    let server = Server::saying(429, Some("60"));
    let from = Instant::now();
    let error = server.call(request("GET", PODS)).await.unwrap_err();
    assert!(matches!(error, kube::Error::Api(_)), "{error:?}");
    assert_eq!(from.elapsed(), Duration::ZERO);
}

#[track_caller]
fn assert_fenced(error: &kube::Error) {
    let error = ClientError::of(error);
    assert!(
        matches!(error, Some(ClientError::Fenced { .. })),
        "{error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn behind_the_fence_nothing_is_written() {
    let server = Server::saying(200, None);
    server.call(request("POST", PODS)).await.unwrap();
    server.clients.fence();
    assert!(server.clients.is_fenced());
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        assert_fenced(&server.call(request(method, PODS)).await.unwrap_err());
    }
    let other = server.clients.clone();
    let error = other.watch.request_text(request("POST", PODS)).await;
    assert_fenced(&error.unwrap_err());
    assert_eq!(server.calls(), 1);
    server.call(request("GET", PODS)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_fence_ends_writes_under_way_and_their_repetition() {
    for answer in [0_u16, 429] {
        let server = Server::new(move |_| match answer {
            0 => hang(),
            code => Box::pin(async move { status(code, Some("5")) }),
        });
        let fence = server.clients.fence_switch();
        let write = server.call(request("DELETE", PODS));
        let throw = async {
            tokio::time::sleep(secs(1)).await;
            fence.close();
        };
        let (result, ()) = futures::join!(write, throw);
        assert_fenced(&result.unwrap_err());
        assert_eq!(server.calls(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn every_attempt_is_counted_with_its_code() {
    let server = Server::saying(403, None);
    let _ = server.call(request("GET", PODS)).await;
    let _ = server.call(request("GET", PODS)).await;
    let count = |code: &str, method: &str, times: u32| {
        let text = server.clients.metrics().encode();
        let line =
            format!("rest_client_requests_total{{code=\"{code}\",method=\"{method}\"}} {times}");
        assert!(text.contains(&line), "{line}\n{text}");
    };
    count("403", "GET", 2);
    server.clients.fence();
    let _ = server.call(request("PUT", PODS)).await;
    count("<fenced>", "PUT", 1);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_without_an_answer_is_counted_as_an_error() {
    let server = Server::new(|_| hang());
    let _ = server.call(request("GET", PODS)).await;
    {
        let dropped = server.call(request("POST", PODS));
        let _ = tokio::time::timeout(secs(1), dropped).await;
    }
    let text = server.clients.metrics().encode();
    for method in ["GET", "POST"] {
        let line = format!("rest_client_requests_total{{code=\"<error>\",method=\"{method}\"}} 1");
        assert!(text.contains(&line), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_clients_keep_their_namespace() {
    let server = Server::saying(200, None);
    assert_eq!(server.clients.call.default_namespace(), "default");
    assert_eq!(server.clients.watch.default_namespace(), "default");
}
