//! What may differ between the kinds of one operator, and between its runs.

use std::{future::Future, net::SocketAddr, pin::Pin, sync::Arc, time::Duration};

use crate::{
    LeaderElection,
    children::{ChildResource, Declared, ObjectRef, OwnedOptions, WatchedOptions},
    clock::{SharedClock, SystemClock},
    engine::{bucket::Rate, groups::GroupBy, kind::Limits, predicate::Watched},
    phase::PhaseMachine,
};

/// What may differ between the kinds of one operator.
pub struct KindOptions<M: PhaseMachine> {
    pub(super) watched: Watched,
    pub(super) limits: Limits,
    pub(super) labels: Option<String>,
    pub(super) declared: Declared<M::Resource>,
    pub(super) former_finalizers: Vec<String>,
    pub(super) group_by: Option<GroupBy<M::Resource>>,
    pub(super) writes_metadata: bool,
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

    /// Handlers call [`Cx::update_metadata`](crate::cx::Cx::update_metadata). A kind without a finalizer phase and without
    /// a failed one has no other use for the right to patch its objects, and is not given it.
    #[must_use]
    pub fn writes_metadata(mut self) -> Self {
        self.writes_metadata = true;
        self
    }

    /// How often a settled object is looked at, where its phase does not say (default 10 min).
    #[must_use]
    pub fn resync(mut self, every: Duration) -> Self {
        self.limits.resync = every;
        self
    }
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
