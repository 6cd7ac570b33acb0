//! What the layers around the kube clients add to its errors.

use std::time::Duration;

/// Inside a [`kube::Error::Service`]; [`ClientError::of`] finds it there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The API server did not answer in time. A write may have been done all the same.
    #[error("the API server did not answer {method} {path} within {after:?}")]
    Timeout {
        /// The HTTP method.
        method: &'static str,
        /// The path asked for.
        path: String,
        /// How long it was given.
        after: Duration,
    },
    /// This process lost its lease: it writes no more.
    #[error(
        "{method} {path} was refused here: this process is no longer the leader and must not write"
    )]
    Fenced {
        /// The HTTP method.
        method: &'static str,
        /// The path asked for.
        path: String,
    },
}

impl ClientError {
    /// The error in `error`, if one of these layers made it.
    #[must_use]
    pub fn of(error: &kube::Error) -> Option<&Self> {
        match error {
            kube::Error::Service(source) => source.downcast_ref(),
            _ => None,
        }
    }
}
