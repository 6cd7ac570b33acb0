//! Reviews: questions about rights, answered and not stored.

use std::sync::Arc;

use serde_json::{Value, json};

use super::decode;
use crate::auth::User;
use crate::call::{Call, Handled, Outcome, Reply};
use crate::cluster::Shared;
use crate::error::ApiError;
use crate::object;
use crate::rbac::Attempt;
use crate::resource::Resource;

impl Shared {
    pub(super) fn review(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        call.write_options("CreateOptions")?;
        let mut review = decode::object(call, resource)?;
        let status = match resource.kind.as_str() {
            "SelfSubjectAccessReview" => self.access(&call.user, &review["spec"]),
            "SubjectAccessReview" | "LocalSubjectAccessReview" => {
                self.access(&subject(&review["spec"]), &review["spec"])
            }
            "SelfSubjectReview" => json!({ "userInfo": {
                "username": call.user.name, "uid": call.user.uid, "groups": call.user.groups,
            } }),
            "SelfSubjectRulesReview" => json!({
                "resourceRules": [], "nonResourceRules": [], "incomplete": true,
                "evaluationError": "this server does not enumerate rules; ask with SelfSubjectAccessReview",
            }),
            kind => {
                return Err(ApiError::not_implemented(format!(
                    "this server does not answer {kind}"
                ))
                .into());
            }
        };
        object::top(&mut review).insert("status".into(), status);
        let metadata = object::meta_mut(&mut review);
        metadata.entry("creationTimestamp").or_insert(Value::Null);
        Ok(Outcome::Reply(Reply::json(201, &review)))
    }

    fn access(&self, user: &User, spec: &Value) -> Value {
        let text = |value: &'_ Value| value.as_str().unwrap_or_default().to_owned();
        let (about, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
        let decision = if path.is_object() {
            let (verb, path) = (text(&path["verb"]), text(&path["path"]));
            self.decide(
                user,
                &Attempt {
                    verb: &verb,
                    path: Some(&path),
                    ..Attempt::default()
                },
            )
        } else {
            let [verb, group, resource, subresource, namespace, name] = [
                "verb",
                "group",
                "resource",
                "subresource",
                "namespace",
                "name",
            ]
            .map(|field| text(&about[field]));
            self.decide(
                user,
                &Attempt {
                    verb: &verb,
                    group: &group,
                    resource: &resource,
                    subresource: &subresource,
                    namespace: &namespace,
                    name: &name,
                    path: None,
                },
            )
        };
        let mut status = json!({ "allowed": decision.allowed });
        if !decision.reason.is_empty() {
            status["reason"] = decision.reason.into();
        }
        status
    }
}

fn subject(spec: &Value) -> User {
    let groups: Vec<&str> = spec["groups"]
        .as_array()
        .map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut user = User::new(
        spec["user"].as_str().unwrap_or_default(),
        spec["uid"].as_str().unwrap_or_default(),
        &groups,
    );
    // A review names all groups itself.
    user.groups = groups.into_iter().map(str::to_owned).collect();
    user
}
