//! What a test starts from.

use std::{sync::Arc, time::Duration};

use opgen_runtime::Operator;
use serde_json::Value;

use crate::{
    crash::{self, Depth},
    faults,
    oracle::Violation,
    partition,
    process::{Life, MakeOperator},
    replay::Replay,
    report::Exploration,
    role::{self, RoleCheck},
    story,
    trouble::Trouble,
    world::World,
};

/// What the outside counts. The oracle compares it with the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// How many things were ever made.
    pub created: usize,
    /// How many exist now.
    pub live: usize,
}

/// Makes a `T` for each run.
type Make<T> = Arc<dyn Fn() -> T + Send + Sync>;
/// Makes a `T` from the provider.
type MakeFrom<P, T> = Arc<dyn Fn(&P) -> T + Send + Sync>;
/// Makes the provider hang, or return again.
type Switch<P> = Arc<dyn Fn(&P, bool) + Send + Sync>;
/// Says what is wrong about an object that claims to be Ready.
pub(crate) type Expect<P> = Arc<dyn Fn(&World<P>, &Value) -> Result<(), String> + Send + Sync>;

/// An operator, the world outside of the cluster, and objects.
///
/// `P` is the simulated provider: it outlives the operator's crashes, as a real one does.
///
/// The life that [`check`](Self::check) and the explorations go through: the objects are created and become Ready; each
/// [`change`](Self::change) is made to them, and they become Ready again; nothing is written in three quiet hours; they
/// are deleted, and nothing is left.
pub struct Scenario<C, P> {
    pub(crate) operator: MakeOperator<C>,
    pub(crate) provider: Make<P>,
    pub(crate) context: MakeFrom<P, C>,
    pub(crate) outside: MakeFrom<P, Option<Outside>>,
    pub(crate) hangs: Option<Switch<P>>,
    pub(crate) expects: Vec<Expect<P>>,
    pub(crate) objects: Vec<Value>,
    pub(crate) given: Vec<Value>,
    pub(crate) workloads: Option<Duration>,
    pub(crate) changes: Vec<Value>,
    pub(crate) elects: bool,
    pub(crate) seed: u64,
}

impl<C, P> Clone for Scenario<C, P> {
    fn clone(&self) -> Self {
        Self {
            operator: Arc::clone(&self.operator),
            provider: Arc::clone(&self.provider),
            context: Arc::clone(&self.context),
            outside: Arc::clone(&self.outside),
            hangs: self.hangs.clone(),
            expects: self.expects.clone(),
            objects: self.objects.clone(),
            given: self.given.clone(),
            workloads: self.workloads,
            changes: self.changes.clone(),
            elects: self.elects,
            seed: self.seed,
        }
    }
}

