//! What the cluster needs before the operator can run there: CRDs, a service account and the least role.

use serde_json::{Value, json};

/// One line of the role, recorded where the requests are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleRule {
    /// API group; empty for the core one.
    pub group: String,
    /// Resource, with its subresource: `databases/status`.
    pub resource: String,
    /// Only objects of these names; empty = all.
    pub names: Vec<String>,
    /// Verbs.
    pub verbs: Vec<&'static str>,
    /// Whether the object is cluster-scoped, so that no namespaced Role can grant it.
    pub cluster: bool,
}

impl RoleRule {
    fn to_json(&self) -> Value {
        let mut rule = json!({
            "apiGroups": [self.group],
            "resources": [self.resource],
            "verbs": self.verbs,
        });
        if !self.names.is_empty() {
            rule["resourceNames"] = json!(self.names);
        }
        rule
    }
}

/// What several kinds need of the same objects, as one rule: then each verb stands in the role once.
pub(crate) fn merged(rules: impl IntoIterator<Item = RoleRule>) -> Vec<RoleRule> {
    let mut all: Vec<RoleRule> = Vec::new();
    for rule in rules {
        let same = |one: &&mut RoleRule| {
            (&one.group, &one.resource, &one.names) == (&rule.group, &rule.resource, &rule.names)
        };
        match all.iter_mut().find(same) {
            Some(known) => {
                let new = rule.verbs.into_iter();
                let new: Vec<_> = new.filter(|verb| !known.verbs.contains(verb)).collect();
                known.verbs.extend(new);
            }
            None => all.push(rule),
        }
    }
    all
}

/// A definition, and the one of its versions that the operator reads and writes.
#[derive(Clone, Debug)]
pub(crate) struct NeededCrd {
    pub(crate) crd: Value,
    pub(crate) version: String,
}

/// The list of an owned or watched kind.
#[derive(Clone, Debug)]
pub(crate) struct NeededList {
    pub(crate) kind: String,
    /// Its path over all namespaces.
    pub(crate) everywhere: String,
    pub(crate) plural: String,
    pub(crate) namespaced: bool,
}

impl NeededList {
    /// The path of the list in that namespace, or everywhere.
    pub(crate) fn path(&self, namespace: Option<&str>) -> String {
        let group = self.everywhere.strip_suffix(&self.plural);
        match (group, namespace.filter(|_| self.namespaced)) {
            (Some(group), Some(namespace)) => {
                format!("{group}namespaces/{namespace}/{}", self.plural)
            }
            _ => self.everywhere.clone(),
        }
    }
}

/// What an operator asks of the cluster.
#[derive(Clone, Debug)]
pub(crate) struct Needs {
    pub(crate) name: String,
    pub(crate) crds: Vec<NeededCrd>,
    pub(crate) rules: Vec<RoleRule>,
    /// What it owns and refers to.
    pub(crate) lists: Vec<NeededList>,
    /// What it needs in its own namespace only, whatever the mode: its lease.
    pub(crate) at_home: Vec<RoleRule>,
    /// Namespaced mode: a Role there instead of a ClusterRole.
    pub(crate) only_in: Option<String>,
    /// Where the operator itself lives.
    pub(crate) namespace: String,
}

impl Needs {
    /// The manifests, in the order they have to be applied.
    pub(crate) fn manifests(&self) -> Vec<Value> {
        let mut all: Vec<_> = self.crds.iter().map(|needed| needed.crd.clone()).collect();
        all.push(json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": self.name, "namespace": self.namespace},
        }));
        let (cluster, local): (Vec<_>, Vec<_>) = self
            .rules
            .iter()
            .partition(|rule| self.only_in.is_none() || rule.cluster);
        all.extend(self.role(&self.name, None, &cluster));
        if let Some(namespace) = &self.only_in {
            all.extend(self.role(&self.name, Some(namespace), &local));
        }
        // A name of its own: the namespace looked after may be this one.
        let name = format!("{}-lease", self.name);
        let at_home: Vec<_> = self.at_home.iter().collect();
        all.extend(self.role(&name, Some(&self.namespace), &at_home));
        all
    }

    /// A role of its own for the end, since deleting is no part of the work.
    pub(crate) fn uninstall(&self, rules: &[RoleRule]) -> Vec<Value> {
        let name = format!("{}-uninstall", self.name);
        let rules: Vec<_> = rules.iter().collect();
        self.role(&name, self.only_in.as_deref(), &rules)
    }

    fn role(&self, name: &str, namespace: Option<&str>, rules: &[&RoleRule]) -> Vec<Value> {
        if rules.is_empty() {
            return Vec::new();
        }
        let kind = if namespace.is_some() {
            "Role"
        } else {
            "ClusterRole"
        };
        let mut meta = json!({"name": name});
        if let Some(namespace) = namespace {
            meta["namespace"] = json!(namespace);
        }
        let rules: Vec<_> = rules.iter().map(|rule| rule.to_json()).collect();
        vec![
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": kind,
                "metadata": meta,
                "rules": rules,
            }),
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": format!("{kind}Binding"),
                "metadata": meta,
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
                "subjects": [{"kind": "ServiceAccount", "name": self.name, "namespace": self.namespace}],
            }),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_kinds_need_is_asked_for_once() {
        let rule = |resource: &str, verbs: &[&'static str]| RoleRule {
            group: String::new(),
            resource: resource.to_owned(),
            names: Vec::new(),
            verbs: verbs.to_vec(),
            cluster: false,
        };
        let all = merged([
            rule("events", &["create", "patch"]),
            rule("secrets", &["list"]),
            rule("events", &["create", "patch"]),
            rule("secrets", &["list", "get"]),
        ]);
        let expected = [
            rule("events", &["create", "patch"]),
            rule("secrets", &["list", "get"]),
        ];
        assert_eq!(all, expected);
    }
}
