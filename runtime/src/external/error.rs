//! What can go wrong with a call to the outside, sorted by what it means for the caller.

use std::{error::Error as StdError, time::Duration};

use http::{HeaderMap, StatusCode};
use tokio::time::Instant;

use crate::{external::retry_after, observed::RepeatedCursor};

/// The result of a call through a bounded client.
pub type CallResult<T> = Result<T, CallError>;

/// The source of an error, of any type.
pub type Source = Box<dyn StdError + Send + Sync>;

/// At most so much of a provider's answer goes into a message: it may end up in a condition.
const EXCERPT: usize = 256;

/// Why a call failed. A provider makes [`Transport`](Self::Transport), [`Unauthorized`](Self::Unauthorized),
/// [`Throttled`](Self::Throttled), [`NotFound`](Self::NotFound), [`Rejected`](Self::Rejected),
/// [`Unavailable`](Self::Unavailable) and [`Other`](Self::Other), most easily by
/// [`from_response`](Self::from_response); the guard makes the rest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// No answer in time. What was asked may have been done all the same.
    #[error("no answer within {after:.0?}; the provider may have done it all the same")]
    Timeout {
        /// How long the call was given.
        after: Duration,
    },
    /// No permit of the bulkhead in time: nothing was sent.
    #[error(
        "all {permits} permits of the client are taken and none came free within {waited:.0?}; nothing was sent"
    )]
    Saturated {
        /// The permits there are.
        permits: usize,
        /// How long the call waited for one.
        waited: Duration,
    },
    /// The time of the run is spent: nothing was sent.
    #[error("no time left in this run; nothing was sent")]
    NoTime,
    /// The target failed too often of late: nothing was sent.
    #[error("the breaker is open after repeated failures; nothing was sent")]
    BreakerOpen {
        /// When a call may try again.
        until: Instant,
    },
    /// No connection, or one that broke. What was asked may have been done all the same.
    #[error("the provider could not be reached")]
    Transport(#[source] Source),
    /// The credentials were refused (401, 403, 407).
    #[error("the provider refused the credentials ({status}): {message}")]
    Unauthorized {
        /// 401, 403 or 407.
        status: StatusCode,
        /// What the provider said, cut short.
        message: String,
    },
    /// The provider asks for fewer calls (429).
    #[error("the provider throttles{}", retry_after::words(*.retry_after))]
    Throttled {
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// 404 or 410. Never proof of absence by itself: a proxy or a wrong path says the same. See
    /// [`Absent::by_status`](crate::observed::Absent::by_status).
    #[error("the provider does not know it: {message}")]
    NotFound {
        /// What the provider said, cut short.
        message: String,
    },
    /// The provider understood and said no (any other 4xx): the same call will not fare better, so the error is
    /// permanent; only 409 and 423 (somebody else holds it) are transient.
    #[error("the provider rejected the call ({status}): {message}")]
    Rejected {
        /// The status it answered with.
        status: StatusCode,
        /// What the provider said, cut short.
        message: String,
    },
    /// The provider is there but not able (5xx, 408, 425).
    #[error("the provider is unavailable ({status}{}): {message}", retry_after::words(*.retry_after))]
    Unavailable {
        /// The status it answered with.
        status: StatusCode,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
        /// What the provider said, cut short.
        message: String,
    },
    /// Anything else, for instance an answer that does not parse. Transient; does not move the breaker.
    #[error("the call failed")]
    Other(#[source] Source),
}

impl CallError {
    /// The error an HTTP answer stands for. `Retry-After` is read as seconds or as a date (compared with the
    /// answer's own `Date`, so that a skewed clock does no harm). Only call it for answers that are no success.
    #[must_use]
    pub fn from_response(status: StatusCode, headers: &HeaderMap, body: &str) -> Self {
        let message = excerpt(body);
        let retry_after = retry_after::from_headers(headers);
        match status {
            StatusCode::UNAUTHORIZED
            | StatusCode::FORBIDDEN
            | StatusCode::PROXY_AUTHENTICATION_REQUIRED => Self::Unauthorized { status, message },
            StatusCode::TOO_MANY_REQUESTS => Self::Throttled { retry_after },
            StatusCode::NOT_FOUND | StatusCode::GONE => Self::NotFound { message },
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY => Self::Unavailable {
                status,
                retry_after,
                message,
            },
            status if status.is_client_error() => Self::Rejected { status, message },
            status if status.is_server_error() => Self::Unavailable {
                status,
                retry_after,
                message,
            },
            status => Self::other(format!("unexpected status {status}: {message}")),
        }
    }

    /// A broken connection.
    pub fn transport(source: impl Into<Source>) -> Self {
        Self::Transport(source.into())
    }

    /// Anything not covered by the other variants.
    pub fn other(source: impl Into<Source>) -> Self {
        Self::Other(source.into())
    }

    /// A permanent no that did not come as an HTTP status.
    pub fn rejected(message: impl Into<String>) -> Self {
        Self::Rejected {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            message: message.into(),
        }
    }

    /// Whether the same call could fare better at once: only then a call marked idempotent is repeated.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Timeout { .. } | Self::Transport(_) | Self::Unavailable { .. }
        )
    }

    /// Whether the target itself is to blame: what the breaker counts.
    pub(crate) fn blames_target(&self) -> bool {
        self.is_retryable()
    }

    /// How long the other side wants to be left alone.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Throttled { retry_after } | Self::Unavailable { retry_after, .. } => *retry_after,
            Self::BreakerOpen { until } => Some(until.saturating_duration_since(Instant::now())),
            _ => None,
        }
    }

    /// One word for the metric label `result`.
    #[must_use]
    pub fn result(&self) -> &'static str {
        match self {
            Self::Timeout { .. } => "timeout",
            Self::Saturated { .. } => "saturated",
            Self::NoTime => "no_time",
            Self::BreakerOpen { .. } => "breaker_open",
            Self::Transport(_) => "transport",
            Self::Unauthorized { .. } => "unauthorized",
            Self::Throttled { .. } => "throttled",
            Self::NotFound { .. } => "not_found",
            Self::Rejected { .. } => "rejected",
            Self::Unavailable { .. } => "unavailable",
            Self::Other(_) => "error",
        }
    }

    /// The message with its causes.
    pub(crate) fn words(&self) -> String {
        let mut words = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            words.push_str(": ");
            words.push_str(&error.to_string());
            cause = error.source();
        }
        words
    }
}

