//! The cluster over HTTP/1.1.

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::cluster::{Cluster, Shared};
use crate::service::{ClusterService, READ_TIMEOUT};

/// Why a cluster cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Anybody who reaches the address would be admin.
    #[error(
        "{0} is not a loopback address; call serve_anywhere if the cluster is meant to be reached from outside"
    )]
    NotLoopback(SocketAddr),
    /// The address is taken, or may not be used.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
}

/// A cluster that is being served. It ends with [`Served::shutdown`] or when this is dropped.
#[derive(Debug)]
pub struct Served {
    /// Where it listens; the port is filled in if 0 was asked for.
    pub addr: SocketAddr,
    token: Option<String>,
    stop: watch::Sender<bool>,
}

impl Served {
    /// A kubeconfig for the cluster, with the token that was named to [`Served::with_token`], if any.
    pub fn kubeconfig(&self) -> String {
        self.kubeconfig_for(self.token.as_deref(), "default")
    }

    /// A kubeconfig for whom this token belongs to (see [`Cluster::add_token`]), with the namespace to look at first.
    pub fn kubeconfig_for(&self, token: Option<&str>, namespace: &str) -> String {
        let user = match token {
            Some(token) => format!("{{ token: {token:?} }}"),
            None => "{}".to_owned(),
        };
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: opgen\nclusters:\n- name: opgen\n  cluster:\n    server: http://{}\ncontexts:\n- name: opgen\n  context:\n    cluster: opgen\n    user: opgen\n    namespace: {namespace}\nusers:\n- name: opgen\n  user: {user}\n",
            self.addr
        )
    }

    /// The token that [`Served::kubeconfig`] writes.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Stops listening and closes all connections.
    pub fn shutdown(&self) {
        self.stop.send_replace(true);
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.shutdown();
    }
}

impl Cluster {
    /// Serves the cluster over HTTP on a loopback address, in the background of the current runtime.
    ///
    /// Without tokens (see [`Cluster::add_token`]) and RBAC everybody is admin. A token that is not known is refused.
    ///
    /// # Errors
    /// An address that is not loopback, or cannot be listened on.
    pub async fn serve(&self, address: SocketAddr) -> Result<Served, ServeError> {
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback(address));
        }
        self.serve_anywhere(address).await
    }

    /// As [`Cluster::serve`], on any address.
    ///
    /// # Errors
    /// An address that cannot be listened on.
    pub async fn serve_anywhere(&self, address: SocketAddr) -> Result<Served, ServeError> {
        let failed = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let addr = listener.local_addr().map_err(failed)?;
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(accept(listener, self.0.clone(), stopped));
        Ok(Served {
            addr,
            token: None,
            stop,
        })
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of file descriptors, most likely: others must be given time to end.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = stopping(&mut stopped) => return,
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(ClusterService::new(shared.clone(), None));
        let mut stopped = stopped.clone();
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(READ_TIMEOUT)
                .serve_connection(TokioIo::new(stream), service);
            tokio::select! {
                served = connection => if let Err(error) = served {
                    tracing::debug!(%error, "connection ended");
                },
                () = stopping(&mut stopped) => {}
            }
        });
    }
}

async fn stopping(stopped: &mut watch::Receiver<bool>) {
    // An error means that the handle is gone, which stops as well.
    let _ = stopped.wait_for(|stop| *stop).await;
}
