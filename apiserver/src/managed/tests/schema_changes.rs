//! A definition changes its mind about what is atomic.

use serde_json::json;

use super::*;

/// The widget with another `opts`, `ports` and `selector`.
fn changed(opts: Value, ports: Value, selector: Value) -> Schema {
    schema(
        &json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "replicas": {"type": "integer"}, "opts": opts, "ports": ports, "selector": selector}}}}),
    )
}

fn atomic() -> Schema {
    let texts = json!({"type": "string"});
    changed(
        json!({"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": texts, "b": texts}}),
        json!({"type": "array", "items": {"type": "object", "properties": {"name": texts, "port": {"type": "integer"}}}}),
        json!({"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": texts}),
    )
}

fn granular() -> Schema {
    let texts = json!({"type": "string"});
    changed(
        json!({"type": "object", "properties": {"a": texts, "b": texts}}),
        json!({"type": "array"}),
        json!({"type": "object", "additionalProperties": texts}),
    )
}

#[test]
fn who_owned_a_part_owns_all_of_what_is_atomic_now() {
    let spec = json!({"replicas": 1, "opts": {"a": "1"}, "ports": [{"name": "x", "port": 1}]});
    let live = applied(None, "one", spec).unwrap();
    let other = config(json!({"opts": {"b": "2"}}));
    let refused = apply(&atomic(), Some(&live), &other, &options("two")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Apply failed with 1 conflict: conflict with \"one\": .spec.opts"
    );
    let forced = ApplyOptions {
        force: true,
        ..options("two")
    };
    let new = apply(&atomic(), Some(&live), &other, &forced).unwrap();
    assert_eq!(new["spec"]["opts"], json!({"b": "2"}));
    assert_eq!(
        owned(&new, "one"),
        json!({"f:spec": {"f:ports": {}, "f:replicas": {}}})
    );
    assert_eq!(owned(&new, "two"), json!({"f:spec": {"f:opts": {}}}));
}

#[test]
fn an_update_brings_the_entries_up_to_the_schema() {
    let live = applied(None, "one", json!({"replicas": 1, "opts": {"a": "1"}})).unwrap();
    let mut new = live.clone();
    new["spec"]["replicas"] = json!(2);
    update(&atomic(), Some(&live), &mut new, &updater("editor"));
    assert_eq!(owned(&new, "one"), json!({"f:spec": {"f:opts": {}}}));
    assert_eq!(owned(&new, "editor"), json!({"f:spec": {"f:replicas": {}}}));
    // Even if the update itself changes nothing.
    let mut same = live.clone();
    update(&atomic(), Some(&live), &mut same, &updater("editor"));
    assert_eq!(
        owned(&same, "one"),
        json!({"f:spec": {"f:opts": {}, "f:replicas": {}}})
    );
}

#[test]
fn who_lost_all_parts_owns_nothing_of_what_is_atomic_now() {
    let live = applied(None, "one", json!({"opts": {"a": "1"}})).unwrap();
    let forced = ApplyOptions {
        force: true,
        ..options("two")
    };
    let live = apply(
        &widget(),
        Some(&live),
        &config(json!({"opts": {"a": "2"}})),
        &forced,
    )
    .unwrap();
    let other = config(json!({"opts": {"b": "2"}}));
    let refused = apply(&atomic(), Some(&live), &other, &options("three")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Apply failed with 1 conflict: conflict with \"two\": .spec.opts"
    );
}

#[test]
fn what_was_atomic_is_taken_as_if_it_had_never_been() {
    let live = applied(None, "one", json!({"selector": {"a": "1", "b": "1"}})).unwrap();
    assert_eq!(owned(&live, "one"), json!({"f:spec": {"f:selector": {}}}));
    let other = config(json!({"selector": {"a": "2"}}));
    let new = apply(&granular(), Some(&live), &other, &options("two")).unwrap();
    assert_eq!(new["spec"]["selector"], json!({"a": "2", "b": "1"}));
    assert_eq!(owned(&new, "one"), json!({"f:spec": {"f:selector": {}}}));
    assert_eq!(
        owned(&new, "two"),
        json!({"f:spec": {"f:selector": {"f:a": {}}}})
    );
}

#[test]
fn fields_that_the_schema_lost_do_no_harm() {
    let live = applied(
        None,
        "one",
        json!({"name": "x", "opts": {"deep": {"x": 1}, "a": "1"}}),
    )
    .unwrap();
    let mut new = live.clone();
    new["spec"]["replicas"] = json!(2);
    update(&granular(), Some(&live), &mut new, &updater("editor"));
    assert_eq!(owned(&new, "one"), owned(&live, "one"));
}
