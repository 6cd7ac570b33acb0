//! A client trait with everything it may have.

use opgen_runtime::context::BoundedClient;
use opgen_runtime::external::{CallError, CallResult, ClientSettings};
use opgen_runtime::prelude::*;

mod api {
    use super::*;

    #[timeout_client(bulkhead = 4)]
    pub(crate) trait Registry {
        /// Owned arguments are cloned for a retry.
        #[call(idempotent)]
        async fn tag(&self, name: String, tags: Vec<String>) -> CallResult<()>;
        /// Borrowed data, elided and hidden lifetimes.
        async fn send(&self, bytes: &[u8], label: Option<&str>, cow: std::borrow::Cow<'_, str>) -> Result<usize, CallError>;
        /// Looks without a key.
        async fn anything(&self) -> CallResult<Observed<String>>;
        /// Goes to a region.
        #[call(idempotent, target = region)]
        async fn list(&self, region: &str) -> CallResult<Vec<String>>;
        /// Goes to a region whose name is owned.
        #[call(target = region)]
        async fn count(&self, region: String) -> CallResult<usize>;
        /// Always goes to the same one.
        #[call(target = "billing")]
        async fn bill(&self) -> CallResult<u64>;
        /// Has a body.
        #[call(timeout = "250ms")]
        async fn ping(&self) -> CallResult<bool> {
            let sent = self.send(b"ping", None, "".into()).await?;
            Ok(sent == 4)
        }
        fn same(&self, left: &str, right: &str) -> bool {
            left == right
        }
    }
}

use api::{BoundedRegistry, Registry, RegistryHandle};

struct Memory<T>(T);

#[timeout_client]
impl<T: Send + Sync + 'static> Registry for Memory<T> {
    async fn tag(&self, name: String, mut tags: Vec<String>) -> CallResult<()> {
        tags.push(name);
        Ok(())
    }

    async fn send(&self, bytes: &[u8], _: Option<&str>, _: std::borrow::Cow<'_, str>) -> Result<usize, CallError> {
        if bytes.is_empty() {
            return Err(CallError::rejected("nothing to send"));
        }
        Ok(bytes.len())
    }

    async fn list(&self, region: &str) -> CallResult<Vec<String>> {
        Ok(vec![region.to_owned()])
    }

    async fn count(&self, region: String) -> CallResult<usize> {
        Ok(region.len())
    }

    async fn bill(&self) -> CallResult<u64> {
        Ok(1)
    }

    async fn anything(&self) -> CallResult<Observed<String>> {
        Ok(Observed::Unknown("nobody looked".to_owned()))
    }
}

async fn all(registry: &RegistryHandle) -> CallResult<bool> {
    registry.tag("a".to_owned(), Vec::new()).await?;
    registry.send(b"x", Some("label"), "cow".into()).await?;
    registry.list("eu").await?;
    registry.count("us".to_owned()).await?;
    registry.bill().await?;
    registry.for_target("eu").anything().await?;
    Ok(registry.ping().await? && registry.same("a", "a"))
}

fn is_send<T: Send>(_: T) {}

fn use_handle(client: &BoundedRegistry, scope: opgen_runtime::external::CallScope) {
    is_send(async move {
        let _ = &scope;
    });
    let _ = client;
}

fn main() {
    let settings = BoundedRegistry::settings();
    assert_eq!(settings, ClientSettings { bulkhead: 4, ..ClientSettings::default() });
    let client = BoundedRegistry::with_settings(Memory(1), ClientSettings { retries: 0, ..settings });
    let shared = BoundedRegistry::from_arc(std::sync::Arc::new(Memory("x")));
    assert!(format!("{:?}", client.for_target("us")).starts_with("BoundedRegistry"));
    let _ = (use_handle, BoundedRegistry::handle, shared, BoundedRegistry::new(Memory(())));
    fn check(registry: RegistryHandle) {
        is_send(async move { all(&registry).await });
    }
    let _ = check;
}
