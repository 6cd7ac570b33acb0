//! Kubernetes' own kinds that an operator may own or watch.
//!
//! A kind that may be owned also has a template, `templates/layers/child/<Kind>.tera`. Only stable kinds are here: every
//! Kubernetes version that a project can choose has them.

use super::names::pluralised;

/// One of Kubernetes' own kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// The kind.
    pub kind: &'static str,
    /// Its group; empty for the core one.
    pub group: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The module of its Rust type, below `k8s_openapi::api`.
    pub module: &'static str,
    /// Whether it lives outside of namespaces.
    pub cluster: bool,
    /// What its template takes from the spec; `None` where there is no template, so that it can only be watched.
    pub takes: Option<&'static [Take]>,
    /// How its readiness shows.
    pub progress: Progress,
    /// The minor version of Kubernetes from which on its type in `k8s-openapi` holds its spec without an `Option`.
    pub spec_since: Option<u8>,
}

/// A field of the spec that templates of children take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Take {
    /// The image of the container; whatever has pods takes it.
    Image,
    /// The number of pods.
    Replicas,
    /// The port of the container.
    Port,
    /// Key-value pairs.
    Config,
    /// The size of a volume.
    Storage,
    /// When to run, in cron's form.
    Schedule,
    /// A DNS name.
    Host,
}

/// How the readiness of a child shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is as wanted once it is there.
    AtOnce,
    /// Its status says when.
    Waits,
    /// Its status says when, or that it never will be.
    WaitsOrFails,
}

impl BuiltIn {
    /// `apps/v1`, or `v1`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// Its name in URLs.
    pub fn plural(&self) -> String {
        pluralised(&self.kind.to_lowercase())
    }

    /// Whether its template has a pod in it.
    pub fn has_pods(&self) -> bool {
        self.takes.is_some_and(|takes| takes.contains(&Take::Image))
    }
}

const fn built_in(
    kind: &'static str,
    api: (&'static str, &'static str),
    module: &'static str,
    takes: &'static [Take],
) -> BuiltIn {
    BuiltIn {
        kind,
        group: api.0,
        version: api.1,
        module,
        cluster: false,
        takes: Some(takes),
        progress: Progress::AtOnce,
        spec_since: None,
    }
}

const fn has_spec_since(minor: u8, row: BuiltIn) -> BuiltIn {
    BuiltIn {
        spec_since: Some(minor),
        ..row
    }
}

const fn in_cluster(row: BuiltIn) -> BuiltIn {
    BuiltIn {
        cluster: true,
        ..row
    }
}

const fn watched_only(row: BuiltIn) -> BuiltIn {
    BuiltIn { takes: None, ..row }
}

const fn shows(progress: Progress, row: BuiltIn) -> BuiltIn {
    BuiltIn { progress, ..row }
}

use Progress::{Waits, WaitsOrFails};
use Take::{Config, Host, Image, Port, Replicas, Schedule, Storage};

const CORE: (&str, &str) = ("", "v1");
const APPS: (&str, &str) = ("apps", "v1");
const BATCH: (&str, &str) = ("batch", "v1");
const NETWORKING: (&str, &str) = ("networking.k8s.io", "v1");
const RBAC: (&str, &str) = ("rbac.authorization.k8s.io", "v1");

/// Every kind, in the order in which children are applied: what others need comes first.
pub(super) const BUILT_IN: &[BuiltIn] = &[
    in_cluster(built_in("Namespace", CORE, "core::v1", &[])),
    in_cluster(watched_only(built_in("Node", CORE, "core::v1", &[]))),
    in_cluster(built_in(
        "PriorityClass",
        ("scheduling.k8s.io", "v1"),
        "scheduling::v1",
        &[],
    )),
    in_cluster(watched_only(built_in(
        "StorageClass",
        ("storage.k8s.io", "v1"),
        "storage::v1",
        &[],
    ))),
    in_cluster(watched_only(built_in(
        "PersistentVolume",
        CORE,
        "core::v1",
        &[],
    ))),
    in_cluster(watched_only(built_in(
        "IngressClass",
        NETWORKING,
        "networking::v1",
        &[],
    ))),
    built_in("ServiceAccount", CORE, "core::v1", &[]),
    in_cluster(built_in("ClusterRole", RBAC, "rbac::v1", &[])),
    in_cluster(watched_only(built_in(
        "ClusterRoleBinding",
        RBAC,
        "rbac::v1",
        &[],
    ))),
    built_in("Role", RBAC, "rbac::v1", &[]),
    built_in("RoleBinding", RBAC, "rbac::v1", &[]),
    built_in("ConfigMap", CORE, "core::v1", &[Config]),
    built_in("Secret", CORE, "core::v1", &[Config]),
    built_in("PersistentVolumeClaim", CORE, "core::v1", &[Storage]),
    built_in("Service", CORE, "core::v1", &[Port]),
    built_in("NetworkPolicy", NETWORKING, "networking::v1", &[Port]),
    built_in("PodDisruptionBudget", ("policy", "v1"), "policy::v1", &[]),
    shows(
        Waits,
        has_spec_since(
            37,
            built_in("Deployment", APPS, "apps::v1", &[Image, Replicas, Port]),
        ),
    ),
    shows(
        Waits,
        has_spec_since(
            37,
            built_in("StatefulSet", APPS, "apps::v1", &[Image, Replicas, Port]),
        ),
    ),
    shows(
        Waits,
        has_spec_since(
            37,
            built_in("ReplicaSet", APPS, "apps::v1", &[Image, Replicas, Port]),
        ),
    ),
    shows(
        Waits,
        has_spec_since(37, built_in("DaemonSet", APPS, "apps::v1", &[Image, Port])),
    ),
    shows(WaitsOrFails, built_in("Job", BATCH, "batch::v1", &[Image])),
    has_spec_since(
        36,
        built_in("CronJob", BATCH, "batch::v1", &[Image, Schedule]),
    ),
    shows(WaitsOrFails, built_in("Pod", CORE, "core::v1", &[Image])),
    has_spec_since(
        36,
        built_in(
            "HorizontalPodAutoscaler",
            ("autoscaling", "v2"),
            "autoscaling::v2",
            &[],
        ),
    ),
    built_in("Ingress", NETWORKING, "networking::v1", &[Port, Host]),
];

/// The names of all of them.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|row| row.kind)
}

/// Groups that only Kubernetes itself serves, so that a kind which is not in the table is none of somebody else.
pub(super) const GROUPS: &[&str] = &[
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_what_a_server_calls_them() {
        let cluster = opgen_apiserver::Cluster::new();
        for row in BUILT_IN {
            let plural = row.plural();
            let resource = if row.group.is_empty() {
                plural
            } else {
                format!("{plural}.{}", row.group)
            };
            let listed = cluster.list_raw(&resource, "");
            assert!(listed.is_ok(), "{resource}: {listed:?}");
        }
    }
}
