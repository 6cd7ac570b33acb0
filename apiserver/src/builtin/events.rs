//! Events: the checks of `events.k8s.io/v1`, and those of the core group.

use serde_json::{Value, json};

use super::Group;
use crate::schema::Cause;

pub(super) struct Events;

impl Group for Events {
    fn name(&self) -> (&'static str, &'static str) {
        ("events.k8s.io", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn check(&self, _kind: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        let mut causes = Vec::new();
        match old {
            None => check_new(object, &mut causes),
            Some(old) => check_change(object, old, &mut causes),
        }
        causes
    }

    fn selected(&self, object: &Value, field: &str) -> Option<Value> {
        selected(object, field)
    }

    fn cell(&self, _kind: &str, column: &str, object: &Value) -> Value {
        match column {
            "Object" => {
                let regarding = &object["regarding"];
                let kind = regarding["kind"]
                    .as_str()
                    .unwrap_or_default()
                    .to_lowercase();
                json!(format!(
                    "{kind}/{}",
                    regarding["name"].as_str().unwrap_or_default()
                ))
            }
            _ => Value::Null,
        }
    }
}

/// The longest note, in bytes.
const MAX_NOTE: usize = 1024;

fn check_new(event: &Value, causes: &mut Vec<Cause>) {
    let text = |name: &str| event[name].as_str().unwrap_or_default();
    let namespace = event["metadata"]["namespace"].as_str().unwrap_or_default();
    let regarding = event["regarding"]["namespace"].as_str().unwrap_or_default();
    if !regarding.is_empty() && regarding != namespace {
        let value = &event["regarding"]["namespace"];
        causes.push(Cause::invalid(
            "involvedObject.namespace",
            value,
            "does not match event.namespace",
        ));
    }
    if event["eventTime"].is_null() {
        causes.push(Cause::required("eventTime", ""));
    }
    if text("reportingController").is_empty() {
        let value = json!("");
        causes.push(Cause::required("reportingController", ""));
        causes.push(Cause::invalid(
            "reportingController",
            &value,
            "name part must be non-empty",
        ));
        let detail = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with \
                      an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for \
                      validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
        causes.push(Cause::invalid("reportingController", &value, detail));
    }
    for (name, max) in [("reportingInstance", 128), ("action", 128), ("reason", 128)] {
        if text(name).is_empty() {
            causes.push(Cause::required(name, ""));
        } else if text(name).len() > max {
            causes.push(Cause::invalid(
                name,
                &event[name],
                format!("can have at most {max} characters"),
            ));
        }
    }
    if !matches!(text("type"), "Normal" | "Warning") {
        causes.push(Cause::invalid(
            "type",
            &event["type"],
            "has invalid value: ",
        ));
    }
    if text("note").len() > MAX_NOTE {
        causes.push(Cause::invalid(
            "message",
            &json!(""),
            format!("can have at most {MAX_NOTE} characters"),
        ));
    }
}

/// All but the series is fixed; the fields are called as in the core group.
fn check_change(event: &Value, old: &Value, causes: &mut Vec<Cause>) {
    for (name, core) in [
        ("regarding", "involvedObject"),
        ("reason", "reason"),
        ("note", "message"),
        ("deprecatedSource", "source"),
        ("deprecatedFirstTimestamp", "firstTimestamp"),
        ("deprecatedLastTimestamp", "lastTimestamp"),
        ("deprecatedCount", "count"),
        ("type", "type"),
        ("eventTime", "eventTime"),
        ("action", "action"),
        ("related", "related"),
        ("reportingController", "reportingController"),
        ("reportingInstance", "reportingInstance"),
    ] {
        if event.get(name).unwrap_or(&Value::Null) != old.get(name).unwrap_or(&Value::Null) {
            causes.push(Cause::invalid(core, &event[name], "field is immutable"));
        }
    }
}

/// The check of a core Event.
pub(super) fn check_core(event: &Value, causes: &mut Vec<Cause>) {
    let namespace = event["metadata"]["namespace"].as_str().unwrap_or_default();
    let involved = event["involvedObject"]["namespace"]
        .as_str()
        .unwrap_or_default();
    let cluster_scoped = involved.is_empty() && matches!(namespace, "" | "default");
    if involved != namespace && !cluster_scoped {
        let value = event["involvedObject"]
            .get("namespace")
            .cloned()
            .unwrap_or_else(|| json!(""));
        causes.push(Cause::invalid(
            "involvedObject.namespace",
            &value,
            "does not match event.namespace",
        ));
    }
}

/// A stored Event (in the form of the core group) under the names that selectors of both groups use.
pub(super) fn selected(event: &Value, field: &str) -> Option<Value> {
    let reporter = &event["reportingComponent"];
    match field {
        "source" => {
            let component = event["source"].get("component").filter(|text| **text != "");
            Some(component.unwrap_or(reporter).clone())
        }
        "reportingController" => Some(reporter.clone()),
        _ => {
            let name = field.strip_prefix("regarding.")?;
            Some(event["involvedObject"][name].clone())
        }
    }
}

const TEXT: &str = r#"
kind Event events short=ev select=regarding.kind,regarding.namespace,regarding.name,regarding.uid,regarding.apiVersion,regarding.resourceVersion,regarding.fieldPath,reason,reportingController,type
| Last_Seen string age
| Type string .type
| Reason string .reason
| Object string
| Message string .note
| Name string .metadata.name wide
EventsEvent
  eventTime microtime!
  series EventsEventSeries
  reportingController str
  reportingInstance str
  action str
  reason str
  regarding ObjectReference!
  related ObjectReference
  note str
  type str
  deprecatedSource EventSource!
  deprecatedFirstTimestamp time!
  deprecatedLastTimestamp time!
  deprecatedCount int
EventsEventSeries
  count int!
  lastObservedTime microtime!
"#;
