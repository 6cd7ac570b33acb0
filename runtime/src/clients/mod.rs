//! The two kube clients of an operator: one for watches, one for everything else.
//!
//! kube 5 has no read timeout, and repeats a POST up to fifteen times. Here every request has a limit, only requests
//! that may be repeated are (reads; applies; a PUT that names its resourceVersion; anything but a POST after a 429),
//! every attempt is counted in `rest_client_requests_total`, and after [`Clients::fence`] nothing is written any more.
//!
//! # TLS
//! The libraries of this workspace choose no TLS stack; the binary does, by the feature `tls` of this crate (rustls
//! with ring), which generated projects have. Without it only `http://` API servers and in-process ones can be used,
//! so tests need no TLS and build faster.

mod bounded;
mod error;
mod fence;
mod shape;
#[cfg(any(feature = "tls", feature = "http-client"))]
pub(crate) mod tls;

use std::{sync::Arc, time::Duration};

use kube::{Client, Config};

use crate::metrics::Metrics;
pub(crate) use bounded::Caller;
use bounded::Limits;
pub use error::ClientError;
pub use fence::Fence;

/// What the call client may take: 15 s from the request to the last byte, repetitions included.
const CALL: Limits = Limits {
    time: Duration::from_secs(15),
    head: Duration::from_secs(30),
    retries: 3,
};

/// What the watch client may take: 30 s for a list, 30 s for the head of a watch, no limit on an open stream (the
/// watch itself ends by its own timeout). Never repeated here: the watcher has a backoff of its own.
const WATCH: Limits = Limits {
    time: Duration::from_secs(30),
    head: Duration::from_secs(30),
    retries: 0,
};

/// What the lease's client may take. The elector repeats by itself, and before this is over.
const LEASE: Limits = Limits {
    time: Duration::from_secs(15),
    head: Duration::from_secs(15),
    retries: 0,
};

/// The clients of one operator, and the metrics their requests are counted in. Clones share everything.
#[derive(Clone)]
pub struct Clients {
    /// For lists and watches.
    pub watch: Client,
    /// For everything else.
    pub call: Client,
    caller: Caller,
    lease: LeaseClient,
    fence: Fence,
    metrics: Metrics,
}

/// Where the lease's client comes from.
#[derive(Clone)]
enum LeaseClient {
    /// A new one, whose connections live on the runtime it is made in.
    Of(Box<Config>),
    /// One made elsewhere.
    Given(Client),
}

impl std::fmt::Debug for Clients {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clients")
            .field("namespace", &self.call.default_namespace())
            .field("fence", &self.fence)
            .finish_non_exhaustive()
    }
}

impl Clients {
    /// The clients of the cluster this process runs in, or that the kubeconfig names.
    ///
    /// # Errors
    /// If there is neither, or as [`from_config`](Self::from_config).
    pub async fn try_default() -> kube::Result<Self> {
        let config = Config::infer().await.map_err(kube::Error::InferConfig)?;
        Self::from_config(config)
    }

    /// The clients of the cluster of `config`. Call it inside a tokio runtime.
    ///
    /// # Errors
    /// If the credentials or certificates cannot be read, or if the cluster speaks HTTPS and the binary was built
    /// without the feature `tls`.
    pub fn from_config(mut config: Config) -> kube::Result<Self> {
        #[cfg(feature = "tls")]
        tls::install_provider();
        // Both are done by our own layer, which knows the verbs.
        config.default_retry = false;
        config.read_timeout = None;
        config.connect_timeout = Some(Duration::from_secs(5));
        // Each with connections of its own: lists that saturate one must not delay a status write on the other.
        let watch = Client::try_from(config.clone())?;
        let call = Client::try_from(config.clone())?;
        Ok(Self {
            lease: LeaseClient::Of(Box::new(config)),
            ..Self::wrap(watch, call, Metrics::new())
        })
    }

    /// Both clients over one, for tests against a server in the same process. The same layers, so the same limits.
    /// Call it inside a tokio runtime, which may be paused.
    #[must_use]
    pub fn in_process(client: Client) -> Self {
        Self::wrap(client.clone(), client, Metrics::new())
    }

    /// The same over clients made elsewhere (a proxy, other credentials), counted in `metrics`.
    #[must_use]
    pub fn wrap(watch: Client, call: Client, metrics: Metrics) -> Self {
        let fence = Fence::default();
        let layer = |client, limits| bounded::layer(client, limits, fence.clone(), metrics.clone());
        let calls = layer(call.clone(), CALL);
        Self {
            lease: LeaseClient::Given(call),
            watch: bounded::client(layer(watch, WATCH)),
            call: bounded::client(Arc::clone(&calls)),
            caller: Caller(calls),
            fence,
            metrics,
        }
    }

    /// The operator's metrics.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Refuses every write from now on, and gives up those under way: the lease is lost.
    pub fn fence(&self) {
        self.fence.close();
    }

    /// The switch itself, for the thread that holds the lease.
    #[must_use]
    pub fn fence_switch(&self) -> Fence {
        self.fence.clone()
    }

    /// A client for the lease alone. Of clients made elsewhere it is the one for calls, whose connections may live on
    /// another runtime.
    pub(crate) fn for_lease(&self) -> kube::Result<Client> {
        let inner = match &self.lease {
            LeaseClient::Of(config) => Client::try_from((**config).clone())?,
            LeaseClient::Given(client) => client.clone(),
        };
        Ok(bounded::client(bounded::layer(
            inner,
            LEASE,
            self.fence.clone(),
            self.metrics.clone(),
        )))
    }

    /// The way of the requests that runs consist of: the same limits as those of [`call`](Self::call).
    pub(crate) fn caller(&self) -> Caller {
        self.caller.clone()
    }

    /// Whether writes are refused.
    #[must_use]
    pub fn is_fenced(&self) -> bool {
        self.fence.is_closed()
    }
}
