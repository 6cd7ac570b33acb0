//! Role-based access control over the roles and bindings in the store.

use serde_json::Value;

use crate::auth::User;
use crate::call::Call;
use crate::cluster::Shared;
use crate::error::{ApiError, ApiResult};
use crate::object;
use crate::request::RequestInfo;

pub(crate) const GROUP: &str = "rbac.authorization.k8s.io";

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
            name: if info.name.is_empty() {
                &info.selected
            } else {
                &info.name
            },
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

/// What the authorizer says, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) allowed: bool,
    /// Who allowed it, or which roles could not be found; mostly empty.
    pub(crate) reason: String,
}

/// A binding that is the user's, and through which of its subjects.
struct Grant<'a> {
    binding: &'a Value,
    subject: &'a Value,
    rules: &'a Value,
}

impl Shared {
    /// Refuses what the user may not do, in the real server's words.
    pub(crate) fn authorize(&self, user: &User, attempt: &Attempt<'_>) -> ApiResult<()> {
        let Decision { allowed, reason } = self.decide(user, attempt);
        if allowed {
            return Ok(());
        }
        let tail = match reason.as_str() {
            "" => String::new(),
            reason => format!(": {reason}"),
        };
        Err(match attempt.path {
            Some(path) => ApiError::forbidden_path(&user.name, attempt.verb, path, &tail),
            None => {
                let place = if attempt.namespace.is_empty() {
                    "at the cluster scope".to_owned()
                } else {
                    format!("in the namespace \"{}\"", attempt.namespace)
                };
                let why = format!(
                    "User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {place}{tail}",
                    user.name,
                    attempt.verb,
                    attempt.full_resource(),
                    attempt.group
                );
                ApiError::forbidden(attempt.group, attempt.resource, attempt.name, &why)
            }
        })
    }

    /// An apply or a PUT that turns out to create asks for the verb `create`, too, after the object was checked.
    pub(crate) fn authorize_creation(&self, call: &Call) -> ApiResult<()> {
        if call.internal || call.info.verb == "create" {
            return Ok(());
        }
        let attempt = Attempt {
            verb: "create",
            ..Attempt::of(&call.info)
        };
        let Decision { allowed, reason } = self.decide(&call.user, &attempt);
        if allowed {
            return Ok(());
        }
        // The real server says no more than the authorizer itself does, which is mostly nothing.
        Err(ApiError::forbidden(
            attempt.group,
            attempt.resource,
            attempt.name,
            &reason,
        ))
    }

    /// Whether the user may do it.
    pub(crate) fn allows(&self, user: &User, attempt: &Attempt<'_>) -> bool {
        self.decide(user, attempt).allowed
    }

    /// Whether the user may do it, and why. Without RBAC everybody may do everything.
    pub(crate) fn decide(&self, user: &User, attempt: &Attempt<'_>) -> Decision {
        if !self.rbac || user.is_in("system:masters") {
            return Decision {
                allowed: true,
                reason: String::new(),
            };
        }
        let mut granted = None;
        let lost = self.visit_grants(user, attempt.namespace, &mut |grant| {
            if any(grant.rules, attempt) {
                granted = Some(format!("RBAC: allowed by {}", grant.shown()));
            }
            granted.is_none()
        });
        let reason = match (&granted, lost.as_slice()) {
            (Some(grant), _) => grant.clone(),
            (None, []) => String::new(),
            (None, [one]) => format!("RBAC: {one}"),
            (None, many) => format!("RBAC: [{}]", many.join(", ")),
        };
        Decision {
            allowed: granted.is_some(),
            reason,
        }
    }

    /// All rules that the user has in a namespace (empty: cluster-wide ones only), and which roles were not found.
    pub(crate) fn rules_of(&self, user: &User, namespace: &str) -> (Vec<Value>, Vec<String>) {
        let mut rules = Vec::new();
        let lost = self.visit_grants(user, namespace, &mut |grant| {
            rules.extend(grant.rules.as_array().into_iter().flatten().cloned());
            true
        });
        (rules, lost)
    }

    /// Shows the grants of a user to `visit` until that returns `false`. Returns the roles that were not found.
    fn visit_grants(
        &self,
        user: &User,
        namespace: &str,
        visit: &mut dyn FnMut(&Grant<'_>) -> bool,
    ) -> Vec<String> {
        let state = self.store.lock();
        let mut lost = Vec::new();
        let mut show = |binding: &Value, home: &str| -> bool {
            let Some(subject) = subject_of(binding, user, home) else {
                return true;
            };
            let (table, key, singular) = role_of(binding, home);
            let found = state
                .table(&table)
                .and_then(|roles| roles.objects.get(&key));
            let Some(role) = found else {
                let line = format!("{singular}.{GROUP} \"{}\" not found", role_name(binding));
                if !lost.contains(&line) {
                    lost.push(line);
                }
                return true;
            };
            visit(&Grant {
                binding,
                subject,
                rules: &role.object.value()["rules"],
            })
        };
        let tables = [("clusterrolebindings", ""), ("rolebindings", namespace)];
        'bindings: for (plural, home) in tables {
            if plural == "rolebindings" && namespace.is_empty() {
                break;
            }
            let bindings = state.table(&format!("{plural}.{GROUP}"));
            for (_, binding) in bindings.into_iter().flat_map(|table| table.scan(home)) {
                if !show(&binding.object.value(), home) {
                    break 'bindings;
                }
            }
        }
        lost
    }
}

impl Grant<'_> {
    /// As a review tells it: `ClusterRoleBinding "b" of ClusterRole "r" to User "jane"`.
    fn shown(&self) -> String {
        let name = object::meta(self.binding, "name");
        let home = object::meta(self.binding, "namespace");
        let (kind, name) = if home.is_empty() {
            ("ClusterRoleBinding", name.to_owned())
        } else {
            ("RoleBinding", format!("{name}/{home}"))
        };
        let who = text(self.subject, "name");
        let who = match (text(self.subject, "kind"), text(self.subject, "namespace")) {
            ("ServiceAccount", "") => format!("{who}/{home}"),
            ("ServiceAccount", namespace) => format!("{who}/{namespace}"),
            _ => who.to_owned(),
        };
        format!(
            "{kind} {name:?} of {} {:?} to {} {who:?}",
            text(&self.binding["roleRef"], "kind"),
            role_name(self.binding),
            text(self.subject, "kind")
        )
    }
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn role_name(binding: &Value) -> &str {
    text(&binding["roleRef"], "name")
}

/// Table and key of the role that a binding in `home` refers to, and what messages call it.
pub(crate) fn role_of(binding: &Value, home: &str) -> (String, String, &'static str) {
    let name = role_name(binding);
    if binding["roleRef"]["kind"] == "Role" {
        (format!("roles.{GROUP}"), format!("{home}/{name}"), "role")
    } else {
        (
            format!("clusterroles.{GROUP}"),
            name.to_owned(),
            "clusterrole",
        )
    }
}

/// The subject of a binding that is this user.
fn subject_of<'a>(binding: &'a Value, user: &User, home: &str) -> Option<&'a Value> {
    binding["subjects"].as_array()?.iter().find(|subject| {
        let name = text(subject, "name");
        match text(subject, "kind") {
            "User" => name == user.name,
            "Group" => user.is_in(name),
            "ServiceAccount" => {
                let namespace = match text(subject, "namespace") {
                    "" => home,
                    namespace => namespace,
                };
                user.name == format!("system:serviceaccount:{namespace}:{name}")
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
