//! What a test starts from.

use std::{sync::Arc, time::Duration};

use opgen_runtime::Operator;
use serde_json::Value;

use crate::{
    crash::Exploration,
    oracle::Violation,
    process::{Life, MakeOperator},
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

/// An operator, the world outside of the cluster, and objects.
///
/// `P` is the simulated provider: it outlives the operator's crashes, as a real one does.
#[derive(Clone)]
pub struct Scenario<C, P> {
    pub(crate) operator: MakeOperator<C>,
    pub(crate) provider: Make<P>,
    pub(crate) context: MakeFrom<P, C>,
    pub(crate) outside: MakeFrom<P, Option<Outside>>,
    pub(crate) objects: Vec<Value>,
    pub(crate) given: Vec<Value>,
    pub(crate) workloads: Option<Duration>,
    pub(crate) seed: u64,
    pub(crate) patience: Duration,
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
            objects: Vec::new(),
            given: Vec::new(),
            workloads: None,
            seed: std::env::var("OPGEN_SEED")
                .ok()
                .and_then(|seed| seed.parse().ok())
                .unwrap_or(1),
            patience: Duration::from_secs(4 * 3600),
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

    /// How to count what exists outside. Without it the oracle does not look there.
    #[must_use]
    pub fn outside(mut self, count: impl Fn(&P) -> Outside + Send + Sync + 'static) -> Self {
        self.outside = Arc::new(move |provider: &P| Some(count(provider)));
        self
    }

    /// The seed of names, uids and jitter (default: `OPGEN_SEED`, or 1).
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How long, in virtual time, the oracle waits for an object to settle (default 4 h).
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Runs `test` beside the operator, in virtual time.
    ///
    /// # Panics
    /// If `test` does; the message names the seed.
    pub fn run<F, T>(&self, test: F) -> T
    where
        F: AsyncFnOnce(World<P>) -> T,
    {
        let mut life = Life::new(self);
        life.create_objects();
        life.process(test)
    }

    /// Creates the objects, waits until they are steady, checks the outside, waits three quiet virtual hours, deletes
    /// them, and checks that nothing is left.
    ///
    /// # Errors
    /// What the oracle found.
    pub fn check(&self) -> Result<(), Violation> {
        Life::new(self).whole()
    }

    /// Crashes the operator before and after each of its writes, one at a time, and checks every recovery.
    ///
    /// # Panics
    /// If any recovery fails; the message names the replay strings.
    pub fn explore_crashes(&self) -> Exploration {
        let exploration = self.explore();
        assert!(exploration.violations.is_empty(), "{exploration}");
        exploration
    }

    /// Like [`Scenario::explore_crashes`], for a test that expects violations.
    pub fn explore(&self) -> Exploration {
        crate::crash::explore(self)
    }
}
