//! What templates may name: the [`Operator`] as plain values. Every choice that needs thinking is made here, so that
//! templates only place text.

mod children;
mod references;
mod relations;
mod spec;

use serde::Serialize;

pub(crate) use self::children::Child;
pub(crate) use self::relations::Relations;
use crate::crates::requirement;
use crate::model::{Adopted, External, Operator, Phase, Resource, Role, Scope, Span};
use crate::settings;

/// What every template may name as `project`.
#[derive(Debug, Serialize)]
pub(crate) struct Project {
    /// The package's name.
    name: String,
    /// The crate's name in Rust.
    ident: String,
    /// A sentence about the operator.
    title: String,
    /// The name of the Deployment, the ServiceAccount and the role.
    dns: String,
    k8s_feature: String,
    /// Right sides of dependency lines.
    runtime: String,
    testkit: String,
    /// The text of `opgen.toml`.
    settings: String,
    vendored: bool,
    /// Whether the opgen crates are named by a path on this machine.
    is_path: bool,
    has_adopted: bool,
    /// Three times the longest timeout of a handler, in seconds.
    alert_seconds: u64,
    has_http: bool,
    has_provider: bool,
    /// Whether it drives one kind only.
    is_single: bool,
    /// Kinds of somebody else, of all kinds together.
    foreign: Vec<references::ForeignValues>,
    kinds: Vec<Kind>,
}

/// What a kind's templates may name as `kind`, and the others as an entry of `project.kinds`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Kind {
    /// PascalCase.
    name: String,
    /// Module and folder.
    pub(crate) snake: String,
    /// The file of its incidents, below `tests`, without the ending.
    pub(crate) incidents: String,
    /// In words: `database cluster`.
    words: String,
    /// Upper snake case, for environment variables.
    upper: String,
    group: String,
    version: String,
    api_version: String,
    pub(crate) plural: String,
    short: Vec<String>,
    namespaced: bool,
    external: &'static str,
    is_http: bool,
    is_custom: bool,
    has_provider: bool,
    /// The context's field for the provider.
    provider_field: String,
    /// What the provider is told: the spec's type, or the whole object's where the CRD has no plain spec.
    subject_type: String,
    /// The same in a handler.
    subject: &'static str,
    subject_is_spec: bool,
    /// `spec` or `object`: the argument's name.
    subject_name: &'static str,
    /// The same where the argument is not used.
    unused_subject: &'static str,
    /// The type's path for `use`.
    subject_path: String,
    /// Whether a handler tells the states of an instance apart.
    looks_at_state: bool,
    /// Whether a changed spec is worked on, so that the status follows it.
    records_size: bool,
    /// Whether the status has a place for the provider's id.
    records_id: bool,
    /// The enum's name.
    machine: String,
    phases: Vec<PhaseValues>,
    initial: String,
    failed: String,
    finalizer: String,
    adopted: Option<AdoptedValues>,
    #[serde(flatten)]
    relations: Relations,
}

/// One phase.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PhaseValues {
    name: String,
    /// The handler's name.
    snake: String,
    /// A sentence for the doc comment.
    doc: String,
    /// The arguments of `#[phase(..)]`.
    attribute: String,
    /// The arguments of `#[reconcile_phase(..)]`.
    timeout: String,
    initial: bool,
    /// Whether its handler sees that all is as wanted before it moves on.
    arrives: bool,
    moving: bool,
    steady: bool,
    failed: bool,
    finalizer: bool,
    /// Whether its handler sees to the children.
    brings_children: bool,
    /// Where the handler goes on success.
    next: Option<String>,
    /// Every arrow but the implied ones.
    to: Vec<String>,
    deadline: Option<DeadlineValues>,
}

/// How long a phase may last.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DeadlineValues {
    after: String,
    to: String,
}

/// What an adopted CRD adds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AdoptedValues {
    original: String,
    types: String,
    spec: Option<String>,
    status: String,
    crd: String,
    additions: Vec<String>,
    sample: String,
    sample_json: String,
}

