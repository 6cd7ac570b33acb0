#![allow(clippy::unwrap_used)]

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::core::{DynamicObject, WatchEvent};
use serde_json::{Value, json};

use super::*;

fn pod() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": "p", "namespace": "n", "uid": "u", "resourceVersion": "7", "labels": {"a": "b"},
            "managedFields": [{"manager": "m", "operation": "Update", "fieldsV1": {"f:status": {"f:phase": {}}}}],
        },
        "spec": {"containers": [{"name": "c"}]},
        "status": {"phase": "Running", "ofAnotherVersion": [1, {"x": null}]},
    })
}

#[test]
fn one_pass_finds_what_the_tree_finds() {
    let text = pod().to_string();
    let fast = Envelope::<Pod>::from_json(&text).unwrap();
    let slow = Envelope::<Pod>::from_value(pod()).unwrap();
    assert_eq!(fast.object().unwrap(), slow.object().unwrap());
    assert_eq!(fast.meta().managed_fields, None);
    assert_eq!(fast.meta().labels.as_ref().unwrap()["a"], "b");
    assert_eq!(fast.raw_status(), slow.raw_status());
    assert_eq!(fast.raw_status().unwrap(), pod()["status"]);
    // The slow way counts a few bytes per number otherwise, and none of the empty member that is left.
    let (fast, slow) = (fast.bytes(), slow.bytes());
    assert!(fast.abs_diff(slow) < 40, "{fast} and {slow}");
}

#[test]
fn one_pass_it_is() {
    let text = pod().to_string();
    let found = streamed::object::<Pod>(&text).unwrap();
    assert_eq!(found.object.metadata.name.as_deref(), Some("p"));
    assert!(found.status.is_some());
    // A map of whatever (`#[serde(flatten)]`) as well as a struct.
    let found = streamed::object::<DynamicObject>(&text).unwrap();
    assert_eq!(found.object.data["status"], pod()["status"]);
    assert_eq!(found.object.metadata.managed_fields, None);
}

#[test]
fn escapes_nulls_and_absent_parts_are_understood() {
    let text = r#"{"met\u0061data": {"n\u0061me": "x\ty", "managedFields": null}, "status": null}"#;
    let envelope = Envelope::<Pod>::from_json(text).unwrap();
    assert_eq!(envelope.meta().name.as_deref(), Some("x\ty"));
    assert_eq!(envelope.raw_status(), Some(Value::Null));
    let envelope = Envelope::<ConfigMap>::from_json(r#"{"metadata": {}}"#).unwrap();
    assert_eq!(envelope.raw_status(), None);
    assert!(Envelope::<ConfigMap>::from_json(r#"{"metadata": {}} x"#).is_err());
}

#[test]
fn one_object_that_does_not_decode_harms_no_other() {
    let broken = r#"{"metadata": {"name": "b"}, "spec": {"containers": 7}}"#;
    let list = format!("[{broken}, {}]", pod());
    let list: Vec<Envelope<Pod>> = serde_json::from_str(&list).unwrap();
    let error = list[0].object().unwrap_err();
    assert!(
        error.contains("containers") || error.contains('7'),
        "{error}"
    );
    // What it says does not depend on where the object stands.
    assert!(!error.contains("column"), "{error}");
    assert_eq!(list[0].meta().name.as_deref(), Some("b"));
    assert!(list[1].object().is_ok());
    // A status that does not decode is the object's fault too.
    let broken = r#"{"metadata": {"name": "b"}, "status": {"phase": 7}}"#;
    let broken = Envelope::<Pod>::from_json(broken).unwrap();
    assert!(broken.object().is_err());
}

#[test]
fn a_watch_event_holds_one() {
    let line = format!(r#"{{"type":"MODIFIED","object":{}}}"#, pod());
    let WatchEvent::Modified(envelope) =
        serde_json::from_str::<WatchEvent<Envelope<Pod>>>(&line).unwrap()
    else {
        panic!("another type");
    };
    assert_eq!(envelope.version(), 7);
}
