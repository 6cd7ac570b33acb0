//! The operator: its kinds, what it needs of the cluster, and how it runs.

mod kinds;
mod options;
mod uninstall;

use std::{any::TypeId, future::Future, net::SocketAddr, pin::Pin, sync::Arc, time::Duration};

use kube::Resource;
use serde_json::Value;
use tokio::{sync::watch, task::JoinSet};

use crate::mutant::{Mutant, mutated};
use crate::{
    blocking::BlockingPool,
    children::Declared,
    clients::Clients,
    clock::{SharedClock, SystemClock},
    engine::{events::Events, kind::Limits, predicate::Watched, stall},
    graph::PhaseGraph,
    inspect::Inspector,
    jobs::Trigger,
    lease::{self, Candidacy, LeaderElection},
    manifests::{Needs, RoleRule, merged},
    phase::PhaseMachine,
    preflight, probes,
    status::MachinePaths,
};

pub use options::KindOptions;
pub use uninstall::{LeftObject, OutsidePolicy, UninstallError, UninstallOptions};

use kinds::{AnyKind, KindOf, Shared};

/// An operator: kinds that share one context. It needs no cluster until it runs.
pub struct Operator<C> {
    name: String,
    kinds: Vec<Box<dyn AnyKind<C>>>,
    only_in: Option<String>,
    home: String,
}

/// Why an operator did not start, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// The cluster is not ready for it. Every reason says how to mend it.
    #[error("the cluster is not ready for this operator: {}", .0.join("; "))]
    Preflight(Vec<String>),
    /// The probes' address could not be bound.
    #[error("probes cannot listen on {addr}: {source}: choose another address with --probe-addr")]
    Probes {
        /// The address asked for.
        addr: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// A loop ended by a panic: a defect of the runtime, not of a handler.
    #[error("the loop of a kind ended: {0}")]
    Loop(String),
    /// Another process may lead now. Writes are refused, runs in flight were cut; the process has to end.
    #[error("this process is no longer the leader: {0}")]
    LostLease(String),
}

/// Where the parts that must never wait for a reconcile live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Placement {
    /// Probes and metrics on a thread of their own: a blocked executor cannot stop them.
    #[default]
    Threads,
    /// Everything on the caller's runtime: for tests in virtual time.
    Inline,
}

/// Told of every handler that begins or ends, so that a test can say that no object has two at once.
pub trait HandlerObserver: Send + Sync {
    /// The handler of `phase` begins to work on the object of that kind and uid.
    fn began(&self, kind: &str, uid: &str, phase: &'static str);
    /// It ended, or was cut.
    fn ended(&self, kind: &str, uid: &str, phase: &'static str);
}

/// How to run.
pub struct RunOptions {
    /// Where lease, probes and metrics live.
    pub placement: Placement,
    /// The source of timestamps.
    pub clock: SharedClock,
    /// Where probes and metrics are served; `None` = nowhere.
    pub probe_addr: Option<SocketAddr>,
    /// How long runs in flight may go on after the shutdown signal.
    pub drain: Duration,
    /// Work only as the holder of a lease in the operator's own namespace; `None` = at once (the default: the command
    /// line elects by default).
    pub leader_election: Option<LeaderElection>,
    /// Told of every handler that begins or ends; for tests.
    pub observer: Option<Arc<dyn HandlerObserver>>,
    /// Ends the run when it resolves.
    pub shutdown: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            placement: Placement::default(),
            clock: Arc::new(SystemClock),
            probe_addr: None,
            drain: Limits::default().drain,
            leader_election: None,
            observer: None,
            shutdown: Box::pin(std::future::pending()),
        }
    }
}

impl std::fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunOptions")
            .field("placement", &self.placement)
            .finish_non_exhaustive()
    }
}