impl Project {
    pub(crate) fn new(operator: &Operator) -> Self {
        let kinds: Vec<Kind> = operator
            .resources
            .iter()
            .map(|resource| Kind::new(resource, operator))
            .collect();
        Self {
            name: operator.name.to_string(),
            ident: operator.name.ident(),
            title: format!(
                "The operator for {}.",
                operator
                    .resources
                    .iter()
                    .map(|resource| format!("`{}.{}`", resource.plural, resource.group))
                    .collect::<Vec<_>>()
                    .join(" and ")
            ),
            dns: operator.name.dns(),
            k8s_feature: operator.k8s.feature(),
            runtime: requirement(&operator.crates, "runtime"),
            testkit: requirement(&operator.crates, "testkit"),
            settings: settings::write(operator),
            vendored: matches!(operator.crates, crate::model::Crates::Vendored { .. }),
            is_path: matches!(operator.crates, crate::model::Crates::Path(_)),
            has_adopted: kinds.iter().any(|kind| kind.adopted.is_some()),
            alert_seconds: alert_seconds(operator),
            has_http: kinds.iter().any(|kind| kind.is_http),
            has_provider: kinds.iter().any(|kind| kind.has_provider),
            is_single: kinds.len() == 1,
            foreign: references::all_foreign(&kinds),
            kinds,
        }
    }

    pub(crate) fn kinds(&self) -> &[Kind] {
        &self.kinds
    }
}

impl Kind {
    fn new(resource: &Resource, operator: &Operator) -> Self {
        let alone = operator.resources.len() == 1;
        use heck::{ToShoutySnakeCase as _, ToSnakeCase as _};
        let phases = resource.machine.phases();
        let named = |role: Role| {
            phases
                .iter()
                .find(|phase| phase.role == role)
                .map(|phase| phase.name.to_string())
                .unwrap_or_default()
        };
        let failed = named(Role::Failed);
        let name = resource.kind.to_string();
        let spec = match &resource.adopted {
            None => Some(format!("{name}Spec")),
            Some(adopted) => adopted.spec.clone().filter(|_| !adopted.optional_spec),
        };
        Self {
            snake: resource.kind.snake(),
            incidents: if alone {
                "incidents".to_owned()
            } else {
                format!("incidents/{}", resource.kind.snake())
            },
            words: name.to_snake_case().replace('_', " "),
            upper: name.to_shouty_snake_case(),
            group: resource.group.to_string(),
            version: resource.version.to_string(),
            api_version: format!("{}/{}", resource.group, resource.version),
            plural: resource.plural.to_string(),
            short: resource.short.iter().map(ToString::to_string).collect(),
            namespaced: resource.scope == Scope::Namespaced,
            external: resource.external.as_str(),
            is_http: resource.external == External::Http,
            is_custom: resource.external == External::Custom,
            has_provider: resource.external != External::None,
            provider_field: if alone {
                "provider".to_owned()
            } else {
                format!("{}_provider", resource.kind.snake())
            },
            subject: if spec.is_some() {
                "&cx.object.spec"
            } else {
                "cx.object"
            },
            subject_is_spec: spec.is_some(),
            subject_name: if spec.is_some() { "spec" } else { "object" },
            unused_subject: if spec.is_some() { "spec" } else { "_object" },
            subject_path: match (&spec, &resource.adopted) {
                (Some(spec), Some(_)) => format!("crate::api::{}::{spec}", resource.kind.snake()),
                (Some(spec), None) => format!("crate::api::{spec}"),
                (None, _) => format!("crate::api::{name}"),
            },
            looks_at_state: phases.iter().enumerate().any(|(index, phase)| {
                arrives(resource, index) || phase.role == Role::Steady && phase.to.is_empty()
            }),
            subject_type: spec.unwrap_or_else(|| name.clone()),
            records_size: phases
                .iter()
                .all(|phase| phase.role != Role::Steady || !phase.to.is_empty()),
            records_id: resource.adopted.is_none(),
            machine: format!("{name}Phase"),
            phases: phases
                .iter()
                .enumerate()
                .map(|(index, _)| PhaseValues::new(resource, index))
                .collect(),
            initial: phases
                .first()
                .map(|phase| phase.name.to_string())
                .unwrap_or_default(),
            finalizer: named(Role::Finalizer),
            adopted: resource.adopted.as_ref().map(AdoptedValues::new),
            relations: Relations::new(resource, operator.k8s),
            failed,
            name,
        }
    }
}

impl Kind {
    pub(crate) fn relations(&self) -> &Relations {
        &self.relations
    }
}

/// Whether an object cannot be steady before its children are ready: a phase on the way sees to them.
pub(super) fn waits_for_children(resource: &Resource) -> bool {
    let phases = resource.machine.phases().iter().enumerate();
    phases
        .filter(|(_, phase)| phase.role == Role::Moving)
        .any(|(index, _)| brings_children(resource, index))
}

fn brings_children(resource: &Resource, index: usize) -> bool {
    !resource.owns.is_empty()
        && (resource.machine.phases()[index].role == Role::Steady || arrives(resource, index))
}

