//! Clients whose credentials are an object's own: one per secret.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use k8s_openapi::api::core::v1::Secret;

use super::{cache::ClientCache, guard::Guard, scope::CallScope};
use crate::{
    context::{BoundedClient, ContextField},
    error::{Error, Result},
};

/// Makes a client from a secret.
type Make<C> = dyn Fn(&Secret) -> Result<C> + Send + Sync;

/// Bounded clients made from secrets, for objects that bring their own credentials. A field of this type in a context
/// becomes the method `<field>_for(&secret)` of `Cx`.
///
/// A client is made once per version of its secret and replaced when that rotates; at most 256 are held
/// ([`holding`](Self::holding)), the one unused for longest going first. Each secret has permits and a breaker of its own,
/// so one tenant's broken account is nobody else's. What is remembered of creates outlives a rotation: a new key is no
/// reason to believe in an absence sooner.
///
/// ```
/// # use opgen_runtime::{external::PerSecret, prelude::*, external::CallResult};
/// # #[timeout_client] trait Provider { async fn ping(&self) -> CallResult<()>; }
/// # struct Api(String);
/// # #[timeout_client] impl Provider for Api { async fn ping(&self) -> CallResult<()> { Ok(()) } }
/// let provider: PerSecret<BoundedProvider> = PerSecret::new(|secret| {
///     let token = secret.data.as_ref().and_then(|data| data.get("token"));
///     let token = token.ok_or_else(|| Error::msg("the secret has no key `token`"))?;
///     Ok(BoundedProvider::new(Api(String::from_utf8(token.0.clone())?)))
/// });
/// ```
pub struct PerSecret<C> {
    cache: ClientCache<C>,
    make: Arc<Make<C>>,
    /// Of the first client: all share its memory.
    guard: Arc<OnceLock<Guard>>,
}

impl<C> Clone for PerSecret<C> {
    fn clone(&self) -> Self {
        Self {
            cache: self.cache.clone(),
            make: Arc::clone(&self.make),
            guard: Arc::clone(&self.guard),
        }
    }
}

impl<C> fmt::Debug for PerSecret<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerSecret")
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}

impl<C: BoundedClient> PerSecret<C> {
    /// Clients that `make` makes. It runs under a lock and must not block; what it returns as an error becomes the
    /// handler's.
    pub fn new(make: impl Fn(&Secret) -> Result<C> + Send + Sync + 'static) -> Self {
        Self {
            cache: ClientCache::default(),
            make: Arc::new(make),
            guard: Arc::default(),
        }
    }

    /// The same, holding at most `most` clients (at least one).
    #[must_use]
    pub fn holding(mut self, most: usize) -> Self {
        self.cache = ClientCache::new(most);
        self
    }

    /// How many clients are held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cache.len()
    }

    /// Whether none is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cache.is_empty()
    }

    /// The handle of the secret's client, for one handler.
    ///
    /// # Errors
    /// If no client can be made from the secret.
    pub(crate) fn handle(&self, secret: &Secret, scope: CallScope) -> Result<C::Handle> {
        let meta = &secret.metadata;
        let name = format!(
            "{}/{}",
            meta.namespace.as_deref().unwrap_or_default(),
            meta.name.as_deref().unwrap_or_default()
        );
        let version = format!(
            "{} {}",
            meta.uid.as_deref().unwrap_or_default(),
            meta.resource_version.as_deref().unwrap_or_default()
        );
        let made = self.cache.get_or_try_make(&name, &version, || {
            let client = (self.make)(secret)?;
            let guard = self.guard.get_or_init(|| client.guard().clone());
            Ok(client.guarded_by(guard.for_target(name.as_str())))
        });
        let client = made.map_err(|error: Error| error.context(&format!("secret {name}")))?;
        if let Some(metrics) = scope.metrics() {
            metrics.client_cache_entries(client.guard().client(), self.cache.len());
        }
        Ok(client.handle(scope))
    }
}

impl<C: BoundedClient> ContextField for PerSecret<C> {}
