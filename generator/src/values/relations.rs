//! What a kind has to do with others, as templates name it.

use std::collections::BTreeMap;

use heck::ToKebabCase as _;
use serde::Serialize;

use super::children::{Child, Shape, child};
use super::references::{ForeignValues, Reference, foreign, references};
use super::spec::{
    Change, Constant, Field, TAKES, TakeRow, TakeValues, change, constants, fields, spec_change,
    spec_json,
};
use crate::model::{BuiltIn, External, K8sVersion, Related, Resource, Role, Scope, Take};
use crate::uses;

/// What a kind has to do with others.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Relations {
    /// The minor version of Kubernetes: types differ.
    k8s_minor: u8,
    /// Whether there is anything to tell the builder.
    is_related: bool,
    has_children: bool,
    /// In the order in which they are applied.
    pub(crate) children: Vec<Child>,
    /// Those whose readiness shows in their status.
    waiting: Vec<Child>,
    waits: bool,
    fails: bool,
    has_recreated: bool,
    has_scaled: bool,
    /// Every kind of the table of built-in ones, and whether it is owned.
    owns: BTreeMap<&'static str, bool>,
    /// Expressions for what children take from the spec.
    take: TakeValues,
    /// What stands for fields of the spec where the types are not ours.
    constants: Vec<Constant>,
    children_take_spec: bool,
    takes_namespace: bool,
    pub(crate) has_pods: bool,
    pub(crate) has_selectors: bool,
    has_pod_templates: bool,
    has_port: bool,
    pod_needs_name: bool,
    pod_parameters: String,
    pod_arguments: String,
    template_parameters: String,
    template_arguments: String,
    references: Vec<Reference>,
    checks_references: bool,
    /// Whether pods take their environment from what is referred to.
    mounts: bool,
    mounts_secret: bool,
    mounts_config: bool,
    pub(crate) foreign: Vec<ForeignValues>,
    /// The `use` lines of the modules that name types of Kubernetes.
    options_uses: String,
    references_uses: String,
    /// The fields of a spec of our own, in order.
    fields: Vec<Field>,
    /// A spec with its sample values, as JSON.
    spec_json: String,
    spec_has_map: bool,
    has_size: bool,
    /// Whether the status repeats the size that was worked on.
    records_own_size: bool,
    /// A child that takes its time to be ready; empty if none does.
    slow_child: String,
    /// A field whose change reaches a child.
    change: Option<Change>,
    /// A change of the spec that a user makes, as JSON; empty where none is known.
    spec_change: String,
    /// Whether a new attempt is all that patches the object, and no change of the spec is known that leads to one.
    is_attempt_unseen: bool,
    /// The plurals of the children that would be replaced, but that no change of the spec known here has replaced.
    unreplaced: Vec<&'static str>,
    /// The name of containers and the end of names: `database-cluster`.
    label: String,
}

