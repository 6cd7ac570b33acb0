//! A value that must not be shown.

use std::fmt;

use serde::{Deserialize, Deserializer};

/// A secret: it can be read from configuration and used, but it prints as `<redacted>` and has no `Serialize`, so it
/// cannot stand in a status, an event or a structured log.
///
/// ```
/// # use opgen_runtime::status::Sensitive;
/// let token = Sensitive::new("s3cr3t".to_owned());
/// assert_eq!(format!("{token} {token:?}"), "<redacted> <redacted>");
/// assert_eq!(token.expose(), "s3cr3t");
/// ```
///
/// A status with one does not compile:
///
/// ```compile_fail,E0277
/// # use opgen_runtime::status::Sensitive;
/// #[derive(serde::Serialize)]
/// struct DatabaseStatus {
///     password: Sensitive<String>,
/// }
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Sensitive<T>(T);

impl<T> Sensitive<T> {
    /// Wraps a secret.
    pub const fn new(secret: T) -> Self {
        Self(secret)
    }

    /// The secret itself. The name is long enough to be found in a review.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// The secret itself, by value.
    pub fn into_exposed(self) -> T {
        self.0
    }
}

impl<T> From<T> for Sensitive<T> {
    fn from(secret: T) -> Self {
        Self(secret)
    }
}

impl<T> fmt::Debug for Sensitive<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<redacted>")
    }
}

impl<T> fmt::Display for Sensitive<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<redacted>")
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Sensitive<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The error of the inner type may quote the value.
        T::deserialize(deserializer)
            .map(Self)
            .map_err(|_| serde::de::Error::custom("a sensitive value has the wrong type"))
    }
}