impl<C> std::fmt::Debug for Operator<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operator")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<C: Send + Sync + 'static> Operator<C> {
    /// An operator of that name: its field manager, its service account, its role.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            home: name.clone(),
            name,
            kinds: Vec::new(),
            only_in: None,
        }
    }

    /// Adds a kind with the defaults.
    #[must_use]
    pub fn kind<M: PhaseMachine<Context = C>>(self) -> Self {
        self.kind_with::<M>(|options| options)
    }

    /// Adds a kind with options of its own.
    #[must_use]
    pub fn kind_with<M: PhaseMachine<Context = C>>(
        mut self,
        options: impl FnOnce(KindOptions<M>) -> KindOptions<M>,
    ) -> Self {
        let options = options(KindOptions {
            watched: Watched::default(),
            limits: Limits::default(),
            labels: None,
            declared: Declared::default(),
            former_finalizers: Vec::new(),
            group_by: None,
        });
        self.kinds.push(Box::new(KindOf::<M> {
            options,
            triggers: Arc::default(),
        }));
        self
    }

    /// A way to wake objects of that kind from outside, to be taken before the operator runs.
    ///
    /// # Panics
    /// If the operator has no such kind.
    #[must_use]
    pub fn trigger<M: PhaseMachine<Context = C>>(&self) -> Trigger<M> {
        let kind = self
            .kinds
            .iter()
            .find(|kind| kind.machine() == TypeId::of::<M>());
        match kind {
            Some(kind) => Trigger::new(kind.triggers()),
            None => panic!(
                "the operator {} has no kind {}: add it before the trigger is taken",
                self.name,
                M::Resource::kind(&())
            ),
        }
    }

    /// Namespaced mode: only objects of this namespace, and a Role there instead of a ClusterRole.
    #[must_use]
    pub fn only_in(mut self, namespace: impl Into<String>) -> Self {
        self.only_in = Some(namespace.into());
        self
    }

    /// The namespace that the operator's own objects are in (default: its name).
    #[must_use]
    pub fn at_home_in(mut self, namespace: impl Into<String>) -> Self {
        self.home = namespace.into();
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// CRDs, service account, role and binding, in the order they have to be applied.
    #[must_use]
    pub fn manifests(&self) -> Vec<Value> {
        self.needs().manifests()
    }

    fn lease_name(&self) -> String {
        lease::name(&self.name, self.only_in.as_deref())
    }

    /// What it needs in its own namespace only: its lease.
    #[must_use]
    pub fn role_at_home(&self) -> Vec<RoleRule> {
        self.needs().at_home
    }

    /// The lines of its role.
    #[must_use]
    pub fn role(&self) -> Vec<RoleRule> {
        self.needs().rules
    }

    /// What [`uninstall`](Self::uninstall) needs beside the role, for the operator's own service account.
    #[must_use]
    pub fn uninstall_manifests(&self) -> Vec<Value> {
        let rules = self.kinds.iter().map(|kind| {
            let resource = kind.doomed().resource;
            RoleRule {
                group: resource.group,
                resource: resource.plural,
                names: Vec::new(),
                verbs: vec!["delete"],
                cluster: false,
            }
        });
        self.needs().uninstall(&rules.collect::<Vec<_>>())
    }

    fn needs(&self) -> Needs {
        Needs {
            name: self.name.clone(),
            crds: self.kinds.iter().map(|kind| kind.crd()).collect(),
            rules: merged(self.kinds.iter().flat_map(|kind| kind.rules())),
            lists: self.kinds.iter().flat_map(|kind| kind.lists()).collect(),
            at_home: lease::rules(&self.lease_name()),
            only_in: self.only_in.clone(),
            namespace: self.home.clone(),
        }
    }

    /// Where each kind has the runtime's fields: the kind's name, and pointers into its status.
    #[must_use]
    pub fn machine_paths(&self) -> Vec<(String, MachinePaths)> {
        self.kinds.iter().map(|kind| kind.paths()).collect()
    }

    /// The phase graph of every kind.
    #[must_use]
    pub fn graphs(&self) -> Vec<PhaseGraph> {
        self.kinds.iter().map(|kind| kind.graph()).collect()
    }

    /// Runs until the shutdown signal, then drains.
    ///
    /// # Errors
    /// If the cluster is not ready for the operator (every reason is named), if the probes cannot listen, if the lease
    /// was lost, or if a loop ended by itself.
    pub async fn run(
        self,
        clients: Clients,
        context: C,
        options: RunOptions,
    ) -> Result<(), OperatorError> {
        let RunOptions {
            placement,
            clock,
            probe_addr,
            drain,
            leader_election,
            observer,
            mut shutdown,
        } = options;
        let metrics = clients.metrics().clone();
        let inspector = Arc::new(Inspector::new(
            metrics.clone(),
            self.graphs(),
            clock.clone(),
        ));
        let _probes = match probe_addr {
            Some(addr) => Some(
                serve_probes(placement, addr, &inspector)
                    .map_err(|source| OperatorError::Probes { addr, source })?,
            ),
            None => None,
        };
        let _watchdog = match placement {
            Placement::Threads => stall::watch(self.name.clone(), metrics.clone())
                .inspect_err(|error| tracing::warn!(%error, "no watchdog for the executor"))
                .ok(),
            // It looks at real time.
            Placement::Inline => None,
        };
        let needs = self.needs();
        tokio::select! {
            checked = preflight::check(&clients, &needs, &inspector) => {
                checked.map_err(OperatorError::Preflight)?;
            }
            () = &mut shutdown => return Ok(()),
        }
        let candidacy = match leader_election {
            Some(election) => {
                let place = lease::Place {
                    namespace: self.home.clone(),
                    name: self.lease_name(),
                };
                let candidacy =
                    Candidacy::start(placement, election, place, &clients, Arc::clone(&clock))
                        .map_err(|why| OperatorError::Preflight(vec![why]))?;
                tokio::select! {
                    led = candidacy.led() => led.map_err(|why| OperatorError::Preflight(vec![why]))?,
                    () = &mut shutdown => return Ok(()),
                }
                Some(candidacy)
            }
            None => None,
        };
        let (stop, stopped) = watch::channel(false);
        let (events, write_events) = Events::new(clients.call.clone(), &self.name, metrics.clone());
        let shared = Shared {
            name: self.name,
            clients,
            context: Arc::new(context),
            started_at: clock.now(),
            clock,
            metrics,
            drain,
            only_in: self.only_in,
            blocking: BlockingPool::new(16),
            inspector,
            stopped,
            events,
            observer,
        };
        let mut writer = JoinSet::new();
        writer.spawn(write_events);
        let mut loops = JoinSet::new();
        for kind in &self.kinds {
            loops.spawn(kind.start(&shared));
        }
        tracing::info!(operator = %shared.name, kinds = self.kinds.len(), "running");
        let worked = tokio::select! {
            biased;
            // Not a drain: what is under way is cut, another process may begin it anew.
            why = lost(candidacy.as_ref()) => Err(OperatorError::LostLease(why)),
            ended = work(&mut loops, shutdown, &stop, drain) => ended,
        };
        // A task that blocks its thread cannot be cut: the process has to end all the same.
        if tokio::time::timeout(CUT, loops.shutdown()).await.is_err() {
            tracing::error!("a loop does not end although it was cut: a handler blocks its thread");
        }
        if let (Ok(()), Some(candidacy)) = (&worked, candidacy) {
            candidacy.release().await;
        }
        worked
    }
}

