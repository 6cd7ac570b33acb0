//! Role-based access control over the roles and bindings in the store.

use std::sync::Arc;

use serde_json::Value;

use crate::auth::User;
use crate::cluster::Shared;
use crate::error::{ApiError, ApiResult};
use crate::request::RequestInfo;

const GROUP: &str = "rbac.authorization.k8s.io";

/// What somebody wants to do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attempt<'a> {
    pub(crate) verb: &'a str,
    pub(crate) group: &'a str,
    pub(crate) resource: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    /// Set for requests that are about no resource.
    pub(crate) path: Option<&'a str>,
}

impl<'a> Attempt<'a> {
    pub(crate) fn of(info: &'a RequestInfo) -> Self {
        Self {
            verb: &info.verb,
            group: &info.group,
            resource: &info.resource,
            subresource: &info.subresource,
            namespace: &info.namespace,
            name: &info.name,
            path: (!info.is_resource).then_some(&info.path),
        }
    }

    fn full_resource(&self) -> String {
        if self.subresource.is_empty() {
            self.resource.to_owned()
        } else {
            format!("{}/{}", self.resource, self.subresource)
        }
    }
}

impl Shared {
    /// Refuses what the user may not do, in the real server's words.
    pub(crate) fn authorize(&self, user: &User, attempt: &Attempt<'_>) -> ApiResult<()> {
        if self.allows(user, attempt) {
            return Ok(());
        }
        Err(match attempt.path {
            Some(path) => ApiError::forbidden_path(&user.name, attempt.verb, path),
            None => {
                let place = if attempt.namespace.is_empty() {
                    "at the cluster scope".to_owned()
                } else {
                    format!("in the namespace \"{}\"", attempt.namespace)
                };
                let why = format!(
                    "User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {place}",
                    user.name,
                    attempt.verb,
                    attempt.full_resource(),
                    attempt.group
                );
                ApiError::forbidden(attempt.group, attempt.resource, attempt.name, &why)
            }
        })
    }

    /// Whether the user may do it. Without RBAC everybody may do everything.
    pub(crate) fn allows(&self, user: &User, attempt: &Attempt<'_>) -> bool {
        if !self.rbac || user.is_in("system:masters") {
            return true;
        }
        let state = self.store.lock();
        let role_of = |table: &str, key: &str| -> Option<Arc<Value>> {
            let role = state.table(table)?.objects.get(key)?;
            Some(role.object.value())
        };
        let cluster_roles = format!("clusterroles.{GROUP}");
        let roles = format!("roles.{GROUP}");
        if let Some(bindings) = state.table(&format!("clusterrolebindings.{GROUP}")) {
            for (_, binding) in bindings.scan("") {
                let binding = binding.object.value();
                if binds(&binding, user, "")
                    && role_of(&cluster_roles, role_name(&binding))
                        .is_some_and(|role| any(&role["rules"], attempt))
                {
                    return true;
                }
            }
        }
        if attempt.namespace.is_empty() || attempt.path.is_some() {
            return false;
        }
        let Some(bindings) = state.table(&format!("rolebindings.{GROUP}")) else {
            return false;
        };
        bindings.scan(attempt.namespace).any(|(_, binding)| {
            let binding = binding.object.value();
            if !binds(&binding, user, attempt.namespace) {
                return false;
            }
            let name = role_name(&binding);
            let role = if binding["roleRef"]["kind"] == "ClusterRole" {
                role_of(&cluster_roles, name)
            } else {
                role_of(&roles, &format!("{}/{name}", attempt.namespace))
            };
            role.is_some_and(|role| any(&role["rules"], attempt))
        })
    }
}

fn role_name(binding: &Value) -> &str {
    binding["roleRef"]["name"].as_str().unwrap_or_default()
}

fn binds(binding: &Value, user: &User, namespace: &str) -> bool {
    let Some(subjects) = binding["subjects"].as_array() else {
        return false;
    };
    subjects.iter().any(|subject| {
        let name = subject["name"].as_str().unwrap_or_default();
        match subject["kind"].as_str() {
            Some("User") => name == user.name,
            Some("Group") => user.is_in(name),
            Some("ServiceAccount") => {
                let home = subject["namespace"]
                    .as_str()
                    .filter(|n| !n.is_empty())
                    .unwrap_or(namespace);
                user.name == format!("system:serviceaccount:{home}:{name}")
            }
            _ => false,
        }
    })
}

fn any(rules: &Value, attempt: &Attempt<'_>) -> bool {
    rules
        .as_array()
        .is_some_and(|rules| rules.iter().any(|rule| allows(rule, attempt)))
}

fn has(list: &Value, wanted: &str) -> bool {
    list.as_array()
        .is_some_and(|list| list.iter().any(|item| item == "*" || item == wanted))
}

fn allows(rule: &Value, attempt: &Attempt<'_>) -> bool {
    if !has(&rule["verbs"], attempt.verb) {
        return false;
    }
    if let Some(path) = attempt.path {
        return rule["nonResourceURLs"].as_array().is_some_and(|urls| {
            urls.iter().filter_map(Value::as_str).any(|url| {
                url == path
                    || url
                        .strip_suffix('*')
                        .is_some_and(|prefix| path.starts_with(prefix))
            })
        });
    }
    let resources = &rule["resources"];
    let any_with_subresource = format!("*/{}", attempt.subresource);
    let named = rule["resourceNames"]
        .as_array()
        .filter(|names| !names.is_empty());
    has(&rule["apiGroups"], attempt.group)
        && (has(resources, &attempt.full_resource())
            || (!attempt.subresource.is_empty() && has(resources, &any_with_subresource)))
        && named.is_none_or(|names| names.iter().any(|n| n == attempt.name))
}
