//! The life of a scenario: a cluster and an outside that stay, operator processes that come and go.

use std::{sync::Arc, time::Duration};

use opgen_apiserver::Cluster;
use opgen_runtime::{Operator, Placement, RunOptions, clients::Clients, clock::SharedClock};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    oracle::{self, Violation},
    scenario::Scenario,
    words,
    world::World,
};

/// Makes the operator of a process.
pub(crate) type MakeOperator<C> = Arc<dyn Fn() -> Operator<C> + Send + Sync>;

/// What outlives a process.
pub(crate) struct Life<'a, C, P> {
    pub(crate) scenario: &'a Scenario<C, P>,
    pub(crate) cluster: Cluster,
    pub(crate) provider: P,
    /// Virtual time spent by former processes.
    elapsed: Duration,
    processes: u64,
}

impl<'a, C: Send + Sync + 'static, P: Clone + 'static> Life<'a, C, P> {
    /// A fresh cluster with RBAC on, in which the operator's manifests are applied.
    pub(crate) fn new(scenario: &'a Scenario<C, P>) -> Self {
        let cluster = Cluster::builder()
            .seed(scenario.seed)
            .rbac(true)
            .owner_permissions(true)
            .build();
        let life = Self {
            provider: (scenario.provider)(),
            scenario,
            cluster,
            elapsed: Duration::ZERO,
            processes: 0,
        };
        life.paused(async {
            let operator = (life.scenario.operator)();
            let home = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": operator.name()}});
            let applied = life
                .cluster
                .apply_manifests(&[home])
                .and_then(|()| life.cluster.apply_manifests(&operator.manifests()))
                .and_then(|()| life.cluster.apply_manifests(&life.scenario.given));
            assert!(applied.is_ok(), "the operator's own manifests, or what the scenario gives, are refused: {applied:?}");
        });
        life
    }

    /// The user the operator runs as.
    pub(crate) fn user(&self) -> String {
        let operator = (self.scenario.operator)();
        format!("system:serviceaccount:{0}:{0}", operator.name())
    }

    /// Inside a paused runtime, as all else: the cluster's clock must not read real time.
    pub(crate) fn create_objects(&self) {
        self.paused(async {
            for object in &self.scenario.objects {
                let created = self.cluster.create_raw(object.clone());
                assert!(
                    created.is_ok(),
                    "the scenario's object is refused: {created:?}"
                );
            }
        });
    }

    /// A runtime with its clock stopped, that goes on where the last one was dropped.
    fn paused<T>(&self, future: impl Future<Output = T>) -> T {
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

    /// One process of the operator: `body` runs beside it, and its end is the process's crash.
    pub(crate) fn process<T>(&mut self, body: impl AsyncFnOnce(World<P>) -> T) -> T {
        self.processes += 1;
        // Jitter must be the same in a replay, and another one in the next process.
        fastrand::seed(
            self.scenario
                .seed
                .wrapping_mul(1_000_003)
                .wrapping_add(self.processes),
        );
        let (result, spent) = self.paused(async {
            let started = Instant::now();
            let _controllers = self.scenario.workloads.map(|ready_after| {
                let garbage = self.cluster.collect_in_background(Duration::from_secs(1));
                (self.cluster.stand_in(ready_after), garbage)
            });
            let clients = Clients::in_process(self.cluster.client_as(&self.user()));
            let metrics = clients.metrics().clone();
            let clock = self.cluster.clock();
            let clock: SharedClock = Arc::new(move || clock.now());
            let options = RunOptions {
                placement: Placement::Inline,
                clock,
                probe_addr: None,
                ..RunOptions::default()
            };
            let context = (self.scenario.context)(&self.provider);
            let operator = tokio::spawn((self.scenario.operator)().run(clients, context, options));
            let world = World {
                cluster: self.cluster.clone(),
                provider: self.provider.clone(),
                metrics,
                user: self.user(),
                patience: self.scenario.patience,
                seed: self.scenario.seed,
            };
            let result = tokio::select! {
                result = body(world) => result,
                ended = operator => panic!("the operator ended by itself: {ended:?}"),
            };
            words::are_known(&self.cluster, &(self.scenario.operator)());
            (result, started.elapsed())
        });
        self.elapsed += spent;
        result
    }

    /// From creation to deletion in one process.
    pub(crate) fn whole(&mut self) -> Result<(), Violation> {
        self.create_objects();
        let (objects, outside) = (
            self.scenario.objects.clone(),
            Arc::clone(&self.scenario.outside),
        );
        self.process(async move |world| {
            oracle::converges(&world, &objects, &*outside).await?;
            oracle::stays_quiet(&world, objects.len()).await?;
            oracle::goes_away(&world, &objects, &*outside).await
        })
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
