//! Path elements, sets, `fieldsV1`.

use serde_json::{Value, json};

use crate::managed::{FieldSet, PathElement};

fn set(value: Value) -> FieldSet {
    FieldSet::from_value(&value).unwrap()
}

#[test]
fn elements_print_as_they_parse() {
    for text in [
        "f:spec",
        "f:a.b/c",
        "k:{\"name\":\"x\"}",
        "k:{\"port\":80,\"protocol\":\"TCP\"}",
        "v:\"a\"",
        "v:1",
        "i:3",
    ] {
        assert_eq!(PathElement::parse(text).unwrap().print(), text);
    }
    let swapped = PathElement::parse("k:{\"protocol\":\"TCP\",\"port\":80}").unwrap();
    assert_eq!(swapped.print(), "k:{\"port\":80,\"protocol\":\"TCP\"}");
}

#[test]
fn elements_that_are_none_are_refused() {
    for text in ["", "spec", "x:y", "k:[1]", "k:{", "v:", "i:a"] {
        assert_eq!(PathElement::parse(text), None, "{text}");
    }
    assert!(FieldSet::from_value(&json!({"f:a": 1})).is_err());
    assert!(FieldSet::from_value(&json!([])).is_err());
}

#[test]
fn elements_show_as_messages_name_them() {
    let shown = |text: &str| PathElement::parse(text).unwrap().to_string();
    assert_eq!(shown("f:spec"), ".spec");
    assert_eq!(
        shown("k:{\"port\":80,\"protocol\":\"TCP\"}"),
        "[port=80,protocol=\"TCP\"]"
    );
    assert_eq!(shown("v:\"a\""), "[=\"a\"]");
    assert_eq!(shown("i:3"), "[3]");
}

#[test]
fn a_set_prints_as_it_parses() {
    let value = json!({"f:metadata": {"f:labels": {".": {}, "f:l": {}}}, "f:spec": {"f:ports": {"k:{\"name\":\"x\"}": {".": {}, "f:name": {}}}}});
    assert_eq!(set(value.clone()).to_value(), value);
}

#[test]
fn set_operations_look_at_members_not_at_parents() {
    let parent = set(json!({"f:a": {".": {}, "f:b": {}}, "f:c": {}}));
    let child = set(json!({"f:a": {"f:b": {}}, "f:d": {}}));
    assert_eq!(
        parent.union(&child).to_value(),
        json!({"f:a": {".": {}, "f:b": {}}, "f:c": {}, "f:d": {}})
    );
    assert_eq!(
        parent.difference(&child).to_value(),
        json!({"f:a": {}, "f:c": {}})
    );
    assert_eq!(child.difference(&parent).to_value(), json!({"f:d": {}}));
    assert_eq!(
        parent.intersection(&child).to_value(),
        json!({"f:a": {"f:b": {}}})
    );
    assert!(!child.has(&[PathElement::field("a")]));
    assert!(parent.has(&[PathElement::field("a")]));
    assert!(child.has(&[PathElement::field("a"), PathElement::field("b")]));
}

#[test]
fn paths_come_members_first() {
    let set = set(
        json!({"f:spec": {"f:replicas": {}, "f:ports": {"k:{\"name\":\"x\"}": {"f:port": {}}}}}),
    );
    let paths: Vec<String> = set
        .paths()
        .iter()
        .map(|path| path.iter().map(ToString::to_string).collect())
        .collect();
    assert_eq!(paths, [".spec.replicas", ".spec.ports[name=\"x\"].port"]);
}

#[test]
fn sets_are_compared_with_fields_v1_without_reading_it() {
    let own = json!({"f:a": {".": {}, "f:b": {}}, "f:c": {"f:d": {}}});
    let key = &mut String::new();
    let meets = |value: Value, key: &mut String| set(value).meets(&own, key);
    assert!(meets(json!({"f:a": {}}), key));
    assert!(meets(json!({"f:x": {}, "f:c": {"f:d": {}}}), key));
    assert!(!meets(json!({"f:c": {}}), key));
    assert!(!meets(json!({"f:a": {"f:x": {}}}), key));
    assert!(set(json!({"f:a": {"f:b": {}}, "f:c": {"f:d": {}}})).is_within(&own, key));
    assert!(!set(json!({"f:c": {".": {}, "f:d": {}}})).is_within(&own, key));
}
