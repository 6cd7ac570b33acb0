//! Nobody grants what they do not have: writes of roles and bindings.
//!
//! A role may hold only rules that its writer has, unless the writer may `escalate`; a binding may refer only to a role
//! whose rules its writer has, unless the writer may `bind` it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::auth::User;
use crate::call::Call;
use crate::cluster::Shared;
use crate::error::{ApiError, ApiResult};
use crate::object;
use crate::rbac::{Attempt, GROUP, role_of};
use crate::resource::Resource;

impl Shared {
    /// Refuses a role or a binding that grants more than the user has. Other objects pass.
    pub(crate) fn guard_escalation(
        &self,
        call: &Call,
        resource: &Resource,
        new: &Value,
        old: Option<&Value>,
    ) -> ApiResult<()> {
        let exempt = !self.rbac || call.internal || call.user.is_in("system:masters");
        if exempt || resource.group != GROUP || old.is_some_and(|old| is_collection(old, new)) {
            return Ok(());
        }
        let refused = |why: String| {
            let name = object::meta(new, "name");
            ApiError::forbidden(&resource.group, &resource.plural, name, &why)
        };
        if resource.kind.ends_with("Binding") {
            let Some(rules) = self.rules_to_bind(call, new)? else {
                return Ok(());
            };
            return self
                .confirm(&call.user, &call.info.namespace, &rules)
                .map_err(refused);
        }
        let escalate = Attempt {
            verb: "escalate",
            subresource: "",
            ..Attempt::of(&call.info)
        };
        if self.allows(&call.user, &escalate) {
            return Ok(());
        }
        let namespace = &call.info.namespace;
        self.confirm(&call.user, namespace, &new["rules"])
            .map_err(refused)?;
        if [Some(new), old].into_iter().flatten().any(aggregates) {
            let all = json!([
                { "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] },
                { "verbs": ["*"], "nonResourceURLs": ["*"] },
            ]);
            self.confirm(&call.user, namespace, &all).map_err(|_| {
                refused("must have cluster-admin privileges to use an aggregationRule".to_owned())
            })?;
        }
        Ok(())
    }

    /// The rules of the role that a binding refers to; `None` if the user may bind it whatever they are.
    fn rules_to_bind(&self, call: &Call, binding: &Value) -> ApiResult<Option<Value>> {
        let reference = &binding["roleRef"];
        let text = |field: &str| reference[field].as_str().unwrap_or_default();
        let namespace = &call.info.namespace;
        let (table, key, singular) = role_of(binding, namespace);
        let bind = Attempt {
            verb: "bind",
            group: text("apiGroup"),
            resource: if singular == "role" {
                "roles"
            } else {
                "clusterroles"
            },
            namespace,
            name: text("name"),
            ..Attempt::default()
        };
        if self.allows(&call.user, &bind) {
            return Ok(None);
        }
        match self.store.get(&table, &key) {
            Some(role) => Ok(Some(role.object.value()["rules"].clone())),
            None => Err(ApiError::not_found(GROUP, singular, text("name"))),
        }
    }

    /// Whether the user has all these rules; if not, which are missing.
    fn confirm(&self, user: &User, namespace: &str, rules: &Value) -> Result<(), String> {
        let (held, lost) = self.rules_of(user, namespace);
        let missing: Vec<Atom> = atoms(rules)
            .into_iter()
            .filter(|atom| !held.iter().any(|rule| atom.is_covered_by(rule)))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> = compacted(missing).into_iter().collect();
        let mut why = format!(
            "user {:?} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
            user.name,
            quoted(&user.groups),
            lines.join("\n")
        );
        match lost.as_slice() {
            [] => {}
            [one] => why.push_str(&format!("; resolution errors: [{one}]")),
            many => why.push_str(&format!("; resolution errors: [[{}]]", many.join(", "))),
        }
        Err(why)
    }
}

/// One verb on one resource or path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Atom {
    target: Target,
    verb: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Resource {
        group: String,
        resource: String,
        name: Option<String>,
    },
    Path(String),
}