/// Whether a phase sees that all is as wanted before the object moves on. The first one only begins, where another one
/// follows that does.
fn arrives(resource: &Resource, index: usize) -> bool {
    let phases = resource.machine.phases();
    let phase = &phases[index];
    let next = phases
        .iter()
        .find(|other| Some(&other.name) == phase.to.first());
    phase.role == Role::Moving && (index > 0 || next.is_none_or(|next| next.role != Role::Moving))
}

impl PhaseValues {
    fn new(resource: &Resource, index: usize) -> Self {
        let phase = &resource.machine.phases()[index];
        Self {
            name: phase.name.to_string(),
            snake: phase.name.snake(),
            doc: doc(resource, index),
            attribute: attribute(phase),
            timeout: timeout(phase),
            initial: index == 0,
            arrives: arrives(resource, index),
            moving: phase.role == Role::Moving,
            steady: phase.role == Role::Steady,
            failed: phase.role == Role::Failed,
            finalizer: phase.role == Role::Finalizer,
            brings_children: brings_children(resource, index),
            next: phase.to.first().map(ToString::to_string),
            to: phase.to.iter().map(ToString::to_string).collect(),
            deadline: phase.deadline.as_ref().map(|deadline| DeadlineValues {
                after: deadline.after.to_string(),
                to: deadline.to.to_string(),
            }),
        }
    }
}

/// Every handler that names no timeout has ten seconds.
fn alert_seconds(operator: &Operator) -> u64 {
    let phases = operator
        .resources
        .iter()
        .flat_map(|resource| resource.machine.phases());
    let longest = phases
        .filter_map(|phase| phase.timeout.map(Span::duration))
        .max()
        .unwrap_or_default();
    3 * longest.as_secs().max(10)
}

/// The handler's timeout: a failed phase only looks at the object.
fn timeout(phase: &Phase) -> String {
    match (phase.timeout, phase.role) {
        (Some(timeout), _) => timeout.to_string(),
        (None, Role::Failed) => "5s".to_owned(),
        (None, _) => "10s".to_owned(),
    }
}

fn doc(resource: &Resource, index: usize) -> String {
    let outside = resource.external != External::None;
    let owns = !resource.owns.is_empty();
    let begins = index == 0 && !(arrives(resource, index) && (outside || owns));
    match resource.machine.phases()[index].role {
        Role::Moving if begins && outside => "Accepted; nothing exists outside the cluster yet.",
        Role::Moving if begins => "Accepted; nothing is done yet.",
        Role::Moving if outside => "The provider is building or changing the instance.",
        Role::Moving if owns => "Its children are being made or changed.",
        Role::Moving => "On the way.",
        Role::Steady if outside => "The instance is what the spec asks for.",
        Role::Steady if owns => "Its children are as the spec wants them.",
        Role::Steady => "What the spec asks for is done.",
        Role::Failed => "No retry can help; a change of the spec starts a new attempt.",
        Role::Finalizer => "Deleted by the user; left only with proof that the instance is gone.",
    }
    .to_owned()
}

/// `to(Ready, Failed), deadline = "30m", on_deadline = Failed`.
fn attribute(phase: &Phase) -> String {
    let mut parts = Vec::new();
    if !phase.to.is_empty() {
        let targets: Vec<&str> = phase.to.iter().map(|target| target.as_str()).collect();
        parts.push(format!("to({})", targets.join(", ")));
    }
    match phase.role {
        Role::Moving => {}
        Role::Steady => parts.push("steady".to_owned()),
        // In the order in which one reads it: failed first, then the way out.
        Role::Failed => parts.insert(0, "failed".to_owned()),
        Role::Finalizer => parts.push("finalizer".to_owned()),
    }
    if let Some(deadline) = &phase.deadline {
        parts.push(format!("deadline = \"{}\"", deadline.after));
        parts.push(format!("on_deadline = {}", deadline.to));
    }
    if let Some(resync) = phase.resync {
        parts.push(format!("resync = \"{resync}\""));
    }
    parts.join(", ")
}

impl AdoptedValues {
    fn new(adopted: &Adopted) -> Self {
        Self {
            original: adopted.original.clone(),
            types: adopted.types.clone(),
            spec: adopted.spec.clone(),
            status: adopted.status.clone(),
            crd: adopted.crd.clone(),
            additions: adopted.additions.clone(),
            sample: adopted.sample.clone(),
            sample_json: adopted.sample_json.clone(),
        }
    }
}
