//! The life of a scenario: a cluster and an outside that stay, operator processes that come and go.

use std::{sync::Arc, time::Duration};

use jiff::SignedDuration;
use opgen_apiserver::Cluster;
use opgen_runtime::{
    HandlerObserver, LeaderElection, Operator, OperatorError, Placement, RunOptions,
    clients::Clients, clock::SharedClock, metrics::Metrics,
};
use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::Instant};

use crate::{
    handlers::Handlers, oracle::Violation, scenario::Scenario, words, world::World, writes::Writes,
};

/// Makes the operator of a process.
pub(crate) type MakeOperator<C> = Arc<dyn Fn() -> Operator<C> + Send + Sync>;
/// Changes the manifests before they are applied.
pub(crate) type Edit<'e> = &'e dyn Fn(&mut Vec<Value>);

/// What outlives a process.
pub(crate) struct Life<'a, C, P> {
    pub(crate) scenario: &'a Scenario<C, P>,
    pub(crate) cluster: Cluster,
    pub(crate) provider: P,
    pub(crate) writes: Writes,
    pub(crate) handlers: Handlers,
    /// Whether processes elect a leader.
    pub(crate) elects: bool,
    /// Virtual time spent by former processes.
    elapsed: Duration,
    processes: u64,
    /// What a process said that the reference does not explain.
    pub(crate) unexplained: Option<String>,
}

/// A running process of the operator.
pub(crate) struct Replica {
    pub(crate) user: String,
    pub(crate) metrics: Metrics,
    pub(crate) task: JoinHandle<Result<(), OperatorError>>,
}

impl<'a, C: Send + Sync + 'static, P: Clone + 'static> Life<'a, C, P> {
    /// A fresh cluster with RBAC on, in which the operator's manifests are applied.
    pub(crate) fn new(scenario: &'a Scenario<C, P>) -> Self {
        Self::with(scenario, &|_| {})
    }

    /// The same, with the manifests changed.
    pub(crate) fn with(scenario: &'a Scenario<C, P>, edit: Edit<'_>) -> Self {
        let cluster = Cluster::builder()
            .seed(scenario.seed)
            .rbac(true)
            .owner_permissions(true)
            .build();
        let life = Self {
            provider: (scenario.provider)(),
            scenario,
            cluster,
            writes: Writes::default(),
            handlers: Handlers::default(),
            elects: false,
            elapsed: Duration::ZERO,
            processes: 0,
            unexplained: None,
        };
        life.paused(async {
            let operator = (life.scenario.operator)();
            let home = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": operator.name()}});
            let mut manifests = operator.manifests();
            edit(&mut manifests);
            let applied = life
                .cluster
                .apply_manifests(&[home])
                .and_then(|()| life.cluster.apply_manifests(&manifests))
                .and_then(|()| life.cluster.apply_manifests(&life.scenario.given));
            assert!(applied.is_ok(), "the operator's own manifests, or what the scenario gives, are refused: {applied:?}");
        });
        life.writes.install(&life.cluster, vec![life.user()]);
        life
    }

    /// The user the operator runs as.
    pub(crate) fn user(&self) -> String {
        let operator = (self.scenario.operator)();
        format!("system:serviceaccount:{0}:{0}", operator.name())
    }

    /// A runtime with its clock stopped, that goes on where the last one was dropped.
    pub(crate) fn paused<T>(&self, future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => panic!("no runtime for the test: {error}"),
        };
        runtime.block_on(async {
            tokio::time::advance(self.elapsed).await;
            self.cluster.clock().rebase();
            future.await
        })
    }

    /// Starts a process that runs as `user`; its wall clock is wrong by `skew`.
    pub(crate) fn spawn(&self, user: &str, skew: SignedDuration) -> Replica {
        let clients = Clients::in_process(self.cluster.client_as(user));
        let metrics = clients.metrics().clone();
        let clock = self.cluster.clock();
        let clock: SharedClock = Arc::new(move || clock.now() + skew);
        let leader_election = self.elects.then(|| LeaderElection {
            identity: user.to_owned(),
            ..LeaderElection::default()
        });
        let options = RunOptions {
            placement: Placement::Inline,
            clock,
            probe_addr: None,
            leader_election,
            observer: Some(Arc::new(self.handlers.clone()) as Arc<dyn HandlerObserver>),
            ..RunOptions::default()
        };
        let context = (self.scenario.context)(&self.provider);
        let run = (self.scenario.operator)().run(clients, context, options);
        Replica {
            user: user.to_owned(),
            metrics,
            task: tokio::spawn(run),
        }
    }

    /// What a test sees beside processes that run as `users`.
    pub(crate) fn world(&self, metrics: Metrics, users: Vec<String>) -> World<P> {
        World {
            cluster: self.cluster.clone(),
            provider: self.provider.clone(),
            metrics,
            users,
            paths: (self.scenario.operator)().machine_paths().into(),
            failed: self.scenario.failed_phases().into(),
            writes: self.writes.clone(),
            faults: Arc::default(),
            seed: self.scenario.seed,
        }
    }

    /// One process of the operator: `body` runs beside it, and its end is the process's crash.
    ///
    /// # Errors
    /// If the operator ends by itself.
    pub(crate) fn process<T>(
        &mut self,
        body: impl AsyncFnOnce(World<P>) -> T,
    ) -> Result<T, Violation> {
        self.runtime(async |life| {
            let user = life.user();
            let Replica { metrics, task, .. } = life.spawn(&user, SignedDuration::ZERO);
            let world = life.world(metrics, vec![user]);
            tokio::select! {
                biased;
                result = body(world) => Ok(result),
                ended = task => Err(Violation::Ended(match ended {
                    Ok(Ok(())) => "without a reason".to_owned(),
                    Ok(Err(error)) => error.to_string(),
                    Err(error) => error.to_string(),
                })),
            }
        })
    }

    /// A runtime of its own, at whose end all processes in it are dead.
    pub(crate) fn runtime<T>(&mut self, body: impl AsyncFnOnce(&Self) -> T) -> T {
        self.processes += 1;
        self.writes.restart();
        // Jitter must be the same in a replay, and another one in the next process.
        fastrand::seed(
            self.scenario
                .seed
                .wrapping_mul(1_000_003)
                .wrapping_add(self.processes),
        );
        let (result, said, spent) = self.paused(async {
            let started = Instant::now();
            let _controllers = self.scenario.workloads.map(|ready_after| {
                let garbage = self.cluster.collect_in_background(Duration::from_secs(1));
                (self.cluster.stand_in(ready_after), garbage)
            });
            let result = body(self).await;
            let said = words::unexplained(&self.cluster, &(self.scenario.operator)());
            (result, said, started.elapsed())
        });
        self.elapsed += spent;
        self.unexplained = self.unexplained.take().or(said);
        result
    }
}

/// `(resource reference, namespace, name)` of a manifest, as the cluster's raw calls want them.
pub(crate) fn reference(object: &Value) -> (String, String, String) {
    let text = |pointer: &str| {
        object
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let namespace = text("/metadata/namespace");
    let namespace = if namespace.is_empty() {
        "default".to_owned()
    } else {
        namespace
    };
    (text("/kind"), namespace, text("/metadata/name"))
}
