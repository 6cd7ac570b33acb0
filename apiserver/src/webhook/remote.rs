//! Webhooks behind a socket.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{Request, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::tls;

/// What an answer may be long.
const ANSWER_LIMIT: usize = 3 << 20;

/// Where a webhook listens, and whom to trust there.
#[derive(Clone, Debug, Default)]
pub(super) struct Remote {
    /// In place of what its name resolves to.
    pub(super) at: Option<SocketAddr>,
    /// The `caBundle` of its configuration.
    pub(super) bundle: String,
}

impl Remote {
    /// Sends a review and reads the answer.
    pub(super) async fn post(&self, url: &str, review: &Value) -> Result<Value, String> {
        let uri: Uri = url.parse().map_err(|error| format!("{error}"))?;
        let host = uri.host().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let stream = match self.at {
            Some(at) => TcpStream::connect(at).await,
            None => TcpStream::connect((bare, port)).await,
        };
        let stream = stream.map_err(|error| format!("dial tcp {host}:{port}: {error}"))?;
        let request = Request::post(uri.path_and_query().map_or("/", |path| path.as_str()))
            .header(header::HOST, format!("{host}:{port}"))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json")
            .body(Full::new(Bytes::from(review.to_string())))
            .map_err(|error| error.to_string())?;
        if secure {
            exchange(tls::wrap(stream, bare, &self.bundle).await?, request).await
        } else {
            exchange(stream, request).await
        }
    }
}

async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Value, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| error.to_string())?;
    let connection = tokio::spawn(connection);
    let answered = async {
        let response = sender
            .send_request(request)
            .await
            .map_err(|error| error.to_string())?;
        let status = response.status();
        let body = Limited::new(response.into_body(), ANSWER_LIMIT)
            .collect()
            .await
            .map_err(|error| error.to_string())?
            .to_bytes();
        if !status.is_success() {
            let text = String::from_utf8_lossy(&body);
            return Err(format!(
                "an error on the server ({text:?}) has prevented the request from succeeding"
            ));
        }
        serde_json::from_slice(&body)
            .map_err(|error| format!("couldn't get version/kind; json parse error: {error}"))
    }
    .await;
    connection.abort();
    answered
}