impl From<RepeatedCursor> for CallError {
    fn from(error: RepeatedCursor) -> Self {
        Self::other(error)
    }
}

#[cfg(feature = "http-client")]
impl From<reqwest::Error> for CallError {
    fn from(error: reqwest::Error) -> Self {
        // The URL may carry a token in its query, and the message may end up in a condition.
        let error = error.without_url();
        match error.status() {
            Some(status) => Self::from_response(status, &HeaderMap::new(), &error.to_string()),
            None if error.is_builder() || error.is_redirect() || does_not_parse(&error) => {
                Self::other(error)
            }
            None => Self::transport(error),
        }
    }
}

/// A body that breaks off is a "decode error" to reqwest as much as one that arrived and makes no sense.
#[cfg(feature = "http-client")]
fn does_not_parse(error: &reqwest::Error) -> bool {
    std::iter::successors(error.source(), |error| StdError::source(*error))
        .any(|error| error.is::<serde_json::Error>())
}

/// The beginning of a body, on one line.
fn excerpt(body: &str) -> String {
    let mut words = body.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.len() > EXCERPT {
        let end = (0..=EXCERPT)
            .rev()
            .find(|end| words.is_char_boundary(*end))
            .unwrap_or(0);
        words.truncate(end);
        words.push_str("..");
    }
    words
}