/// How much longer than its own bounds a loop may take.
const BEYOND: Duration = Duration::from_secs(1);
/// How long what was cut may take to end.
const CUT: Duration = Duration::from_secs(5);

/// Until the signal, then until what is under way has ended.
async fn work(
    loops: &mut JoinSet<()>,
    shutdown: impl Future<Output = ()>,
    stop: &watch::Sender<bool>,
    drain: Duration,
) -> Result<(), OperatorError> {
    tokio::select! {
        () = shutdown => {}
        Some(ended) = loops.join_next() => {
            let why = ended.err().map_or_else(|| "without a reason".to_owned(), |error| error.to_string());
            return Err(OperatorError::Loop(why));
        }
    }
    tracing::info!("shutting down: runs in flight may end");
    stop.send_replace(true);
    // A loop bounds itself, if it is run at all: a handler that blocks its thread may keep it from that.
    let ended = async { while loops.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(drain + CUT + BEYOND, ended).await;
    Ok(())
}

async fn lost(candidacy: Option<&Candidacy>) -> String {
    match candidacy {
        Some(candidacy) => candidacy.lost().await,
        None => std::future::pending().await,
    }
}

fn serve_probes(
    placement: Placement,
    addr: SocketAddr,
    inspector: &Arc<Inspector>,
) -> std::io::Result<probes::ProbeServer> {
    let source: Arc<dyn probes::ProbeSource> = Arc::clone(inspector) as _;
    match placement {
        Placement::Threads if !mutated(Mutant::ProbeThread) => probes::serve(addr, source),
        Placement::Threads | Placement::Inline => probes::serve_inline(addr, source),
    }
}