impl<C, P> std::fmt::Debug for Scenario<C, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scenario")
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl<C: Send + Sync + 'static, P: Clone + 'static> Scenario<C, P> {
    /// A scenario of `operator`, whose context is made from a provider. Every run makes both anew.
    pub fn new(
        operator: impl Fn() -> Operator<C> + Send + Sync + 'static,
        provider: impl Fn() -> P + Send + Sync + 'static,
        context: impl Fn(&P) -> C + Send + Sync + 'static,
    ) -> Self {
        Self {
            operator: Arc::new(operator),
            provider: Arc::new(provider),
            context: Arc::new(context),
            outside: Arc::new(|_| None),
            hangs: None,
            expects: Vec::new(),
            objects: Vec::new(),
            given: Vec::new(),
            workloads: None,
            changes: Vec::new(),
            elects: true,
            seed: std::env::var("OPGEN_SEED")
                .ok()
                .and_then(|seed| seed.parse().ok())
                .unwrap_or(1),
        }
    }

    /// An object that a user creates at the beginning.
    #[must_use]
    pub fn object(mut self, object: Value) -> Self {
        self.objects.push(object);
        self
    }

    /// An object that is there before, and that is not the operator's: a Secret that it reads, somebody else's CRD.
    #[must_use]
    pub fn given(mut self, object: Value) -> Self {
        self.given.push(object);
        self
    }

    /// The cluster's own controllers work too: Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs and Pods become
    /// ready this long after each change, and what has lost its owner is collected. Without it neither happens.
    #[must_use]
    pub fn workloads(mut self, ready_after: Duration) -> Self {
        self.workloads = Some(ready_after);
        self
    }

    /// A change that a user makes to every object once all are Ready, as a merge patch. May be called more than once.
    #[must_use]
    pub fn change(mut self, patch: Value) -> Self {
        self.changes.push(patch);
        self
    }

    /// How to count what exists outside. Without it the oracle does not look there.
    #[must_use]
    pub fn outside(mut self, count: impl Fn(&P) -> Outside + Send + Sync + 'static) -> Self {
        self.outside = Arc::new(move |provider: &P| Some(count(provider)));
        self
    }

    /// How to make every call of the provider hang (`true`) and return again (`false`): see
    /// [`Trouble::HungProvider`].
    #[must_use]
    pub fn hangs(mut self, switch: impl Fn(&P, bool) + Send + Sync + 'static) -> Self {
        self.hangs = Some(Arc::new(switch));
        self
    }

    /// What has to be so once an object says that it is Ready: that the thing outside is of the size that the spec
    /// asks for. Given the object as the server has it; the error says what is wrong. May be called more than once.
    #[must_use]
    pub fn expects(
        mut self,
        check: impl Fn(&World<P>, &Value) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.expects.push(Arc::new(check));
        self
    }

    /// Replicas work without a leader: what [`explore_partitions`](Self::explore_partitions) is there to find.
    #[must_use]
    pub fn without_leader_election(mut self) -> Self {
        self.elects = false;
        self
    }

    /// The seed of names, uids and jitter (default: `OPGEN_SEED`, or 1).
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Runs `test` beside the operator, in virtual time.
    ///
    /// # Panics
    /// If `test` does, if the operator ends by itself, if an object ever has two handlers at once, or if the operator says
    /// to people what its reference page does not explain.
    pub fn run<F, T>(&self, test: F) -> T
    where
        F: AsyncFnOnce(World<P>) -> T,
    {
        let mut life = Life::new(self);
        let objects = self.objects.clone();
        let ran = life.process(async move |world| {
            for object in objects {
                let created = world.cluster.create_raw(object);
                assert!(
                    created.is_ok(),
                    "the scenario's object is refused: {created:?}"
                );
            }
            test(world).await
        });
        match story::never(&life).and(ran) {
            Ok(result) => result,
            Err(violation) => panic!("{violation} (seed {})", self.seed),
        }
    }

    /// Lives the whole life once, undisturbed.
    ///
    /// # Errors
    /// What the oracle found.
    pub fn check(&self) -> Result<(), Violation> {
        story::whole(self)
    }

    /// Lives the whole life once, in trouble.
    ///
    /// # Errors
    /// What the oracle found; also if the scenario has no such moment (a third write where there are two).
    pub fn check_under(&self, trouble: &Trouble) -> Result<(), Violation> {
        faults::check(self, trouble)
    }

    /// Repeats one run of an exploration from its replay string, under the same seed.
    ///
    /// # Errors
    /// What the oracle found.
    ///
    /// # Panics
    /// If the string is none.
    pub fn replay(&self, replay: &str) -> Result<(), Violation> {
        match replay.parse() {
            Ok(Replay::Crashes(points)) => crash::live(self, &points).0,
            Ok(Replay::Trouble(trouble)) => self.check_under(&trouble),
            Err(why) => panic!("{why}"),
        }
    }

    /// Crashes the operator before and after each of its writes. With `OPGEN_CRASH_PAIRS` set it does what
    /// [`Scenario::explore_crash_pairs`] does, which takes some ten times as long.
    ///
    /// # Panics
    /// If any recovery fails; the message names the replay strings.
    pub fn explore_crashes(&self) -> Exploration {
        self.explore().asserted()
    }

    /// Crashes the operator before and after each of its writes, then once more before and after each write of the
    /// recovery: every point and every pair.
    ///
    /// # Panics
    /// If any recovery fails; the message names the replay strings.
    pub fn explore_crash_pairs(&self) -> Exploration {
        crash::explore(self, Depth::Pairs).asserted()
    }

    /// Like [`Scenario::explore_crashes`], for a test that expects violations.
    pub fn explore(&self) -> Exploration {
        crash::explore(self, Depth::from_env())
    }

    /// Lives the life in every [`Trouble`] that it has a place for: each write failed in each way, each request hung,
    /// events late, twice and never, each change taken back at each write, each child deleted and edited, the namespace
    /// deleted at each write, the watch expired, the past replayed after a restart.
    ///
    /// # Panics
    /// If any ends in a violation; the message names the replay strings.
    pub fn explore_faults(&self) -> Exploration {
        self.find_faults().asserted()
    }

    /// Like [`Scenario::explore_faults`], for a test that expects violations.
    pub fn find_faults(&self) -> Exploration {
        faults::explore(self)
    }

    /// Two replicas, whose clocks are two seconds apart, and a network that parts the leader from its lease, or from
    /// everything, at one moment after the other: it stops writing before its successor starts.
    ///
    /// # Errors
    /// What the oracle found first.
    pub fn explore_partitions(&self, moments: u32) -> Result<(), Violation> {
        partition::explore(self, moments)
    }

    /// Takes one verb after the other out of the role that the operator prints, and looks whether anything fails
    /// without it. The verbs that nothing needs are in the result; with the whole role nothing may fail.
    pub fn check_role(&self) -> RoleCheck {
        role::check(self)
    }
}
