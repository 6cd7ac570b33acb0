//! The error of a handler: what went wrong, and whether trying again can help.

use std::{error::Error as StdError, fmt, time::Duration};

/// The result of a handler.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// How the driver answers an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// Tried again with per-object exponential backoff.
    Transient,
    /// Trying again cannot help: the object goes to the failed phase.
    Permanent,
    /// No permit of a bulkhead, or an open breaker: looked at again soon; not a failure of this object.
    Saturated,
}

/// Any error, with its class. Every `std` error converts into a transient one by `?`.
pub struct Error {
    class: ErrorClass,
    retry_after: Option<Duration>,
    panicked: bool,
    timed_out: bool,
    source: Box<dyn StdError + Send + Sync>,
}

impl Error {
    /// A transient error from a message.
    pub fn msg(message: impl Into<String>) -> Self {
        Self {
            class: ErrorClass::Transient,
            retry_after: None,
            panicked: false,
            timed_out: false,
            source: message.into().into(),
        }
    }

    /// The same error, said to be permanent: no retry can mend it, the spec has to change.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.class = ErrorClass::Permanent;
        self
    }

    /// The same error with another class.
    #[must_use]
    pub fn with_class(mut self, class: ErrorClass) -> Self {
        self.class = class;
        self
    }

    /// The same error, not to be tried again before `delay`.
    #[must_use]
    pub fn retry_after(mut self, delay: Duration) -> Self {
        self.retry_after = Some(delay);
        self
    }

    /// The same error, with what it is about before it.
    pub(crate) fn context(self, about: &str) -> Self {
        let source = format!("{about}: {self}").into();
        Self { source, ..self }
    }

    /// The error that a contained panic becomes.
    pub(crate) fn panic(payload: &(dyn std::any::Any + Send)) -> Self {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "without a message".to_owned());
        Self {
            panicked: true,
            ..Self::msg(format!("the handler panicked: {text}"))
        }
    }

    /// The error of a handler that took too long.
    pub(crate) fn timeout(message: impl Into<String>) -> Self {
        Self {
            timed_out: true,
            ..Self::msg(message)
        }
    }

    /// What kind of failure it is, in a word for a metric.
    pub(crate) fn reason(&self) -> &'static str {
        let timed_out = self.timed_out
            || matches!(
                self.downcast_ref(),
                Some(crate::external::CallError::Timeout { .. })
            );
        match self.class {
            _ if self.panicked => "panic",
            ErrorClass::Permanent => "permanent",
            ErrorClass::Saturated => "saturated",
            ErrorClass::Transient if timed_out => "timeout",
            ErrorClass::Transient => "transient",
        }
    }

    /// Whether it was a panic.
    #[must_use]
    pub fn is_panic(&self) -> bool {
        self.panicked
    }

    /// Its class.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        self.class
    }

    /// What the other side asked for (`Retry-After`).
    #[must_use]
    pub fn delay(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The underlying error, if it is an `E`.
    #[must_use]
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        self.source.downcast_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.source)?;
        let mut cause = self.source.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.class)
    }
}

impl<E> From<E> for Error
where
    E: StdError + Send + Sync + 'static,
{
    fn from(error: E) -> Self {
        let (class, retry_after) = crate::external::classify(&error);
        Self {
            class,
            retry_after,
            panicked: false,
            timed_out: false,
            source: Box::new(error),
        }
    }
}

/// Says of a `Result` what [`Error::permanent`] says of an error.
pub trait ResultExt<T> {
    /// A failure is permanent.
    ///
    /// # Errors
    /// The same ones, marked permanent.
    fn permanent(self) -> Result<T>;
}

impl<T, E: Into<Error>> ResultExt<T> for std::result::Result<T, E> {
    fn permanent(self) -> Result<T> {
        self.map_err(|error| error.into().permanent())
    }
}
