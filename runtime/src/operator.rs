//! The operator: its kinds, what it needs of the cluster, and how it runs.

mod kinds;
mod options;
mod running;
mod uninstall;

use std::{any::TypeId, net::SocketAddr, sync::Arc};

use kube::Resource;
use serde_json::Value;

use crate::{
    children::Declared,
    engine::{kind::Limits, predicate::Watched},
    graph::PhaseGraph,
    jobs::Trigger,
    lease,
    manifests::{Needs, RoleRule, merged},
    phase::PhaseMachine,
    status::MachinePaths,
};

pub use options::{HandlerObserver, KindOptions, Placement, RunOptions};
pub use uninstall::{LeftObject, OutsidePolicy, UninstallError, UninstallOptions};

use kinds::{AnyKind, KindOf};

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
            writes_metadata: false,
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
}