fn strings(rule: &Value, field: &str) -> Vec<String> {
    rule[field]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// The rules taken apart.
fn atoms(rules: &Value) -> Vec<Atom> {
    let mut found = Vec::new();
    for rule in rules.as_array().into_iter().flatten() {
        let names = match strings(rule, "resourceNames") {
            names if names.is_empty() => vec![None],
            names => names.into_iter().map(Some).collect(),
        };
        let mut targets: Vec<Target> = Vec::new();
        let verbs = strings(rule, "verbs");
        for group in strings(rule, "apiGroups") {
            for resource in strings(rule, "resources") {
                targets.extend(names.iter().map(|name| Target::Resource {
                    group: group.clone(),
                    resource: resource.clone(),
                    name: name.clone(),
                }));
            }
        }
        targets.extend(
            strings(rule, "nonResourceURLs")
                .into_iter()
                .map(Target::Path),
        );
        for target in targets {
            found.extend(verbs.iter().map(|verb| Atom {
                target: target.clone(),
                verb: verb.clone(),
            }));
        }
    }
    found
}

impl Atom {
    fn is_covered_by(&self, rule: &Value) -> bool {
        let has = |field: &str, wanted: &str| {
            let list = rule[field].as_array();
            list.is_some_and(|list| list.iter().any(|item| item == "*" || item == wanted))
        };
        if !has("verbs", &self.verb) {
            return false;
        }
        match &self.target {
            Target::Path(path) => strings(rule, "nonResourceURLs").iter().any(|held| {
                held == path || held.ends_with('*') && path.starts_with(held.trim_end_matches('*'))
            }),
            Target::Resource {
                group,
                resource,
                name,
            } => {
                let names = strings(rule, "resourceNames");
                let of_all = resource
                    .split_once('/')
                    .is_some_and(|(_, part)| has("resources", &format!("*/{part}")));
                has("apiGroups", group)
                    && (has("resources", resource) || of_all)
                    && (names.is_empty() || name.as_ref().is_some_and(|name| names.contains(name)))
            }
        }
    }
}

/// One line for each resource, with all its verbs, in the order of the text.
fn compacted(missing: Vec<Atom>) -> BTreeSet<String> {
    let mut rules: Vec<(Target, Vec<String>)> = Vec::new();
    for Atom { target, verb } in missing {
        let place = match &target {
            Target::Resource { .. } => rules.iter_mut().find(|(known, _)| *known == target),
            Target::Path(_) => None,
        };
        match place {
            Some((_, verbs)) if verbs.contains(&verb) => {}
            Some((_, verbs)) => verbs.push(verb),
            None => rules.push((target, vec![verb])),
        }
    }
    rules
        .into_iter()
        .map(|(target, verbs)| match target {
            Target::Path(path) => {
                format!("{{NonResourceURLs:[{path:?}], Verbs:{}}}", quoted(&verbs))
            }
            Target::Resource {
                group,
                resource,
                name,
            } => {
                let name = name.map_or(String::new(), |name| format!("ResourceNames:[{name:?}], "));
                format!(
                    "{{APIGroups:[{group:?}], Resources:[{resource:?}], {name}Verbs:{}}}",
                    quoted(&verbs)
                )
            }
        })
        .collect()
}

/// A list as Go's `%q` prints it.
fn quoted(list: &[String]) -> String {
    let items: Vec<String> = list.iter().map(|item| format!("{item:?}")).collect();
    format!("[{}]", items.join(" "))
}

fn aggregates(role: &Value) -> bool {
    role["aggregationRule"]["clusterRoleSelectors"]
        .as_array()
        .is_some_and(|list| !list.is_empty())
}

/// Whether the change is only what garbage collection lives on: owners and finalizers.
fn is_collection(old: &Value, new: &Value) -> bool {
    let rest = |object: &Value| {
        let mut rest = object.clone();
        let metadata = object::meta_mut(&mut rest);
        for field in ["ownerReferences", "finalizers", "managedFields"] {
            metadata.remove(field);
        }
        rest
    };
    rest(old) == rest(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_covered_piece_by_piece() {
        let wanted = json!([{ "apiGroups": ["", "apps"], "resources": ["pods", "pods/log"], "verbs": ["get", "list"] }]);
        let covered = |held: Value| {
            atoms(&wanted)
                .iter()
                .filter(|a| a.is_covered_by(&held))
                .count()
        };
        assert_eq!(atoms(&wanted).len(), 8);
        assert_eq!(
            covered(json!({ "apiGroups": ["*"], "resources": ["*"], "verbs": ["*"] })),
            8
        );
        assert_eq!(
            covered(json!({ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] })),
            1
        );
        assert_eq!(
            covered(json!({ "apiGroups": ["apps"], "resources": ["*/log"], "verbs": ["*"] })),
            2
        );
        let named = json!({ "apiGroups": ["*"], "resources": ["*"], "verbs": ["*"], "resourceNames": ["a"] });
        assert_eq!(covered(named), 0);
    }

    #[test]
    fn what_is_missing_is_told_by_resource() {
        let rules = json!([
            { "apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"], "resourceNames": ["a"] },
            { "nonResourceURLs": ["/metrics"], "verbs": ["get"] },
        ]);
        let lines: Vec<String> = compacted(atoms(&rules)).into_iter().collect();
        assert_eq!(
            lines,
            [
                r#"{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get" "list"]}"#,
                r#"{NonResourceURLs:["/metrics"], Verbs:["get"]}"#
            ]
        );
    }
}
