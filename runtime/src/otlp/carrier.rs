//! The HTTP client of the exporter: every request ends, and who waits for it does not need a runtime.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use opentelemetry_http::{HttpClient, HttpError};
use tokio::runtime::Handle;

use crate::error::Result;

/// One request, from the connect to the last byte of the answer: the default of the specification.
const LIMIT: Duration = Duration::from_secs(10);

/// An answer is a few bytes.
const MOST: usize = 64 * 1024;

#[cfg(feature = "tls")]
type Connector = hyper_rustls::HttpsConnector<HttpConnector>;
#[cfg(not(feature = "tls"))]
type Connector = HttpConnector;

/// Sends on the operator's runtime what the exporter's own thread waits for.
#[derive(Debug)]
pub(super) struct Carrier {
    client: Client<Connector, Full<Bytes>>,
    runtime: Handle,
    /// People are told once that spans are lost, and once that they are not any more.
    fails: Arc<AtomicBool>,
}

impl Carrier {
    pub(super) fn new(runtime: Handle) -> Result<Self> {
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build(connector()?),
            runtime,
            fails: Arc::default(),
        })
    }

    fn tell(&self, sent: &std::result::Result<Response<Bytes>, HttpError>) {
        let why = match sent {
            Ok(answer) if answer.status().is_success() => {
                if self.fails.swap(false, Ordering::Relaxed) {
                    tracing::info!("the collector takes traces again");
                }
                return;
            }
            Ok(answer) => answer.status().to_string(),
            Err(error) => error.to_string(),
        };
        if !self.fails.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                why,
                "the collector takes no traces, which are dropped until it does: it has to speak OTLP over HTTP, as it does on port 4318"
            );
        }
    }
}

#[async_trait]
impl HttpClient for Carrier {
    async fn send_bytes(
        &self,
        request: Request<Bytes>,
    ) -> std::result::Result<Response<Bytes>, HttpError> {
        let sent = send(self.client.clone(), request.map(Full::new));
        // Timers belong to the runtime, too.
        let sent = async move { tokio::time::timeout(LIMIT, sent).await };
        let sent = match self.runtime.spawn(sent).await {
            Ok(Ok(sent)) => sent,
            Ok(Err(_)) => Err(format!("no answer within {LIMIT:?}").into()),
            Err(error) => Err(error.into()),
        };
        self.tell(&sent);
        sent
    }
}

async fn send(
    client: Client<Connector, Full<Bytes>>,
    request: Request<Full<Bytes>>,
) -> std::result::Result<Response<Bytes>, HttpError> {
    let (head, body) = client.request(request).await.map_err(deepest)?.into_parts();
    let body = Limited::new(body, MOST).collect().await?.to_bytes();
    Ok(Response::from_parts(head, body))
}

/// `hyper_util` says "client error (Connect)", and why only in what is below.
fn deepest(error: hyper_util::client::legacy::Error) -> HttpError {
    let mut words = error.to_string();
    let mut below = std::error::Error::source(&error);
    while let Some(error) = below {
        words = format!("{words}: {error}");
        below = error.source();
    }
    words.into()
}

#[cfg(feature = "tls")]
fn connector() -> Result<Connector> {
    let provider = rustls::crypto::ring::default_provider();
    let connector = hyper_rustls::HttpsConnectorBuilder::new()
        .with_provider_and_native_roots(provider)
        .map_err(|error| {
            crate::error::Error::msg(format!(
                "traces cannot be sent: no root certificates can be read: {error}"
            ))
        })?;
    Ok(connector.https_or_http().enable_http1().build())
}

#[cfg(not(feature = "tls"))]
#[expect(clippy::unnecessary_wraps, reason = "with TLS it can fail")]
fn connector() -> Result<Connector> {
    Ok(HttpConnector::new())
}
