//! Bodies: reading those of requests, writing those of answers.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use futures::{Stream, StreamExt};
use http::{HeaderValue, Response, StatusCode, header};
use http_body::{Body, Frame};
use http_body_util::BodyExt;

use crate::call::Reply;
use crate::error::{ApiError, ApiResult};

/// What the real server takes in a request body.
const BODY_LIMIT: usize = 3 << 20;
/// Whoever sends more than this is cut off.
const DRAIN_LIMIT: usize = 32 << 20;

/// The body of an answer: complete, or the lines of a watch.
pub struct ApiBody(Kind);

enum Kind {
    Full(Option<Bytes>),
    Stream(Pin<Box<dyn Stream<Item = Bytes> + Send>>),
}

impl std::fmt::Debug for ApiBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Kind::Full(_) => "ApiBody(full)",
            Kind::Stream(_) => "ApiBody(stream)",
        })
    }
}

impl Body for ApiBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Kind::Full(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Stream(stream) => stream
                .poll_next_unpin(cx)
                .map(|next| next.map(|line| Ok(Frame::data(line)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Kind::Full(None))
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match &self.0 {
            Kind::Full(bytes) => {
                http_body::SizeHint::with_exact(bytes.as_ref().map_or(0, |b| b.len() as u64))
            }
            Kind::Stream(_) => http_body::SizeHint::default(),
        }
    }
}

/// The whole body. One that is too long is read on for a while: whoever still sends would not see the answer.
pub(crate) async fn read<B>(body: B) -> ApiResult<Bytes>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut body = pin!(body);
    let (mut whole, mut size) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            let error: Box<dyn std::error::Error + Send + Sync> = error.into();
            ApiError::bad_request(format!("unable to read the request body: {error}"))
        })?;
        let Ok(mut data) = frame.into_data() else {
            continue;
        };
        size += data.remaining();
        if size > DRAIN_LIMIT {
            break;
        }
        if size <= BODY_LIMIT {
            whole.extend_from_slice(&data.copy_to_bytes(data.remaining()));
        }
    }
    if size > BODY_LIMIT {
        return Err(ApiError::too_large(BODY_LIMIT));
    }
    Ok(whole.into())
}

/// An answer that goes on: the lines of a watch.
pub(crate) fn stream(
    lines: impl Stream<Item = Bytes> + Send + 'static,
    warnings: &[String],
) -> Response<ApiBody> {
    let mut response = Response::new(ApiBody(Kind::Stream(Box::pin(lines))));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    warn(response.headers_mut(), warnings);
    response
}

/// A complete answer.
pub(crate) fn response(reply: Reply, warnings: &[String]) -> Response<ApiBody> {
    let mut response = Response::new(ApiBody(Kind::Full(Some(reply.body))));
    *response.status_mut() =
        StatusCode::from_u16(reply.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(reply.content_type),
    );
    if let Some(seconds) = reply.retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    warn(headers, warnings);
    response
}

fn warn(headers: &mut http::HeaderMap, warnings: &[String]) {
    for warning in warnings {
        let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{quoted}\"")) {
            headers.append(header::WARNING, value);
        }
    }
}
