//! Conversion between versions of one resource.

use serde_json::{Map, Value};

use crate::object;

/// Fields of core/v1 Event and their names in events.k8s.io/v1.
const EVENT_FIELDS: [(&str, &str); 6] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
];

/// Rewrites an object into another version of its resource.
///
/// Custom resources convert as with strategy `None`: only `apiVersion` changes.
pub(crate) fn convert(target: &mut Value, table: &str, api_version: &str) {
    if table == "events" {
        convert_event(object::top(target), api_version);
    }
    object::top(target).insert("apiVersion".into(), api_version.into());
}

fn convert_event(event: &mut Map<String, Value>, api_version: &str) {
    let to_new = api_version != "v1";
    for (old, new) in EVENT_FIELDS {
        let (from, to) = if to_new { (old, new) } else { (new, old) };
        if let Some(value) = event.remove(from) {
            event.insert(to.into(), value);
        }
    }
    let (from, to) = if to_new {
        ("reportingComponent", "reportingController")
    } else {
        ("reportingController", "reportingComponent")
    };
    if let Some(value) = event.remove(from) {
        event.insert(to.into(), value);
    }
}

/// Where the stored form of an event (that of the core group) has what a field selector names.
pub(crate) fn stored_event_field(path: &str) -> Option<&str> {
    Some(match path {
        "source" => "source.component",
        "reportingController" => "reportingComponent",
        "regarding.kind" => "involvedObject.kind",
        "regarding.namespace" => "involvedObject.namespace",
        "regarding.name" => "involvedObject.name",
        "regarding.uid" => "involvedObject.uid",
        "regarding.apiVersion" => "involvedObject.apiVersion",
        "regarding.resourceVersion" => "involvedObject.resourceVersion",
        "regarding.fieldPath" => "involvedObject.fieldPath",
        _ => return None,
    })
}
