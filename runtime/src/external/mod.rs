//! Bounded clients for the outside: what `#[timeout_client]` calls at run time.
//!
//! Every call goes through a [`Guard`]: a timeout, never beyond the deadline of the handler that makes it; a permit of
//! its target's bulkhead; a circuit breaker; `Retry-After`; and the rule that only a call marked idempotent is ever
//! repeated.

mod breaker;
mod cache;
mod classify;
mod error;
mod guard;
#[cfg(feature = "http-client")]
mod http_client;
mod intents;
mod per_secret;
pub(crate) mod retry_after;
mod scope;
mod settings;
mod sightings;
mod target;

pub use cache::ClientCache;
pub(crate) use classify::classify;
pub use error::{CallError, CallResult, Source};
pub use guard::Guard;
#[cfg(feature = "http-client")]
pub use http_client::{HttpClientBuilder, http_client};
pub use per_secret::PerSecret;
pub use scope::CallScope;
pub use settings::{BreakerSettings, CallOptions, ClientSettings, Target};
pub(crate) use sightings::Sighted;
