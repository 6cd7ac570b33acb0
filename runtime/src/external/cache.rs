//! Clients made from per-object credentials.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use crate::context::{BoundedClient, ContextField};
use crate::mutant::{Mutant, mutated};

/// Clients by the secret they were made from: made once per version of the secret, replaced when it rotates, and
/// never more than a bound, the one unused for longest going first. Clones share it.
pub struct ClientCache<C> {
    inner: Arc<Mutex<Inner<C>>>,
    most: usize,
}

struct Inner<C> {
    clients: HashMap<String, Entry<C>>,
    uses: u64,
}

struct Entry<C> {
    version: String,
    client: C,
    used: u64,
}

impl<C> Clone for ClientCache<C> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            most: self.most,
        }
    }
}

impl<C> fmt::Debug for ClientCache<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCache")
            .field("most", &self.most)
            .finish_non_exhaustive()
    }
}

impl<C> Default for ClientCache<C> {
    /// A cache of at most 256 clients.
    fn default() -> Self {
        Self::new(256)
    }
}

impl<C> ClientCache<C> {
    /// A cache of at most `most` clients (at least one).
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            inner: Arc::new(Mutex::new(Inner {
                clients: HashMap::new(),
                uses: 0,
            })),
            most: most.max(1),
        }
    }

    /// How many clients it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.with(|inner| inner.clients.len())
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets the client of a secret, for instance when the secret is deleted.
    pub fn forget(&self, secret: &str) {
        self.with(|inner| inner.clients.remove(secret));
    }

    fn with<R>(&self, work: impl FnOnce(&mut Inner<C>) -> R) -> R {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<C: Clone> ClientCache<C> {
    /// The client of `secret` (`namespace/name`) in `version` (its resourceVersion), made by `make` if there is none.
    /// `make` runs under the cache's lock, so a version is made once; it must not block.
    ///
    /// # Errors
    /// What `make` returned; then nothing is kept, and the client of an older version stays until one succeeds.
    pub fn get_or_try_make<E>(
        &self,
        secret: &str,
        version: &str,
        make: impl FnOnce() -> Result<C, E>,
    ) -> Result<C, E> {
        self.with(|inner| {
            inner.uses += 1;
            let used = inner.uses;
            if let Some(entry) = inner.clients.get_mut(secret)
                && (entry.version == version || mutated(Mutant::ClientVersion))
            {
                entry.used = used;
                return Ok(entry.client.clone());
            }
            let client = make()?;
            let entry = Entry {
                version: version.to_owned(),
                client: client.clone(),
                used,
            };
            inner.clients.insert(secret.to_owned(), entry);
            if inner.clients.len() > self.most && !mutated(Mutant::ClientBound) {
                inner.forget_oldest();
            }
            Ok(client)
        })
    }
}

impl<C> Inner<C> {
    fn forget_oldest(&mut self) {
        let oldest = self.clients.iter().min_by_key(|(_, entry)| entry.used);
        if let Some(secret) = oldest.map(|(secret, _)| secret.clone()) {
            self.clients.remove(&secret);
        }
    }
}

impl<C: BoundedClient> ContextField for ClientCache<C> {}
