//! The handle to a cluster: building it, clients of it, and shortcuts for tests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use jiff::Timestamp;

use crate::auth::{Tokens, User};
use crate::call::Call;
use crate::clock::Clock;
use crate::fault::{Fault, FaultHandle, Faults};
use crate::hook::WriteHook;
use crate::log::RequestLog;
use crate::registry::Registry;
use crate::service::ClusterService;
use crate::store::Store;

/// An in-memory Kubernetes API server. Cheap to clone: all clones are the same cluster.
///
/// It holds nothing of any tokio runtime, so it outlives the runtime that a crash test drops.
#[derive(Clone)]
pub struct Cluster(pub(crate) Arc<Shared>);

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster")
            .field("revision", &self.0.store.revision())
            .finish()
    }
}

/// What all handles of a cluster share.
pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) registry: RwLock<Arc<Registry>>,
    pub(crate) clock: Clock,
    pub(crate) log: RequestLog,
    pub(crate) faults: Faults,
    pub(crate) hook: RwLock<Option<WriteHook>>,
    pub(crate) writes: AtomicU64,
    pub(crate) tokens: RwLock<Tokens>,
    pub(crate) rbac: bool,
    pub(crate) owner_permissions: bool,
    pub(crate) webhooks: crate::webhook::Handlers,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    /// What is served at this moment.
    pub(crate) fn registry(&self) -> Arc<Registry> {
        self.registry
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The time of a request.
    pub(crate) fn time(&self, call: &Call) -> Timestamp {
        call.time.unwrap_or_else(|| self.clock.now())
    }

    /// The time of a request as the API prints it.
    pub(crate) fn stamp(&self, call: &Call) -> String {
        crate::clock::seconds(self.time(call))
    }

    /// Changes what is served. Readers keep the registry that they hold.
    pub(crate) fn change_registry(&self, change: impl FnOnce(&mut Registry)) {
        let mut registry = self
            .registry
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut registry));
    }
}

/// Settings of a cluster to be built.
#[derive(Clone, Debug)]
pub struct ClusterBuilder {
    seed: u64,
    epoch: Timestamp,
    rbac: bool,
    owner_permissions: bool,
    history: usize,
}

impl ClusterBuilder {
    /// Seed of uids and generated names. Default 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Where the clock starts. Default 2026-01-01T00:00:00Z.
    #[must_use]
    pub fn epoch(mut self, epoch: Timestamp) -> Self {
        self.epoch = epoch;
        self
    }

    /// Whether roles and bindings are enforced. Default off: everybody may do everything.
    #[must_use]
    pub fn rbac(mut self, on: bool) -> Self {
        self.rbac = on;
        self
    }

    /// Whether the admission plugin `OwnerReferencesPermissionEnforcement` is on, as it is on OpenShift. Default off.
    ///
    /// Then setting `blockOwnerDeletion` in an owner reference needs `update` on the `finalizers` of the owner, and
    /// changing the owner references of an object that exists needs `delete` on it. Takes [`ClusterBuilder::rbac`].
    ///
    /// ```
    /// let cluster = opgen_apiserver::Cluster::builder().rbac(true).owner_permissions(true).build();
    /// ```
    #[must_use]
    pub fn owner_permissions(mut self, on: bool) -> Self {
        self.owner_permissions = on;
        self
    }

    /// How many revisions each resource keeps for watches to resume from. Default 1,000.
    #[must_use]
    pub fn history(mut self, revisions: usize) -> Self {
        self.history = revisions;
        self
    }

    /// Builds the cluster: four namespaces and the bootstrap roles exist.
    pub fn build(self) -> Cluster {
        let shared = Shared {
            store: Store::new(self.seed, self.history),
            registry: RwLock::new(Arc::new(Registry::new())),
            clock: Clock::new(self.epoch),
            log: RequestLog::default(),
            faults: Faults::default(),
            hook: RwLock::new(None),
            writes: AtomicU64::new(0),
            tokens: RwLock::new(Tokens::default()),
            rbac: self.rbac,
            owner_permissions: self.owner_permissions,
            webhooks: crate::webhook::Handlers::default(),
        };
        crate::bootstrap::fill(&shared, self.epoch);
        Cluster(Arc::new(shared))
    }
}

