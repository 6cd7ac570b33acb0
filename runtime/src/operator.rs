//! The operator: its kinds, what it needs of the cluster, and how it runs.

use std::{any::TypeId, future::Future, net::SocketAddr, pin::Pin, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use jiff::Timestamp;
use kube::Resource;
use serde_json::Value;
use tokio::{sync::watch, task::JoinSet};

use crate::{
    blocking::BlockingPool,
    children::{ChildResource, Children, Declared, ObjectRef, OwnedOptions, WatchedOptions},
    clients::Clients,
    clock::{SharedClock, SystemClock},
    engine::{
        api::ObjectApi,
        board::Board,
        bucket::Rate,
        controller::Controller,
        events::Events,
        finalizer::Finalizer,
        groups::GroupBy,
        kind::{Kind, Limits},
        owned_bell::Bell,
        owned_watch::Follow,
        predicate::Watched,
        stall,
        watch::Scope,
    },
    graph::PhaseGraph,
    inspect::Inspector,
    jobs::{self, Jobs, Trigger},
    lease::{self, Candidacy, LeaderElection},
    manifests::{Needs, RoleRule},
    metrics::Metrics,
    phase::{PhaseMachine, StatusOf},
    preflight, probes,
    status::Rules,
};

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

/// What may differ between the kinds of one operator.
pub struct KindOptions<M: PhaseMachine> {
    watched: Watched,
    limits: Limits,
    labels: Option<String>,
    declared: Declared<M::Resource>,
    former_finalizers: Vec<String>,
    group_by: Option<GroupBy<M::Resource>>,
}

impl<M: PhaseMachine> std::fmt::Debug for KindOptions<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KindOptions")
            .field("declared", &self.declared)
            .finish_non_exhaustive()
    }
}

impl<M: PhaseMachine> KindOptions<M> {
    /// Objects of kind `T` may be made as children: see [`Cx::apply`](crate::cx::Cx::apply).
    #[must_use]
    pub fn owns<T: ChildResource>(self) -> Self {
        self.owns_with::<T>(|options| options)
    }

    /// The same, with options.
    #[must_use]
    pub fn owns_with<T: ChildResource>(
        mut self,
        options: impl FnOnce(OwnedOptions) -> OwnedOptions,
    ) -> Self {
        self.declared.own::<T>(options(OwnedOptions::default()));
        self
    }

    /// The object refers to objects of kind `T`: those that `refs` names. A change of one of them wakes it, and
    /// [`Cx::related`](crate::cx::Cx::related) finds them without a request.
    #[must_use]
    pub fn watches<T: ChildResource>(
        self,
        refs: impl Fn(&M::Resource) -> Vec<ObjectRef> + Send + Sync + 'static,
    ) -> Self {
        self.watches_with::<T>(refs, |options| options)
    }

    /// The same, with options.
    #[must_use]
    pub fn watches_with<T: ChildResource>(
        mut self,
        refs: impl Fn(&M::Resource) -> Vec<ObjectRef> + Send + Sync + 'static,
        options: impl FnOnce(WatchedOptions) -> WatchedOptions,
    ) -> Self {
        let options = options(WatchedOptions::default());
        self.declared.refer::<T>(options, refs);
        self
    }

    /// Also run when this label changes.
    #[must_use]
    pub fn watch_label(mut self, name: impl Into<String>) -> Self {
        self.watched.labels.push(name.into());
        self
    }

    /// Also run when this annotation changes.
    #[must_use]
    pub fn watch_annotation(mut self, name: impl Into<String>) -> Self {
        self.watched.annotations.push(name.into());
        self
    }