impl Relations {
    pub(crate) fn new(resource: &Resource, k8s: K8sVersion) -> Self {
        let mut owned: Vec<&Related> = resource.owns.iter().collect();
        owned.sort_by_key(|related| related.rank());
        let is_owned = |kind: &str| {
            owned
                .iter()
                .any(|related| matches!(related, Related::BuiltIn(row) if row.kind == kind))
        };
        let adopted = resource.adopted.is_some();
        let takes: Vec<&TakeRow> = TAKES
            .iter()
            .filter(|row| {
                owned
                    .iter()
                    .any(|related| takes(related).contains(&row.take))
            })
            .collect();
        let references = references(resource, &owned);
        let mounted = |kind: &str| {
            references
                .iter()
                .any(|one| one.is_mounted && one.name == kind)
        };
        let mounts_secret = mounted("Secret");
        let mounts_config = mounted("ConfigMap");
        let rows = || owned.iter().filter_map(|related| built_in(related));
        let shape = Shape {
            adopted,
            minor: k8s.minor(),
            spec: format!("&{}Spec", resource.kind),
            mounts: mounts_secret || mounts_config,
            pod_needs_meta: [
                "ConfigMap",
                "Secret",
                "PersistentVolumeClaim",
                "ServiceAccount",
            ]
            .iter()
            .any(|kind| is_owned(kind)),
            scaler: is_owned("HorizontalPodAutoscaler"),
        };
        let children: Vec<Child> = owned.iter().map(|related| child(related, &shape)).collect();
        let waiting: Vec<Child> = children
            .iter()
            .filter(|child| child.waits)
            .cloned()
            .collect();
        let takes_namespace = resource.scope == Scope::Cluster
            && owned.iter().any(|related| !related.is_cluster_scoped());
        let fields = fields(resource, &takes, takes_namespace, &references);
        let own_size = !adopted && takes.is_empty() && resource.external == External::None;
        let paths = |all: &[&Related]| uses::render(all.iter().filter_map(|one| path(one)));
        let both: Vec<&Related> = owned.iter().copied().chain(&resource.watches).collect();
        let has_size = own_size || !adopted && resource.external != External::None;
        let change = change(adopted, &takes, &owned);
        let spec_change = spec_change(change.as_ref(), has_size);
        let has_phase = |role| resource.machine.phases().iter().any(|it| it.role == role);
        Self {
            k8s_minor: k8s.minor(),
            is_related: !both.is_empty(),
            has_children: !children.is_empty(),
            waits: !waiting.is_empty(),
            fails: waiting.iter().any(|child| child.fails),
            has_recreated: children.iter().any(|child| child.is_recreated),
            has_scaled: children.iter().any(|child| child.is_scaled),
            owns: crate::model::built_in_kinds()
                .map(|kind| (kind, is_owned(kind)))
                .collect(),
            take: TakeValues::new(adopted),
            constants: constants(adopted, &takes, takes_namespace),
            children_take_spec: !adopted && !takes.is_empty(),
            takes_namespace,
            has_pods: rows().any(BuiltIn::has_pods),
            has_selectors: rows().any(has_selector),
            has_pod_templates: rows().any(|row| row.has_pods() && row.kind != "Pod"),
            has_port: takes.iter().any(|row| row.take == Take::Port),
            pod_needs_name: ["ConfigMap", "Secret", "PersistentVolumeClaim"]
                .iter()
                .any(|kind| is_owned(kind)),
            pod_parameters: shape.parameters(shape.pod_needs_meta, true, false),
            pod_arguments: shape.arguments("meta", shape.pod_needs_meta, true, false),
            template_parameters: shape.parameters(true, true, true),
            template_arguments: shape.arguments("meta", true, true, true),
            checks_references: !adopted && !references.is_empty(),
            mounts: shape.mounts,
            mounts_secret,
            mounts_config,
            foreign: foreign(&both),
            options_uses: paths(&both),
            references_uses: paths(&resource.watches.iter().collect::<Vec<_>>()),
            spec_json: spec_json(&fields),
            fields,
            spec_has_map: !adopted && takes.iter().any(|row| row.take == Take::Config),
            has_size,
            records_own_size: own_size,
            slow_child: waiting
                .iter()
                .find(|child| !child.is_foreign && super::waits_for_children(resource))
                .map(|child| child.name.clone())
                .unwrap_or_default(),
            unreplaced: [("Job", "jobs"), ("Pod", "pods")]
                .into_iter()
                // A pod's image is changed in place.
                .filter(|(kind, _)| is_owned(kind) && (*kind == "Pod" || spec_change.is_empty()))
                .map(|(_, plural)| plural)
                .collect(),
            is_attempt_unseen: spec_change.is_empty()
                && has_phase(Role::Failed)
                && !has_phase(Role::Finalizer),
            spec_change,
            change,
            label: resource.kind.as_str().to_kebab_case(),
            children,
            waiting,
            references,
        }
    }
}

pub(super) fn built_in<'a>(related: &&'a Related) -> Option<&'a BuiltIn> {
    match related {
        Related::BuiltIn(row) => Some(row),
        Related::Foreign(_) => None,
    }
}

pub(super) fn takes(related: &Related) -> &'static [Take] {
    match related {
        Related::BuiltIn(row) => row.takes.unwrap_or_default(),
        Related::Foreign(_) => &[],
    }
}

pub(super) fn has_selector(row: &BuiltIn) -> bool {
    matches!(
        row.kind,
        "Deployment"
            | "StatefulSet"
            | "ReplicaSet"
            | "DaemonSet"
            | "NetworkPolicy"
            | "PodDisruptionBudget"
    )
}

/// The path of a built-in kind's Rust type.
pub(super) fn path(related: &Related) -> Option<String> {
    match related {
        Related::BuiltIn(row) => Some(format!("k8s_openapi::api::{}::{}", row.module, row.kind)),
        Related::Foreign(_) => None,
    }
}
