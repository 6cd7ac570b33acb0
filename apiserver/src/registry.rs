//! Which resources are served: the built-in ones, and those that definitions add.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::crd;
use crate::model::{Model, VersionSchemas};
use crate::resource::{Column, Resource, ScalePaths};

/// Verbs in the order in which the real server lists them for custom resources.
const CUSTOM_VERBS: [&str; 8] = [
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "create",
    "update",
    "watch",
];

type Versions = BTreeMap<String, BTreeMap<String, Arc<Resource>>>;

/// Group -> version -> plural -> resource.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registry {
    groups: BTreeMap<String, Versions>,
}

impl Registry {
    pub(crate) fn new() -> Self {
        let mut registry = Self::default();
        for resource in crate::model::builtins() {
            registry.add(resource);
        }
        registry
    }

    fn add(&mut self, resource: Resource) {
        self.groups
            .entry(resource.group.clone())
            .or_default()
            .entry(resource.version.clone())
            .or_default()
            .insert(resource.plural.clone(), Arc::new(resource));
    }

    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.groups.get(group)?.get(version)?.get(plural)
    }

    /// The resource of a kind, in this version.
    pub(crate) fn find_kind(
        &self,
        group: &str,
        version: &str,
        kind: &str,
    ) -> Option<&Arc<Resource>> {
        self.groups
            .get(group)?
            .get(version)?
            .values()
            .find(|r| r.kind == kind)
    }

    /// A resource in whatever version is preferred.
    pub(crate) fn find_any(&self, group: &str, plural: &str) -> Option<&Arc<Resource>> {
        let versions = self.groups.get(group)?;
        self.versions(group)
            .iter()
            .find_map(|version| versions.get(version)?.get(plural))
    }

    pub(crate) fn has_version(&self, group: &str, version: &str) -> bool {
        self.groups
            .get(group)
            .is_some_and(|g| g.contains_key(version))
    }

    pub(crate) fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.keys().map(String::as_str)
    }

    /// Versions of a group, the preferred one first.
    pub(crate) fn versions(&self, group: &str) -> Vec<String> {
        let mut versions: Vec<String> = self
            .groups
            .get(group)
            .map(|g| g.keys().cloned().collect())
            .unwrap_or_default();
        versions.sort_by(|a, b| crd::compare_versions(b, a));
        versions
    }

    pub(crate) fn resources(&self, group: &str, version: &str) -> Vec<Arc<Resource>> {
        self.groups
            .get(group)
            .and_then(|g| g.get(version))
            .map(|list| list.values().cloned().collect())
            .unwrap_or_default()
    }

    /// Every resource, each version apart.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.groups
            .values()
            .flat_map(BTreeMap::values)
            .flat_map(BTreeMap::values)
    }

    /// Serves what an established definition defines, instead of what it defined before.
    pub(crate) fn serve(&mut self, definition: &Value) {
        self.withdraw(definition);
        for resource in custom_resources(definition) {
            self.add(resource);
        }
    }

    /// Stops serving a definition.
    pub(crate) fn withdraw(&mut self, definition: &Value) {
        let spec = &definition["spec"];
        let group = spec["group"].as_str().unwrap_or_default();
        let plural = spec["names"]["plural"].as_str().unwrap_or_default();
        let Some(versions) = self.groups.get_mut(group) else {
            return;
        };
        for resources in versions.values_mut() {
            if resources.get(plural).is_some_and(|r| r.is_custom()) {
                resources.remove(plural);
            }
        }
        versions.retain(|_, resources| !resources.is_empty());
        if versions.is_empty() {
            self.groups.remove(group);
        }
    }
}

/// The served versions of a definition. One that does not compile serves nothing.
fn custom_resources(definition: &Value) -> Vec<Resource> {
    let Ok(served) = crd::served(definition) else {
        return Vec::new();
    };
    let group = served.group.clone();
    let api_version = |version: &str| format!("{group}/{version}");
    let stored_as = served
        .storage_version()
        .map(|v| api_version(&v.name))
        .unwrap_or_default();
    let schemas: VersionSchemas = Arc::new(
        served
            .versions
            .iter()
            .map(|version| (api_version(&version.name), Arc::new(version.schema.clone())))
            .collect(),
    );
    served
        .versions
        .iter()
        .zip(schemas.iter())
        .filter(|(version, _)| version.served)
        .map(|(version, (_, schema))| Resource {
            group: group.clone(),
            version: version.name.clone(),
            api_version: api_version(&version.name),
            kind: served.names.kind.clone(),
            list_kind: served.names.list_kind.clone(),
            plural: served.names.plural.clone(),
            singular: served.names.singular.clone(),
            short_names: served.names.short_names.clone(),
            categories: served.names.categories.clone(),
            namespaced: served.namespaced,
            verbs: CUSTOM_VERBS.map(str::to_owned).to_vec(),
            status: version.status,
            scale: version.scale.as_ref().map(|paths| ScalePaths {
                spec: paths.spec.clone(),
                status: paths.status.clone(),
                selector: paths.selector.clone(),
            }),
            columns: version.columns.iter().map(column).collect(),
            selectable: version.selectable_fields.clone(),
            stored_as: stored_as.clone(),
            table: format!("{}.{group}", served.names.plural),
            deprecated: version.deprecation_warning.clone(),
            webhook: definition["spec"]["conversion"]["strategy"] == "Webhook",
            model: Model::Custom {
                schema: schema.clone(),
                versions: schemas.clone(),
            },
        })
        .collect()
}

fn column(column: &crd::Column) -> Column {
    let description = if column.description.is_empty() {
        format!(
            "Custom resource definition column (in JSONPath format): {}",
            column.json_path
        )
    } else {
        column.description.clone()
    };
    Column {
        name: column.name.clone(),
        kind: column.kind.clone(),
        format: column.format.clone(),
        description,
        priority: column.priority,
        path: column.json_path.clone(),
    }
}
