//! The provider, behind bounds.

use opgen_runtime::{external::CallResult, timeout_client};

/// What is asked of the provider. Handlers get a `DnsHandle`, whose calls have a timeout, a permit, a breaker, and
/// retries where they are harmless.
#[timeout_client(timeout = "5s", bulkhead = 8)]
pub trait Dns: Send + Sync + 'static {
    /// Points a name somewhere, and says where it points now.
    #[call(idempotent)]
    async fn set(&self, name: &str, address: &str) -> CallResult<String>;
}
