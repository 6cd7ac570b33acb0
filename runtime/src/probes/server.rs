//! The server: small, and not to be hurt from outside.

use std::{
    collections::VecDeque,
    convert::Infallible,
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpStream, sync::oneshot, task::AbortHandle};

use super::{ProbeSource, respond};
use crate::mutant::carried;

/// Connections at a time. One more, and the oldest is dropped: a flood must not keep the kubelet out.
const CONNECTIONS: usize = 64;
/// For a request's head.
const HEAD: Duration = Duration::from_secs(5);
/// For a connection from its first byte to its last, so that nobody holds one by reading slowly.
const LIFE: Duration = Duration::from_secs(60);
/// After a failed accept (no file descriptors left), instead of spinning.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct ProbeServer {
    address: SocketAddr,
    /// Dropped, it tells the server to end.
    _stop: oneshot::Sender<Infallible>,
}

impl ProbeServer {
    /// Where it listens; the port that was chosen if it was asked for port 0.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Serves `source` on `address` from a thread and a runtime of its own.
///
/// # Errors
/// If the address cannot be bound, or the thread not be started.
pub fn serve(address: SocketAddr, source: Arc<dyn ProbeSource>) -> io::Result<ProbeServer> {
    let (listener, address) = bind(address)?;
    let (stop, stopped) = oneshot::channel();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::Builder::new()
        .name("probes".to_owned())
        .spawn(carried(move || {
            // A listener that worked for std and not for tokio is a bug of the platform; the probes then fail, which
            // is how it is seen.
            if let Err(error) = runtime.block_on(run(listener, source, stopped)) {
                tracing::error!(%error, "the probe server could not start");
            }
        }))?;
    Ok(ProbeServer {
        address,
        _stop: stop,
    })
}

/// The same as a task of the present runtime. A blocked executor silences it; for tests and single-threaded uses.
///
/// # Errors
/// If the address cannot be bound.
///
/// # Panics
/// Outside a tokio runtime.
pub fn serve_inline(address: SocketAddr, source: Arc<dyn ProbeSource>) -> io::Result<ProbeServer> {
    let (listener, address) = bind(address)?;
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(run(listener, source, stopped));
    Ok(ProbeServer {
        address,
        _stop: stop,
    })
}

fn bind(address: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("the probes cannot listen on {address}: {error}; choose another address"),
        )
    })?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

async fn run(
    listener: TcpListener,
    source: Arc<dyn ProbeSource>,
    mut stopped: oneshot::Receiver<Infallible>,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let mut open = Open::default();
    loop {
        tokio::select! {
            _ = &mut stopped => return Ok(()),
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => open.add(stream, Arc::clone(&source)),
                Err(error) => {
                    tracing::debug!(%error, "a probe connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
}

/// The open connections, oldest first; they end with it.
#[derive(Default)]
struct Open {
    tasks: VecDeque<AbortHandle>,
}

impl Open {
    fn add(&mut self, stream: TcpStream, source: Arc<dyn ProbeSource>) {
        self.tasks.retain(|task| !task.is_finished());
        if self.tasks.len() >= CONNECTIONS
            && let Some(oldest) = self.tasks.pop_front()
        {
            oldest.abort();
        }
        let task = tokio::spawn(connection(stream, source));
        self.tasks.push_back(task.abort_handle());
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

async fn connection(stream: TcpStream, source: Arc<dyn ProbeSource>) {
    let service = service_fn(|request: Request<Incoming>| {
        let response: Response<Full<Bytes>> = respond(source.as_ref(), &request).map(Full::from);
        async move { Ok::<_, Infallible>(response) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(16 * 1024)
        .serve_connection(TokioIo::new(stream), service);
    // A bad request ends its own connection and nothing else.
    match tokio::time::timeout(LIFE, served).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::trace!(%error, "a probe connection broke"),
        Err(_) => tracing::trace!("a probe connection was open for too long"),
    }
}
