//! Webhook configurations: their fields, defaults and rules. Module `webhook` calls what they name.

use serde_json::{Value, json};

use super::Group;
use super::pod::set_default;
use crate::schema::Cause;

pub(super) struct Admissionregistration;

impl Group for Admissionregistration {
    fn name(&self) -> (&'static str, &'static str) {
        ("admissionregistration.k8s.io", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn fill(&self, kind: &str, object: &mut Value) {
        for webhook in object
            .get_mut("webhooks")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            set_default(webhook, "failurePolicy", json!("Fail"));
            set_default(webhook, "matchPolicy", json!("Equivalent"));
            set_default(webhook, "namespaceSelector", json!({}));
            set_default(webhook, "objectSelector", json!({}));
            set_default(webhook, "timeoutSeconds", json!(10));
            if kind == "MutatingWebhookConfiguration" {
                set_default(webhook, "reinvocationPolicy", json!("Never"));
            }
            for rule in webhook
                .get_mut("rules")
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
            {
                set_default(rule, "scope", json!("*"));
            }
        }
    }

    fn check(&self, _kind: &str, object: &Value, _old: Option<&Value>) -> Vec<Cause> {
        let mut causes = Vec::new();
        for (index, webhook) in object["webhooks"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            let at = format!("webhooks[{index}]");
            let name = webhook["name"].as_str().unwrap_or_default();
            if name.split('.').count() < 3 {
                let detail = "should be a domain with at least three segments separated by dots";
                causes.push(Cause::invalid(format!("{at}.name"), &json!(name), detail));
            }
            let conditions = webhook["matchConditions"].as_array();
            for (place, condition) in conditions.into_iter().flatten().enumerate() {
                let expression = condition["expression"].as_str().unwrap_or_default();
                let path = format!("{at}.matchConditions[{place}].expression");
                causes.extend(crate::schema::condition_causes(expression, &path));
            }
            if webhook["sideEffects"].is_null() {
                let detail = "must specify one of None, NoneOnDryRun";
                causes.push(Cause::required(format!("{at}.sideEffects"), detail));
            }
            let choices = [
                ("sideEffects", ["None", "NoneOnDryRun"]),
                ("failurePolicy", ["Fail", "Ignore"]),
                ("matchPolicy", ["Equivalent", "Exact"]),
                ("reinvocationPolicy", ["IfNeeded", "Never"]),
            ];
            for (field, known) in choices {
                let given = &webhook[field];
                if !given.is_null() && !known.iter().any(|value| *given == **value) {
                    causes.push(Cause::unsupported(format!("{at}.{field}"), given, known));
                }
            }
            let config = &webhook["clientConfig"];
            if config["url"].is_null() == config["service"].is_null() {
                let detail = "exactly one of url or service is required";
                causes.push(Cause::required(format!("{at}.clientConfig"), detail));
            }
            causes.extend(url_causes(
                &config["url"],
                &format!("{at}.clientConfig.url"),
            ));
            let seconds = &webhook["timeoutSeconds"];
            if seconds.as_i64().is_some_and(|s| !(1..=30).contains(&s)) {
                let detail = "the timeout value must be between 1 and 30 seconds";
                causes.push(Cause::invalid(
                    format!("{at}.timeoutSeconds"),
                    seconds,
                    detail,
                ));
            }
            if webhook["admissionReviewVersions"]
                .as_array()
                .is_none_or(Vec::is_empty)
            {
                let detail = "must specify one of v1, v1beta1";
                causes.push(Cause::required(
                    format!("{at}.admissionReviewVersions"),
                    detail,
                ));
            }
        }
        causes
    }

    fn cell(&self, _kind: &str, _column: &str, object: &Value) -> Value {
        json!(object["webhooks"].as_array().map_or(0, Vec::len))
    }
}

/// A URL has a scheme that is spoken, a host, and nothing but a path behind it.
fn url_causes(url: &Value, at: &str) -> Vec<Cause> {
    const FORM: &str = "; desired format: https://host[/path]";
    let Some(text) = url.as_str() else {
        return Vec::new();
    };
    let cause =
        |shown: &str, detail: &str| Cause::invalid(at, &json!(shown), format!("{detail}{FORM}"));
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    let (place, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (place, query) = place.split_once('?').unwrap_or((place, ""));
    let host = place.split('/').next().unwrap_or_default();
    let mut causes = Vec::new();
    if !matches!(scheme, "https" | "http") {
        causes.push(cause(scheme, "'https' is the only allowed URL scheme"));
    }
    if host.is_empty() {
        causes.push(cause(host, "host must be specified"));
    }
    if let Some((user, _)) = host.rsplit_once('@') {
        causes.push(cause(user, "user information is not permitted in the URL"));
    }
    if !fragment.is_empty() {
        causes.push(cause(fragment, "fragments are not permitted in the URL"));
    }
    if !query.is_empty() {
        causes.push(cause(
            query,
            "query parameters are not permitted in the URL",
        ));
    }
    causes
}

const TEXT: &str = r#"
kind ValidatingWebhookConfiguration validatingwebhookconfigurations cluster generation categories=api-extensions
| Name string .metadata.name
| Webhooks integer
| Age string age
ValidatingWebhookConfiguration
  webhooks [Webhook] key=name merge=name
kind MutatingWebhookConfiguration mutatingwebhookconfigurations cluster generation categories=api-extensions
| Name string .metadata.name
| Webhooks integer
| Age string age
MutatingWebhookConfiguration
  webhooks [Webhook] key=name merge=name
Webhook
  name str!
  clientConfig WebhookClientConfig!
  rules [RuleWithOperations] atomic
  failurePolicy str*
  matchPolicy str*
  namespaceSelector LabelSelector
  objectSelector LabelSelector
  sideEffects str*
  timeoutSeconds int*
  admissionReviewVersions [str]! atomic
  reinvocationPolicy str*
  matchConditions [MatchCondition] key=name merge=name
RuleWithOperations
  operations [str] atomic
  apiGroups [str] atomic
  apiVersions [str] atomic
  resources [str] atomic
  scope str*
MatchCondition
  name str!
  expression str!
"#;
