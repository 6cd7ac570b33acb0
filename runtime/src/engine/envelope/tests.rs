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
fn it_is_done_at_once() {
    let text = pod().to_string();
    let found = Envelope::<Pod>::at_once(&text).unwrap();
    assert_eq!(found.meta().name.as_deref(), Some("p"));
    assert!(found.raw_status().is_some());
    // A map of whatever (`#[serde(flatten)]`) as well as a struct.
    let text = serde_json::to_string_pretty(&pod()).unwrap();
    let found = Envelope::<DynamicObject>::at_once(&text).unwrap();
    let object = found.object().unwrap();
    assert_eq!(object.data["status"], pod()["status"]);
    assert_eq!(object.metadata.managed_fields, None);
}

#[test]
fn spans_are_found_in_any_layout() {
    let [dense, pretty] = [
        pod().to_string(),
        serde_json::to_string_pretty(&pod()).unwrap(),
    ];
    for text in [&dense, &pretty] {
        let spans = spans::find(text).unwrap();
        for (span, pointer) in [
            (spans.managed_fields, "/metadata/managedFields"),
            (spans.status, "/status"),
        ] {
            let found: Value = serde_json::from_str(&text[span.unwrap()]).unwrap();
            assert_eq!(&found, pod().pointer(pointer).unwrap(), "{text}");
        }
    }
    // Names within other values, brackets and quotes within strings.
    let text = r#"{"a": {"status": "}\\\"{", "metadata": {"managedFields": 1}}, "b": ["]", 2 ] , "status" : 7 }"#;
    let spans = spans::find(text).unwrap();
    assert_eq!(spans.managed_fields, None);
    assert_eq!(text[spans.status.unwrap()].trim_end(), "7");
    assert_eq!(spans::find("{}"), Some(spans::Spans::default()));
}

/// Whatever the text: what it finds are pieces of the text, and an object is what the slow way says it is.
#[test]
fn a_text_that_is_cut_or_garbled_is_the_slow_ways_business() {
    let text = pod().to_string();
    for end in 0..text.len() {
        assert!(Envelope::<Pod>::at_once(&text[..end]).is_none(), "{end}");
        assert!(Envelope::<Pod>::from_json(&text[..end]).is_err(), "{end}");
    }
    for position in 0..text.len() {
        for junk in ["\"", "\\", "{", "}", "[", "]", ",", ":", "x", "é"] {
            let mut garbled = text.clone();
            garbled.replace_range(position..=position, junk);
            let slow = serde_json::from_str(&garbled).map(Envelope::<Pod>::from_value);
            match (Envelope::<Pod>::at_once(&garbled), slow) {
                (Some(fast), Ok(Ok(slow))) => {
                    assert_eq!(fast.object(), slow.object(), "{garbled}");
                    assert_eq!(fast.raw_status(), slow.raw_status(), "{garbled}");
                }
                // Rubbish in what is cut out is nobody's concern.
                (Some(fast), _) => assert_eq!(fast.meta().name.as_deref(), Some("p")),
                (None, _) => {}
            }
        }
    }
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
    let list: Vec<Arrived<Pod>> = serde_json::from_str(&list).unwrap();
    let [broken, sound]: [Envelope<Pod>; 2] = list
        .into_iter()
        .map(Arrived::open)
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    let error = broken.object().unwrap_err();
    assert!(
        error.contains("containers") || error.contains('7'),
        "{error}"
    );
    // What it says does not depend on where the object stands.
    assert!(!error.contains("column"), "{error}");
    assert_eq!(broken.meta().name.as_deref(), Some("b"));
    assert!(sound.object().is_ok());
    // A status that does not decode is the object's fault too, and so are its metadata.
    for broken in [
        r#"{"metadata": {"name": "b"}, "status": {"phase": 7}}"#,
        r#"{"metadata": {"name": "b", "labels": 7}}"#,
    ] {
        let arrived: Arrived<Pod> = serde_json::from_str(broken).unwrap();
        let broken = arrived.open();
        assert!(broken.object().is_err());
        assert_eq!(broken.meta().name.as_deref(), Some("b"));
    }
    // Without any there is nobody to tell about.
    for nobody in ["7", "{}", r#"{"metadata": []}"#] {
        assert!(
            serde_json::from_str::<Arrived<Pod>>(nobody).is_err(),
            "{nobody}"
        );
    }
}

#[test]
fn a_watch_event_tells_its_version_before_it_is_decoded() {
    let line = format!(r#"{{"type":"MODIFIED","object":{}}}"#, pod());
    let WatchEvent::Modified(arrived) =
        serde_json::from_str::<WatchEvent<Arrived<Pod>>>(&line).unwrap()
    else {
        panic!("another type");
    };
    let meta = arrived.meta();
    assert_eq!(meta.name.as_deref(), Some("p"));
    assert_eq!(meta.namespace.as_deref(), Some("n"));
    assert_eq!(meta.uid.as_deref(), Some("u"));
    assert_eq!(meta.resource_version.as_deref(), Some("7"));
    assert_eq!(meta.labels, None, "nobody has asked for them");
    let envelope = arrived.open();
    assert_eq!(envelope.version(), 7);
    assert_eq!(envelope.meta().labels.as_ref().unwrap()["a"], "b");
    // As an answer with the same object.
    let answer = Envelope::<Pod>::from_json(&pod().to_string()).unwrap();
    assert_eq!(envelope.object(), answer.object());
    assert_eq!(envelope.status_text(), answer.status_text());
    assert_eq!(envelope.raw_status().unwrap(), pod()["status"]);
    assert_eq!(envelope.meta().managed_fields, None);
}

#[test]
fn names_with_escapes_are_read_all_the_same() {
    let text = r#"{"metadata": {"n\u0061me": "a\u0062c", "uid": "u", "resourceVersion": "7"}}"#;
    let arrived: Arrived<Pod> = serde_json::from_str(text).unwrap();
    assert_eq!(arrived.meta().name.as_deref(), Some("abc"));
    assert_eq!(arrived.open().meta().name.as_deref(), Some("abc"));
    let text = r#"{"metadata": {"name": "a", "namespace": "n\u0061", "uid": "u", "resourceVersion": "7"}}"#;
    let arrived: Arrived<Pod> = serde_json::from_str(text).unwrap();
    assert_eq!(arrived.meta().namespace.as_deref(), Some("na"));
}
