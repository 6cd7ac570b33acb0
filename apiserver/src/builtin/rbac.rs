//! Roles and bindings.

use serde_json::{Value, json};

use super::Group;
use super::pod::set_default;
use crate::schema::Cause;

pub(super) struct Rbac;

/// The only group that roles belong to.
const GROUP: &str = "rbac.authorization.k8s.io";

impl Group for Rbac {
    fn name(&self) -> (&'static str, &'static str) {
        (GROUP, "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn fill(&self, kind: &str, object: &mut Value) {
        if !kind.ends_with("Binding") {
            return;
        }
        let empty = object["roleRef"]["apiGroup"]
            .as_str()
            .unwrap_or_default()
            .is_empty();
        if empty {
            object["roleRef"]["apiGroup"] = json!(GROUP);
        }
        for subject in object
            .get_mut("subjects")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if matches!(subject["kind"].as_str(), Some("User" | "Group")) {
                set_default(subject, "apiGroup", json!(GROUP));
            }
        }
    }

    fn check(&self, kind: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        let mut causes = Vec::new();
        if kind.ends_with("Binding") {
            check_binding(object, old, &mut causes);
        } else {
            check_rules(kind, &object["rules"], &mut causes);
        }
        causes
    }

    fn cell(&self, _kind: &str, column: &str, object: &Value) -> Value {
        let subjects = |kind: &str| {
            let list = object["subjects"].as_array().into_iter().flatten();
            let names = list
                .filter(|subject| subject["kind"] == kind)
                .map(|subject| {
                    let name = subject["name"].as_str().unwrap_or_default();
                    match subject["namespace"].as_str() {
                        Some(namespace) => format!("{namespace}/{name}"),
                        None => name.to_owned(),
                    }
                });
            json!(names.collect::<Vec<_>>().join(", "))
        };
        match column {
            "Created At" => object["metadata"]["creationTimestamp"].clone(),
            "Role" => {
                let role = &object["roleRef"];
                let text = |name: &str| role[name].as_str().unwrap_or_default().to_owned();
                json!(format!("{}/{}", text("kind"), text("name")))
            }
            "Users" => subjects("User"),
            "Groups" => subjects("Group"),
            "ServiceAccounts" => subjects("ServiceAccount"),
            _ => Value::Null,
        }
    }
}

fn check_binding(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let role = &object["roleRef"];
    if let Some(old) = old
        && old["roleRef"] != *role
    {
        let shown =
            json!({ "APIGroup": role["apiGroup"], "Kind": role["kind"], "Name": role["name"] });
        causes.push(Cause::invalid("roleRef", &shown, "cannot change roleRef"));
    }
    if role["apiGroup"] != GROUP {
        causes.push(Cause::unsupported(
            "roleRef.apiGroup",
            &role["apiGroup"],
            [GROUP],
        ));
    }
    let kinds: &[&str] = if object["kind"] == "RoleBinding" {
        &["Role", "ClusterRole"]
    } else {
        &["ClusterRole"]
    };
    if !kinds.contains(&role["kind"].as_str().unwrap_or_default()) {
        causes.push(Cause::unsupported(
            "roleRef.kind",
            &role["kind"],
            kinds.iter().copied(),
        ));
    }
    if role["name"].as_str().unwrap_or_default().is_empty() {
        causes.push(Cause::required("roleRef.name", ""));
    }
    for (index, subject) in object["subjects"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let at = format!("subjects[{index}]");
        if subject["name"].as_str().unwrap_or_default().is_empty() {
            causes.push(Cause::required(format!("{at}.name"), ""));
        }
        match subject["kind"].as_str().unwrap_or_default() {
            "ServiceAccount" => {
                let bare = subject["namespace"].as_str().unwrap_or_default().is_empty();
                if bare && object["kind"] == "ClusterRoleBinding" {
                    causes.push(Cause::required(format!("{at}.namespace"), ""));
                }
            }
            "User" | "Group" if subject["apiGroup"] != GROUP => {
                causes.push(Cause::unsupported(
                    format!("{at}.apiGroup"),
                    &subject["apiGroup"],
                    [GROUP],
                ));
            }
            "User" | "Group" => {}
            _ => {
                let kinds = ["Group", "ServiceAccount", "User"];
                causes.push(Cause::unsupported(
                    format!("{at}.kind"),
                    &subject["kind"],
                    kinds,
                ));
            }
        }
    }
}

fn check_rules(kind: &str, rules: &Value, causes: &mut Vec<Cause>) {
    let has = |rule: &Value, name: &str| rule[name].as_array().is_some_and(|list| !list.is_empty());
    for (index, rule) in rules.as_array().into_iter().flatten().enumerate() {
        let at = format!("rules[{index}]");
        if !has(rule, "verbs") {
            causes.push(Cause::required(
                format!("{at}.verbs"),
                "verbs must contain at least one value",
            ));
        }
        if has(rule, "nonResourceURLs") {
            if kind == "Role" {
                let detail = "namespaced rules cannot apply to non-resource URLs";
                causes.push(Cause::invalid(
                    format!("{at}.nonResourceURLs"),
                    &rule["nonResourceURLs"],
                    detail,
                ));
            } else if ["apiGroups", "resources", "resourceNames"]
                .iter()
                .any(|name| has(rule, name))
            {
                let detail = "rules cannot apply to both regular resources and non-resource URLs";
                causes.push(Cause::invalid(
                    format!("{at}.nonResourceURLs"),
                    &rule["nonResourceURLs"],
                    detail,
                ));
            }
            continue;
        }
        for name in ["apiGroups", "resources"] {
            if !has(rule, name) {
                let detail = "resource rules must supply at least one";
                let what = if name == "apiGroups" {
                    "api group"
                } else {
                    "resource"
                };
                causes.push(Cause::required(
                    format!("{at}.{name}"),
                    format!("{detail} {what}"),
                ));
            }
        }
    }
}

const TEXT: &str = r#"
kind Role roles
| Name string .metadata.name
| Created_At string
Role
  rules [PolicyRule]! atomic
PolicyRule
  verbs [str]! atomic
  apiGroups [str] atomic
  resources [str] atomic
  resourceNames [str] atomic
  nonResourceURLs [str] atomic
kind RoleBinding rolebindings
| Name string .metadata.name
| Role string
| Age string age
| Users string wide
| Groups string wide
| ServiceAccounts string wide
RoleBinding
  subjects [Subject] atomic
  roleRef RoleRef!
Subject atomic
  kind str!
  apiGroup str
  name str!
  namespace str
RoleRef atomic
  apiGroup str!
  kind str!
  name str!
kind ClusterRole clusterroles cluster
| Name string .metadata.name
| Created_At string
ClusterRole
  rules [PolicyRule]! atomic
  aggregationRule AggregationRule
AggregationRule
  clusterRoleSelectors [LabelSelector] atomic
kind ClusterRoleBinding clusterrolebindings cluster
| Name string .metadata.name
| Role string
| Age string age
| Users string wide
| Groups string wide
| ServiceAccounts string wide
ClusterRoleBinding
  subjects [Subject] atomic
  roleRef RoleRef!
"#;
