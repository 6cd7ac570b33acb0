//! The kinds of an operator, with their machine types forgotten, and what they share while it runs.

use std::{any::TypeId, future::Future, pin::Pin, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use jiff::Timestamp;
use kube::{Resource, api::ApiResource};
use tokio::{sync::watch, task::JoinSet};

use super::{HandlerObserver, KindOptions, uninstall::Doomed};
use crate::mutant::{Mutant, mutated};
use crate::{
    blocking::BlockingPool,
    children::{Children, is_namespaced},
    clients::Clients,
    clock::SharedClock,
    engine::{
        api::ObjectApi,
        board::Board,
        controller::Controller,
        events::Events,
        finalizer::Finalizer,
        kind::{Kind, Limits},
        owned_bell::Bell,
        owned_watch::Follow,
        watch::Scope,
    },
    graph::PhaseGraph,
    inspect::Inspector,
    jobs::{self, Jobs},
    manifests::{NeededCrd, NeededList, RoleRule},
    metrics::Metrics,
    phase::{PhaseMachine, StatusOf},
    status::{MachinePaths, MachineStatus, Rules},
};

/// What every kind of a running operator shares.
pub(super) struct Shared<C> {
    pub(super) name: String,
    pub(super) clients: Clients,
    pub(super) context: Arc<C>,
    pub(super) started_at: Timestamp,
    pub(super) clock: SharedClock,
    pub(super) metrics: Metrics,
    pub(super) drain: Duration,
    pub(super) only_in: Option<String>,
    pub(super) blocking: BlockingPool,
    pub(super) inspector: Arc<Inspector>,
    pub(super) stopped: watch::Receiver<bool>,
    pub(super) events: Events,
    pub(super) observer: Option<Arc<dyn HandlerObserver>>,
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
                events: self.events.clone(),
                name,
                bell: Arc::clone(&children.bell),
            }
        };
        children.watches(follow, self.only_in.as_deref())
    }
}

/// A kind whose machine type is forgotten.
pub(super) trait AnyKind<C>: Send + Sync {
    fn machine(&self) -> TypeId;
    fn triggers(&self) -> Arc<Bell>;
    fn crd(&self) -> NeededCrd;
    fn rules(&self) -> Vec<RoleRule>;
    fn lists(&self) -> Vec<NeededList>;
    fn doomed(&self) -> Doomed;
    fn paths(&self) -> (String, MachinePaths);
    fn graph(&self) -> PhaseGraph;
    fn start(&self, shared: &Shared<C>) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

pub(super) struct KindOf<M: PhaseMachine> {
    pub(super) options: KindOptions<M>,
    pub(super) triggers: Arc<Bell>,
}

impl<C: Send + Sync + 'static, M: PhaseMachine<Context = C>> AnyKind<C> for KindOf<M> {
    fn machine(&self) -> TypeId {
        TypeId::of::<M>()
    }

    fn triggers(&self) -> Arc<Bell> {
        Arc::clone(&self.triggers)
    }

    fn crd(&self) -> NeededCrd {
        NeededCrd {
            version: M::Resource::version(&()).into_owned(),
            crd: M::crd(),
        }
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
        let has_patches = self.options.writes_metadata
            || !self.options.former_finalizers.is_empty()
            || M::GRAPH.phases.iter().any(|it| it.finalizer || it.failed);
        let own = vec![
            // get: past the cache, after a lost race; list and watch: the cache; patch: finalizer and identity, of which
            // a new attempt is a part.
            rule(
                plural.clone(),
                if has_patches {
                    &["get", "list", "watch", "patch"]
                } else {
                    &["get", "list", "watch"]
                },
            ),
            rule(
                format!("{plural}/status"),
                if mutated(Mutant::Role) {
                    &["get"]
                } else {
                    &["patch"]
                },
            ),
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
        let mut own = own;
        if self.options.declared.owns_any() {
            // The owner references of children say blockOwnerDeletion. Where the admission plugin
            // OwnerReferencesPermissionEnforcement is on, as on OpenShift, that takes this right.
            own.push(rule(format!("{plural}/finalizers"), &["update"]));
        }
        own.into_iter()
            .chain(self.options.declared.rules())
            .collect()
    }

    fn lists(&self) -> Vec<NeededList> {
        self.options.declared.lists()
    }

    fn doomed(&self) -> Doomed {
        Doomed {
            resource: ApiResource::erase::<M::Resource>(&()),
            namespaced: is_namespaced::<M::Resource>(),
            labels: self.options.labels.clone(),
        }
    }

    fn paths(&self) -> (String, MachinePaths) {
        let kind = M::Resource::kind(&()).into_owned();
        (kind, <StatusOf<M> as MachineStatus>::PATHS)
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
            api: ObjectApi::new(shared.clients.caller(), &shared.name),
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
            observer: shared.observer.clone(),
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
