//! Bounded clients for the outside.

mod scope;

pub use scope::CallScope;

use std::time::Duration;

use crate::error::ErrorClass;

/// What an error says of itself: its class, and when the other side wants to be asked again.
pub(crate) fn classify(
    error: &(dyn std::error::Error + 'static),
) -> (ErrorClass, Option<Duration>) {
    let _ = error;
    (ErrorClass::Transient, None)
}
