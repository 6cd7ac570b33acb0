//! What templates may name: the [`Operator`] as plain values. Every choice that needs thinking is made here, so that
//! templates only place text.

use serde::Serialize;

use crate::crates::requirement;
use crate::model::{Adopted, External, Operator, Phase, Resource, Role, Scope};
use crate::settings;

/// What every template may name as `project`.
#[derive(Debug, Serialize)]
pub(crate) struct Project {
    /// The package's name.
    name: String,
    /// The crate's name in Rust.
    ident: String,
    /// The name of the Deployment, the ServiceAccount and the role.
    dns: String,
    k8s_feature: String,
    opgen_version: &'static str,
    /// Right sides of dependency lines.
    runtime: String,
    testkit: String,
    apiserver: String,
    /// The text of `opgen.toml`.
    settings: String,
    vendored: bool,
    has_http: bool,
    has_provider: bool,
    kinds: Vec<Kind>,
}

/// What a kind's templates may name as `kind`, and the others as an entry of `project.kinds`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Kind {
    /// PascalCase.
    name: String,
    /// Module and folder.
    pub(crate) snake: String,
    /// In words: `database cluster`.
    words: String,
    /// Upper snake case, for environment variables.
    upper: String,
    group: String,
    version: String,
    api_version: String,
    pub(crate) plural: String,
    singular: String,
    short: Vec<String>,
    namespaced: bool,
    /// `#[kube(..)]` arguments for the short names, with their comma.
    shortname_arguments: String,
    /// `#[kube(plural = ..)]` where kube would not come to it by itself.
    plural_argument: String,
    external: &'static str,
    is_http: bool,
    is_custom: bool,
    has_provider: bool,
    /// The enum's name.
    machine: String,
    phases: Vec<PhaseValues>,
    initial: String,
    first_steady: String,
    failed: String,
    finalizer: String,
    adopted: Option<AdoptedValues>,
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
    moving: bool,
    steady: bool,
    failed: bool,
    finalizer: bool,
    /// Where the handler goes on success.
    next: Option<String>,
}

/// What an adopted CRD adds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AdoptedValues {
    file_name: String,
    types: String,
    crd: String,
    additions: Vec<String>,
    sample: String,
}

impl Project {
    pub(crate) fn new(operator: &Operator) -> Self {
        let kinds: Vec<Kind> = operator.resources.iter().map(Kind::new).collect();
        Self {
            name: operator.name.to_string(),
            ident: operator.name.ident(),
            dns: operator.name.dns(),
            k8s_feature: operator.k8s.feature(),
            opgen_version: env!("CARGO_PKG_VERSION"),
            runtime: requirement(&operator.crates, "runtime"),
            testkit: requirement(&operator.crates, "testkit"),
            apiserver: requirement(&operator.crates, "apiserver"),
            settings: settings::write(operator),
            vendored: matches!(operator.crates, crate::model::Crates::Vendored { .. }),
            has_http: kinds.iter().any(|kind| kind.is_http),
            has_provider: kinds.iter().any(|kind| kind.has_provider),
            kinds,
        }
    }

    pub(crate) fn kinds(&self) -> &[Kind] {
        &self.kinds
    }
}

impl Kind {
    fn new(resource: &Resource) -> Self {
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
        Self {
            snake: resource.kind.snake(),
            words: name.to_snake_case().replace('_', " "),
            upper: name.to_shouty_snake_case(),
            group: resource.group.to_string(),
            version: resource.version.to_string(),
            api_version: format!("{}/{}", resource.group, resource.version),
            plural: resource.plural.to_string(),
            singular: resource.kind.singular(),
            short: resource.short.iter().map(ToString::to_string).collect(),
            namespaced: resource.scope == Scope::Namespaced,
            shortname_arguments: resource
                .short
                .iter()
                .map(|short| format!(", shortname = \"{short}\""))
                .collect(),
            plural_argument: format!(", plural = \"{}\"", resource.plural),
            external: resource.external.as_str(),
            is_http: resource.external == External::Http,
            is_custom: resource.external == External::Custom,
            has_provider: resource.external != External::None,
            machine: format!("{name}Phase"),
            phases: phases
                .iter()
                .enumerate()
                .map(|(index, phase)| PhaseValues::new(phase, index == 0, resource.external))
                .collect(),
            initial: phases
                .first()
                .map(|phase| phase.name.to_string())
                .unwrap_or_default(),
            first_steady: named(Role::Steady),
            finalizer: named(Role::Finalizer),
            adopted: resource.adopted.as_ref().map(AdoptedValues::new),
            failed,
            name,
        }
    }
}

impl PhaseValues {
    fn new(phase: &Phase, initial: bool, external: External) -> Self {
        Self {
            name: phase.name.to_string(),
            snake: phase.name.snake(),
            doc: doc(phase, initial, external),
            attribute: attribute(phase),
            timeout: phase
                .timeout
                .map_or_else(|| "10s".to_owned(), |timeout| timeout.to_string()),
            initial,
            moving: phase.role == Role::Moving,
            steady: phase.role == Role::Steady,
            failed: phase.role == Role::Failed,
            finalizer: phase.role == Role::Finalizer,
            next: phase.to.first().map(ToString::to_string),
        }
    }
}

fn doc(phase: &Phase, initial: bool, external: External) -> String {
    let outside = external != External::None;
    match phase.role {
        Role::Moving if initial && outside => "Accepted; nothing exists outside the cluster yet.",
        Role::Moving if initial => "Accepted; nothing was done yet.",
        Role::Moving if outside => "The provider is at work.",
        Role::Moving => "On the way.",
        Role::Steady => "As wanted.",
        Role::Failed => "Where a permanent error leads, from every phase but the finalizer's.",
        Role::Finalizer if outside => {
            "Entered from any phase when the object is deleted; left only with proof that the outside is gone."
        }
        Role::Finalizer => "Entered from any phase when the object is deleted.",
    }
    .to_owned()
}

/// `to(Ready, Failed), deadline = "30m", on_deadline = Failed`.
fn attribute(phase: &Phase) -> String {
    let mut parts = Vec::new();
    match phase.role {
        Role::Moving => {}
        Role::Steady => parts.push("steady".to_owned()),
        Role::Failed => parts.push("failed".to_owned()),
        Role::Finalizer => parts.push("finalizer".to_owned()),
    }
    if !phase.to.is_empty() {
        let targets: Vec<&str> = phase.to.iter().map(|target| target.as_str()).collect();
        parts.push(format!("to({})", targets.join(", ")));
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
            file_name: adopted.file_name.clone(),
            types: adopted.types.clone(),
            crd: adopted.crd.clone(),
            additions: adopted.additions.clone(),
            sample: adopted.sample.clone(),
        }
    }
}