    /// Only objects with these labels.
    #[must_use]
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into());
        self
    }

    /// How many runs at a time (default 256).
    #[must_use]
    pub fn in_flight(mut self, runs: usize) -> Self {
        self.limits.in_flight = runs.max(1);
        self
    }

    /// Objects of one group (a tenant, a class of work) together take at most their share of the runs at a time: see
    /// [`group_share`](Self::group_share). Groups should be few: the first twenty have a metric of their own.
    #[must_use]
    pub fn group_by(
        mut self,
        group: impl Fn(&M::Resource) -> String + Send + Sync + 'static,
    ) -> Self {
        self.group_by = Some(GroupBy(Arc::new(group)));
        self
    }

    /// What one group may take of the runs at a time, from 0 to 1 (default 0.25; at least one run).
    #[must_use]
    pub fn group_share(mut self, share: f64) -> Self {
        self.limits.group_share = share;
        self
    }

    /// How many retries after errors there are, of all objects together: so many at once, then so many a minute
    /// (default 500, then 6000).
    #[must_use]
    pub fn retries(mut self, burst: u32, a_minute: u32) -> Self {
        self.limits.retries = Rate::per_minute(burst, a_minute);
        self
    }

    /// How many background jobs at a time (default 16): see [`Cx::job`](crate::cx::Cx::job).
    #[must_use]
    pub fn jobs(mut self, places: usize) -> Self {
        self.limits.jobs = places;
        self
    }

    /// The brake on mass deletions: so many clean-ups may begin at once, then so many a minute (default 20, then 30).
    /// Those above wait, with the event `MassDeletion`; the annotation `opgen.dev/allow-destroy: "true"` lets one pass.
    #[must_use]
    pub fn mass_deletion(mut self, burst: u32, a_minute: u32) -> Self {
        self.limits.destroys = Rate::per_minute(burst, a_minute);
        self
    }

    /// Finalizers by which former versions held these objects, such as those of the operator that this one takes over
    /// from. On a living object the present one (`<group>/cleanup`) takes their place in one patch; on one that is being
    /// deleted they count as ours, so they come off when the clean-up is done, and not before.
    #[must_use]
    pub fn former_finalizers<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Self {
        self.former_finalizers
            .extend(names.into_iter().map(Into::into));
        self
    }

    /// How often a settled object is looked at, where its phase does not say (default 10 min).
    #[must_use]
    pub fn resync(mut self, every: Duration) -> Self {
        self.limits.resync = every;
        self
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

    fn needs(&self) -> Needs {
        Needs {
            name: self.name.clone(),
            crds: self.kinds.iter().map(|kind| kind.crd()).collect(),
            rules: self.kinds.iter().flat_map(|kind| kind.rules()).collect(),
            at_home: lease::rules(&self.lease_name()),
            only_in: self.only_in.clone(),
            namespace: self.home.clone(),
        }
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
        let (events, write_events) = Events::new(clients.call.clone(), &self.name);
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
            ended = work(&mut loops, shutdown, &stop) => ended,
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

/// How long what was cut may take to end.
const CUT: Duration = Duration::from_secs(5);

/// Until the signal, then until what is under way has ended.
async fn work(
    loops: &mut JoinSet<()>,
    shutdown: impl Future<Output = ()>,
    stop: &watch::Sender<bool>,
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
    while loops.join_next().await.is_some() {}
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
        Placement::Threads => probes::serve(addr, source),
        Placement::Inline => probes::serve_inline(addr, source),
    }
}

/// What every kind of a running operator shares.
struct Shared<C> {
    name: String,
    clients: Clients,
    context: Arc<C>,
    started_at: Timestamp,
    clock: SharedClock,
    metrics: Metrics,
    drain: Duration,
    only_in: Option<String>,
    blocking: BlockingPool,
    inspector: Arc<Inspector>,
    stopped: watch::Receiver<bool>,
    events: Events,
}

impl<C> Shared<C> {
    /// The watches of everything a kind depends on, each with a board of its own.
    fn watches(&self, children: &Children) -> Vec<BoxFuture<'static, ()>> {
        let follow = |name: Arc<str>, scope| {
            let board = Board::default();
            self.inspector.add(Arc::clone(&name), board.clone());
            Follow {
                client: self.clients.watch.clone(),
                scope,
                board,
                metrics: self.metrics.clone(),
                name,
                bell: Arc::clone(&children.bell),
            }
        };
        children.watches(follow, self.only_in.as_deref())
    }
}

