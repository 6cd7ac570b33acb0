//! What a kind refers to, and kinds of somebody else, as templates name them.

use heck::{ToKebabCase as _, ToLowerCamelCase as _, ToSnakeCase as _};
use serde::Serialize;

use super::relations::built_in;
use crate::model::{Related, Resource, Role, Scope};

/// A kind that is referred to.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Reference {
    pub(super) name: String,
    pub(super) snake: String,
    /// The field of the spec.
    pub(super) field: String,
    pub(super) json: String,
    /// The end of the annotation with its version.
    pub(super) label: String,
    /// The `ObjectRef` of `to`.
    pub(super) key: String,
    pub(super) api_version: String,
    pub(super) plural: String,
    pub(super) is_foreign: bool,
    pub(super) cluster: bool,
    pub(super) takes_namespace: bool,
    /// Whether pods take their environment from it.
    pub(super) is_mounted: bool,
    /// The name in a test's name, and whether an object of it is easily made there.
    pub(super) stem: String,
    pub(super) is_tested: bool,
}

/// A kind of somebody else.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ForeignValues {
    pub(super) name: String,
    /// The function that makes its definition, in tests.
    pub(super) function: String,
    pub(super) group: String,
    pub(super) version: String,
    pub(super) plural: String,
    pub(super) cluster: bool,
}

pub(super) fn references(resource: &Resource, owned: &[&Related]) -> Vec<Reference> {
    let has_templates = owned
        .iter()
        .filter_map(built_in)
        .any(|row| row.has_pods() && row.kind != "Pod");
    resource
        .watches
        .iter()
        .map(|related| {
            let name = related.kind().to_owned();
            let cluster = related.is_cluster_scoped();
            let takes_namespace = resource.scope == Scope::Cluster && !cluster;
            let snake = name.to_snake_case();
            let is_mounted = has_templates
                && resource.adopted.is_none()
                && !takes_namespace
                && matches!(built_in(&related), Some(row) if row.kind == "Secret" || row.kind == "ConfigMap");
            let key = if takes_namespace {
                "ObjectRef::in_namespace(to.namespace.as_str(), to.name.as_str())"
            } else {
                "ObjectRef::new(to.name.as_str())"
            };
            let (api_version, plural) = match related {
                Related::BuiltIn(row) => (row.api_version(), row.plural()),
                Related::Foreign(foreign) => (
                    format!("{}/{}", foreign.group, foreign.version),
                    foreign.plural.to_string(),
                ),
            };
            Reference {
                field: format!("{snake}_ref"),
                json: format!("{}Ref", name.to_lower_camel_case()),
                label: format!("{}-version", name.to_kebab_case()),
                key: key.to_owned(),
                is_foreign: built_in(&related).is_none(),
                is_tested: waits_first(resource) && is_plain(related),
                stem: snake.clone(),
                snake: if crate::model::is_keyword(&snake) { format!("{snake}_") } else { snake },
                name,
                api_version,
                plural,
                cluster,
                takes_namespace,
                is_mounted,
            }
        })
        .collect()
}

/// Whether a new object waits in a phase that has no end of its own.
pub(super) fn waits_first(resource: &Resource) -> bool {
    let first = resource.machine.phases().first();
    resource.adopted.is_none()
        && first.is_some_and(|phase| phase.role == Role::Moving && phase.deadline.is_none())
}

/// Whether an object needs nothing but a name.
pub(super) fn is_plain(related: &Related) -> bool {
    built_in(&related).is_none_or(|row| {
        matches!(
            row.kind,
            "Secret" | "ConfigMap" | "ServiceAccount" | "Namespace" | "Role" | "ClusterRole"
        )
    })
}

pub(super) fn foreign(all: &[&Related]) -> Vec<ForeignValues> {
    let mut found: Vec<ForeignValues> = Vec::new();
    for related in all {
        if let Related::Foreign(foreign) = related
            && !found.iter().any(|one| one.name == foreign.kind.as_str())
        {
            found.push(ForeignValues {
                function: format!("{}_definition", foreign.kind.as_str().to_snake_case()),
                name: foreign.kind.to_string(),
                group: foreign.group.to_string(),
                version: foreign.version.to_string(),
                plural: foreign.plural.to_string(),
                cluster: foreign.cluster,
            });
        }
    }
    found
}

/// Those of all kinds, each once.
pub(crate) fn all_foreign(kinds: &[super::Kind]) -> Vec<ForeignValues> {
    let mut all: Vec<ForeignValues> = Vec::new();
    for foreign in kinds.iter().flat_map(|kind| &kind.relations.foreign) {
        if !all.contains(foreign) {
            all.push(foreign.clone());
        }
    }
    all
}