impl Default for Cluster {
    fn default() -> Self {
        Self::new()
    }
}

impl Cluster {
    /// A cluster with the default settings: see [`ClusterBuilder`].
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Settings other than the default ones.
    pub fn builder() -> ClusterBuilder {
        ClusterBuilder {
            seed: 0,
            // 2026-01-01T00:00:00Z; a fixed epoch makes every run the same.
            epoch: Timestamp::from_second(1_767_225_600).unwrap_or(Timestamp::UNIX_EPOCH),
            rbac: false,
            owner_permissions: false,
            history: 1_000,
        }
    }

    /// A client with all rights, in process. To be called inside of the runtime that uses it.
    pub fn client(&self) -> kube::Client {
        self.client_of(User::admin())
    }

    /// A client of this user, such as `system:serviceaccount:ns:name`; with RBAC on it has the user's rights.
    pub fn client_as(&self, user: &str) -> kube::Client {
        self.client_of(Arc::new(User::new(user, "", &[])))
    }

    /// A client of a user in these groups.
    pub fn client_with_groups(&self, user: &str, groups: &[&str]) -> kube::Client {
        self.client_of(Arc::new(User::new(user, "", groups)))
    }

    fn client_of(&self, user: Arc<User>) -> kube::Client {
        kube::Client::new(self.service_of(user), "default")
    }

    /// The tower service behind the clients, with all rights; for layers of one's own.
    pub fn service(&self) -> ClusterService {
        self.service_of(User::admin())
    }

    /// The tower service as this user sees it.
    pub fn service_as(&self, user: &str) -> ClusterService {
        self.service_of(Arc::new(User::new(user, "", &[])))
    }

    fn service_of(&self, user: Arc<User>) -> ClusterService {
        ClusterService::new(self.0.clone(), Some(user))
    }

    /// The clock of this cluster.
    pub fn clock(&self) -> Clock {
        self.0.clock.clone()
    }

    /// The request log.
    pub fn log(&self) -> RequestLog {
        self.0.log.clone()
    }

    /// The newest revision (`resourceVersion`) of the store.
    pub fn revision(&self) -> u64 {
        self.0.store.revision()
    }

    /// Injects a fault; the handle tells how often it fired.
    pub fn inject(&self, fault: Fault) -> FaultHandle {
        self.0.faults.inject(fault)
    }

    /// Takes all faults away.
    pub fn clear_faults(&self) {
        self.0.faults.clear();
    }

    /// Calls the hook before and after each commit; it replaces the former one.
    pub fn on_write(&self, hook: WriteHook) {
        *self.0.hook.write().unwrap_or_else(PoisonError::into_inner) = Some(hook);
    }

    /// Takes the write hook away.
    pub fn clear_write_hook(&self) {
        *self.0.hook.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// How many writes clients have committed (what the write hook numbers).
    pub fn writes(&self) -> u64 {
        self.0.writes.load(Ordering::SeqCst)
    }

    /// Forgets the watch history: whoever resumes from an earlier revision gets 410.
    pub fn compact(&self) {
        self.0.store.lock().compact();
    }

    /// Ends every open watch without an error, as a load balancer or a server that restarts does. Together with
    /// [`compact`](Self::compact) whoever resumes is told that the version has expired.
    pub fn cut_watches(&self) {
        self.0.store.lock().cut_watches();
    }

    /// Lets requests over HTTP with this bearer token be this user. The empty token stands for requests without one:
    /// kubectl sends none to a server without TLS.
    pub fn add_token(&self, token: &str, user: &str, uid: &str, groups: &[&str]) {
        let user = User::new(user, uid, groups);
        self.0
            .tokens
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .add(token, user);
    }
}