/// A kind whose machine type is forgotten.
trait AnyKind<C>: Send + Sync {
    fn machine(&self) -> TypeId;
    fn triggers(&self) -> Arc<Bell>;
    fn crd(&self) -> Value;
    fn rules(&self) -> Vec<RoleRule>;
    fn graph(&self) -> PhaseGraph;
    fn start(&self, shared: &Shared<C>) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

struct KindOf<M: PhaseMachine> {
    options: KindOptions<M>,
    triggers: Arc<Bell>,
}

impl<C: Send + Sync + 'static, M: PhaseMachine<Context = C>> AnyKind<C> for KindOf<M> {
    fn machine(&self) -> TypeId {
        TypeId::of::<M>()
    }

    fn triggers(&self) -> Arc<Bell> {
        Arc::clone(&self.triggers)
    }

    fn crd(&self) -> Value {
        M::crd()
    }

    fn rules(&self) -> Vec<RoleRule> {
        let group = M::Resource::group(&()).into_owned();
        let plural = M::Resource::plural(&()).into_owned();
        let rule = |resource: String, verbs: &[&'static str]| RoleRule {
            group: group.clone(),
            resource,
            names: Vec::new(),
            verbs: verbs.to_vec(),
            cluster: false,
        };
        let own = vec![
            // get: past the cache, after a lost race; list and watch: the cache; patch: finalizer and identity.
            rule(plural.clone(), &["get", "list", "watch", "patch"]),
            rule(format!("{plural}/status"), &["patch"]),
            RoleRule {
                group: "events.k8s.io".to_owned(),
                resource: "events".to_owned(),
                names: Vec::new(),
                // A repeated event is folded into the first by a patch.
                verbs: vec!["create", "patch"],
                cluster: false,
            },
            RoleRule {
                group: "apiextensions.k8s.io".to_owned(),
                resource: "customresourcedefinitions".to_owned(),
                names: vec![format!("{plural}.{group}")],
                // The served schema is compared at start.
                verbs: vec!["get"],
                cluster: true,
            },
        ];
        own.into_iter()
            .chain(self.options.declared.rules())
            .collect()
    }

    fn graph(&self) -> PhaseGraph {
        M::GRAPH
    }

    fn start(&self, shared: &Shared<C>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let name: Arc<str> = M::Resource::kind(&()).into_owned().into();
        let board = Board::default();
        shared.inspector.add(Arc::clone(&name), board.clone());
        let limits = Limits {
            drain: shared.drain,
            ..self.options.limits
        };
        shared
            .metrics
            .max_concurrent_reconciles(&name, limits.in_flight);
        let (children, index) = self.options.declared.build(
            shared.clients.call.clone(),
            &shared.name,
            shared.metrics.clone(),
        );
        let children = Arc::new(children);
        let watches = shared.watches(&children);
        let bell = Arc::clone(&children.bell);
        let forward = jobs::forward(Arc::clone(&self.triggers), Arc::clone(&bell));
        let kind = Kind::<M> {
            api: ObjectApi::new(shared.clients.call.clone(), &shared.name),
            context: Arc::clone(&shared.context),
            clock: Arc::clone(&shared.clock),
            started_at: shared.started_at,
            finalizer: Finalizer {
                present: format!("{}/cleanup", M::Resource::group(&())),
                former: self.options.former_finalizers.clone(),
            },
            rules: Rules::of::<StatusOf<M>>(),
            metrics: shared.metrics.clone(),
            blocking: shared.blocking.clone(),
            fence: shared.clients.fence_switch(),
            watched: self.options.watched.clone(),
            limits,
            events: shared.events.clone(),
            children,
            index,
            jobs: Jobs::new(
                Arc::clone(&name),
                limits.jobs,
                Arc::clone(&bell),
                shared.clients.fence_switch(),
                shared.metrics.clone(),
            ),
            name,
            group_by: self.options.group_by.clone(),
        };
        let scope = Scope {
            namespace: shared.only_in.clone(),
            labels: self.options.labels.clone(),
            fields: None,
        };
        let controller = Controller::new(Arc::new(kind), board);
        let run = controller.run(shared.clients.watch.clone(), scope, shared.stopped.clone());
        Box::pin(async move {
            // They end with the loop that reads from them.
            let mut others = JoinSet::new();
            for watch in watches {
                others.spawn(watch);
            }
            others.spawn(forward);
            run.await;
        })
    }
}
