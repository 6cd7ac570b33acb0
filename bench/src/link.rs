//! The way from an operator to the server: the server works on threads of its own, as it does on another machine.
//!
//! Each request is handed to the server's runtime and answered there to its last byte; of a watch every line is made
//! there. What is left to the operator's threads is what a client does. Both sides of a comparison go this way.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::BodyExt;
use kube::client::Body;
use opgen_apiserver::Cluster;
use tokio::{runtime::Handle, sync::mpsc};
use tower::{Service, ServiceExt};

use crate::{
    probe::{Asked, Probe},
    world::{READY, index_of},
};

/// How long a request takes: what a server needs that writes to a disk. One that answers within microseconds would never
/// see many requests of one client at a time, whatever the client does.
pub const LATENCY: Duration = Duration::from_millis(5);

/// Lines of a watch that may be on their way.
const IN_TRANSIT: usize = 1024;

/// The connection is gone.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("connection reset by the benchmark")]
pub struct Cut;

/// What goes wrong on the way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weather {
    /// Every so-manieth write is answered 409 and not carried out; 0 = none.
    pub conflict_every: u64,
    /// Every watch is cut after this time.
    pub cut_after: Option<Duration>,
}

/// A client's way to the server.
#[derive(Clone)]
pub struct Link {
    cluster: Cluster,
    server: Handle,
    probe: Arc<Probe>,
    weather: Weather,
    writes: Arc<AtomicU64>,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

impl Link {
    /// A way to `cluster`, which works on the runtime `server`.
    #[must_use]
    pub fn new(cluster: &Cluster, server: Handle, probe: Arc<Probe>, weather: Weather) -> Self {
        Self {
            cluster: cluster.clone(),
            server,
            probe,
            weather,
            writes: Arc::default(),
        }
    }

    /// A client that goes this way. What it leaves running does so in `operator`.
    #[must_use]
    pub fn client(&self, operator: &Handle) -> kube::Client {
        let _inside = operator.enter();
        kube::Client::new(self.clone(), "default")
    }

    /// Runs on the server's threads.
    pub(crate) async fn serve<B>(self, request: Request<B>) -> Result<Response<Answer>, Cut>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<tower::BoxError> + Send,
    {
        let path = request.uri().path().to_owned();
        let asked = Asked::of(
            request.method(),
            &path,
            request.uri().query().unwrap_or_default(),
        );
        self.probe.asked(asked);
        if asked.writes() && self.is_conflict() {
            return conflict();
        }
        tokio::time::sleep(LATENCY).await;
        let answer = self.cluster.service().oneshot(request);
        let (parts, mut body) = answer.await.map_err(|_| Cut)?.into_parts();
        if asked == Asked::Watch && parts.status.is_success() {
            let (lines, transit) = mpsc::channel(IN_TRANSIT);
            let cut_after = self.weather.cut_after;
            tokio::spawn(async move {
                let pump = pump(&mut body, &lines);
                let Some(limit) = cut_after else {
                    return pump.await;
                };
                if tokio::time::timeout(limit, pump).await.is_err() {
                    // Nobody may be there any more.
                    let _ = lines.send(Err(Cut)).await;
                }
            });
            return Ok(Response::from_parts(parts, Answer::Stream(transit)));
        }
        let bytes = body.collect().await.map_err(|_| Cut)?.to_bytes();
        if asked == Asked::Status
            && parts.status.is_success()
            && let Some(index) = index_of(&path)
            && std::str::from_utf8(&bytes).is_ok_and(|text| text.contains(READY))
        {
            self.probe.is_ready(index);
        }
        Ok(Response::from_parts(parts, Answer::Whole(Some(bytes))))
    }

    fn is_conflict(&self) -> bool {
        let every = self.weather.conflict_every;
        every > 0 && (self.writes.fetch_add(1, Relaxed) + 1).is_multiple_of(every)
    }
}

async fn pump<B>(body: &mut B, lines: &mpsc::Sender<Result<Bytes, Cut>>)
where
    B: http_body::Body<Data = Bytes> + Unpin,
{
    while let Some(Ok(frame)) = body.frame().await {
        if let Ok(data) = frame.into_data()
            && lines.send(Ok(data)).await.is_err()
        {
            return;
        }
    }
}

fn conflict() -> Result<Response<Answer>, Cut> {
    let status = serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 409, "reason": "Conflict",
        "message": "the object has been modified; please apply your changes to the latest version and try again",
    });
    Response::builder()
        .status(StatusCode::CONFLICT)
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(Answer::Whole(Some(status.to_string().into())))
        .map_err(|_| Cut)
}

impl Service<Request<Body>> for Link {
    type Response = Response<Answer>;
    type Error = Cut;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = self.server.spawn(self.clone().serve(request));
        Box::pin(async move { answer.await.unwrap_or(Err(Cut)) })
    }
}

/// The body of an answer.
#[derive(Debug)]
pub enum Answer {
    /// All of it.
    Whole(Option<Bytes>),
    /// The lines of a watch as they come.
    Stream(mpsc::Receiver<Result<Bytes, Cut>>),
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        match &mut *self {
            Self::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Stream(lines) => lines
                .poll_recv(context)
                .map(|line| line.map(|line| line.map(Frame::data))),
        }
    }
}
