//! Registered admission webhooks, and which requests are theirs.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::admission::Change;
use crate::call::Call;
use crate::cluster::Shared;
use crate::resource::Resource;

/// One webhook of a configuration.
#[derive(Debug)]
pub(super) struct Hook {
    /// Name of the configuration, and its own.
    pub(super) place: String,
    spec: Value,
}

impl Hook {
    pub(super) fn name(&self) -> &str {
        text(&self.spec, "name")
    }

    pub(super) fn client_config(&self) -> &Value {
        &self.spec["clientConfig"]
    }

    pub(super) fn timeout(&self) -> Duration {
        let seconds = self.spec["timeoutSeconds"].as_u64().unwrap_or(10);
        Duration::from_secs(seconds.clamp(1, 30))
    }

    /// Whether the request goes on if the webhook cannot be called.
    pub(super) fn ignores_failure(&self) -> bool {
        text(&self.spec, "failurePolicy") == "Ignore"
    }

    /// Whether it is called again after another one has changed the object.
    pub(super) fn is_reinvoked(&self) -> bool {
        text(&self.spec, "reinvocationPolicy") == "IfNeeded"
    }

    pub(super) fn takes_dry_runs(&self) -> bool {
        matches!(text(&self.spec, "sideEffects"), "None" | "NoneOnDryRun")
    }

    /// Whether its match conditions let it see a request.
    ///
    /// # Errors
    /// A condition that cannot be evaluated here, unless another one is false.
    pub(super) fn is_met(&self, request: &Value) -> Result<bool, String> {
        let variables = [
            ("object", &request["object"]),
            ("oldObject", &request["oldObject"]),
            ("request", request),
        ];
        let conditions = self.spec["matchConditions"].as_array();
        let mut met = Ok(true);
        for condition in conditions.into_iter().flatten() {
            let name = text(condition, "name");
            match crate::schema::holds(text(condition, "expression"), &variables) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(why) => met = Err(format!("match condition {name:?}: {why}")),
            }
        }
        met
    }

    fn is_equivalent(&self) -> bool {
        text(&self.spec, "matchPolicy") != "Exact"
    }

    fn has_rule(&self, resource: &Resource, call: &Call, operation: &str) -> bool {
        let rules = self.spec["rules"].as_array();
        rules.into_iter().flatten().any(|rule| {
            let one_of = |field: &str, wanted: &str| {
                rule[field]
                    .as_array()
                    .is_some_and(|list| list.iter().any(|item| item == "*" || item == wanted))
            };
            let scope = match text(rule, "scope") {
                "Namespaced" => resource.namespaced,
                "Cluster" => !resource.namespaced,
                _ => true,
            };
            scope
                && one_of("operations", operation)
                && one_of("apiGroups", &resource.group)
                && one_of("apiVersions", &resource.version)
                && names(&rule["resources"], &resource.plural, &call.info.subresource)
        })
    }
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn names(list: &Value, resource: &str, subresource: &str) -> bool {
    list.as_array().into_iter().flatten().any(|item| {
        let item = item.as_str().unwrap_or_default();
        let (name, part) = item.split_once('/').unwrap_or((item, ""));
        (name == "*" || name == resource) && (part == "*" || part == subresource)
    })
}

/// Whether a `LabelSelector` of the API selects these labels. An absent one selects everything.
pub(crate) fn selects(selector: &Value, labels: &Value) -> bool {
    let wanted = selector["matchLabels"].as_object();
    let equal = wanted
        .into_iter()
        .flatten()
        .all(|(key, value)| labels[key] == *value);
    let rules = selector["matchExpressions"].as_array();
    equal
        && rules.into_iter().flatten().all(|rule| {
            let label = &labels[text(rule, "key")];
            let listed = rule["values"]
                .as_array()
                .is_some_and(|values| values.contains(label));
            match text(rule, "operator") {
                "In" => listed,
                "NotIn" => !listed,
                "Exists" => !label.is_null(),
                _ => label.is_null(),
            }
        })
}

impl Shared {
    /// The webhooks of a table of configurations, in the order of their names.
    pub(super) fn hooks(&self, table: &str) -> Vec<Hook> {
        let state = self.store.lock();
        let Some(configurations) = state.table(table).filter(|table| !table.objects.is_empty())
        else {
            return Vec::new();
        };
        let mut hooks = Vec::new();
        for (name, stored) in configurations.scan("") {
            let configuration = stored.object.value();
            for spec in configuration["webhooks"].as_array().into_iter().flatten() {
                hooks.push(Hook {
                    place: format!("{name}/{}", text(spec, "name")),
                    spec: spec.clone(),
                });
            }
        }
        hooks
    }

    /// The version of the resource in which a webhook wants to see a change; `None` if it does not.
    pub(super) fn seen_as(
        &self,
        hook: &Hook,
        call: &Call,
        resource: &Arc<Resource>,
        change: &Change<'_>,
    ) -> Option<Arc<Resource>> {
        let seen = if hook.has_rule(resource, call, change.operation) {
            resource.clone()
        } else if hook.is_equivalent() {
            let registry = self.registry();
            registry
                .all()
                .find(|other| {
                    other.table == resource.table && hook.has_rule(other, call, change.operation)
                })
                .cloned()?
        } else {
            return None;
        };
        let labels = |object: Option<&Value>| {
            object.map_or(Value::Null, |object| object["metadata"]["labels"].clone())
        };
        let objects = &hook.spec["objectSelector"];
        let chosen = [change.new, change.old]
            .into_iter()
            .flatten()
            .any(|object| selects(objects, &labels(Some(object))));
        (chosen && self.in_namespace(hook, call, resource, change)).then_some(seen)
    }

    fn in_namespace(
        &self,
        hook: &Hook,
        call: &Call,
        resource: &Resource,
        change: &Change<'_>,
    ) -> bool {
        let selector = &hook.spec["namespaceSelector"];
        if resource.kind == "Namespace" && !resource.is_custom() {
            let shown = change.new.or(change.old);
            return shown.is_none_or(|object| selects(selector, &object["metadata"]["labels"]));
        }
        if !resource.namespaced {
            return true;
        }
        let namespace = self.store.get("namespaces", &call.info.namespace);
        namespace.is_none_or(|found| selects(selector, &found.object.value()["metadata"]["labels"]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn resources_are_named_with_their_subresources() {
        assert!(names(&json!(["*"]), "pods", ""));
        assert!(!names(&json!(["*"]), "pods", "status"));
        assert!(names(&json!(["pods/*"]), "pods", "status"));
        assert!(names(&json!(["*/*"]), "pods", ""));
        assert!(names(&json!(["*/status"]), "pods", "status"));
        assert!(!names(&json!(["nodes", "pods/log"]), "pods", "status"));
    }

    #[test]
    fn selectors_of_the_api_select_labels() {
        let labels = json!({ "a": "1", "b": "2" });
        assert!(selects(&json!({}), &labels));
        assert!(selects(&Value::Null, &Value::Null));
        assert!(selects(&json!({ "matchLabels": { "a": "1" } }), &labels));
        assert!(!selects(&json!({ "matchLabels": { "a": "2" } }), &labels));
        let rule = |operator: &str, key: &str| json!({ "matchExpressions": [{ "key": key, "operator": operator, "values": ["1"] }] });
        assert!(selects(&rule("In", "a"), &labels));
        assert!(!selects(&rule("NotIn", "a"), &labels));
        assert!(selects(&rule("NotIn", "c"), &labels));
        assert!(selects(&rule("Exists", "b"), &labels));
        assert!(selects(&rule("DoesNotExist", "c"), &labels));
    }
}
