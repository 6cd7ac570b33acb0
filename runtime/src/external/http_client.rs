//! An HTTP client that cannot wait for ever.

use std::time::Duration;

use super::error::{CallError, CallResult};

/// A `reqwest` client with every timeout set: connect 5 s, no byte for 10 s, 15 s in all. Trusts the roots of the
/// platform.
///
/// # Errors
/// [`CallError::Other`] if TLS cannot be set up, for instance where the platform has no root certificates.
pub fn http_client() -> CallResult<reqwest::Client> {
    HttpClientBuilder::default().build()
}

/// [`http_client`] with other numbers. There is no way to switch a timeout off.
#[derive(Clone, Debug)]
pub struct HttpClientBuilder {
    connect: Duration,
    read: Duration,
    total: Duration,
    user_agent: String,
    idle_per_host: usize,
    https_only: bool,
}

impl Default for HttpClientBuilder {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            read: Duration::from_secs(10),
            total: Duration::from_secs(15),
            user_agent: concat!("opgen/", env!("CARGO_PKG_VERSION")).to_owned(),
            idle_per_host: 32,
            https_only: false,
        }
    }
}

impl HttpClientBuilder {
    /// The longest time to connect, TLS included. Default 5 s.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect = timeout;
        self
    }

    /// The longest time without a byte. Default 10 s.
    #[must_use]
    pub fn read_timeout(mut self, timeout: Duration) -> Self {
        self.read = timeout;
        self
    }

    /// The longest time from the call to the last byte of the answer. Default 15 s.
    #[must_use]
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.total = timeout;
        self
    }

    /// What the client calls itself. Default `opgen/<version>`.
    #[must_use]
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Idle connections kept per host. Default 32, the default bulkhead.
    #[must_use]
    pub fn idle_per_host(mut self, connections: usize) -> Self {
        self.idle_per_host = connections;
        self
    }

    /// Refuses plain HTTP, redirects to it included. Default off.
    #[must_use]
    pub fn https_only(mut self) -> Self {
        self.https_only = true;
        self
    }

    /// The client.
    ///
    /// # Errors
    /// [`CallError::Other`] if TLS cannot be set up.
    pub fn build(self) -> CallResult<reqwest::Client> {
        crate::clients::tls::install_provider();
        reqwest::Client::builder()
            .connect_timeout(self.connect)
            .read_timeout(self.read)
            .timeout(self.total)
            .user_agent(self.user_agent)
            .pool_max_idle_per_host(self.idle_per_host)
            // Shorter than what load balancers usually allow, so that a dead connection is rarely taken.
            .pool_idle_timeout(Duration::from_secs(50))
            .tcp_keepalive(Duration::from_secs(30))
            .https_only(self.https_only)
            .build()
            .map_err(CallError::from)
    }
}
