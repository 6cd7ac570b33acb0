//! Equality and the three-way merge, case by case.

#![allow(clippy::unwrap_used)]

mod status_support;

use opgen_runtime::status::{MachinePaths, Rules, normalise, semantically_equal, three_way};
use serde_json::{Value, json};
use status_support::{NESTED, rules};

fn defaults() -> Rules {
    rules(MachinePaths::DEFAULT)
}

#[track_caller]
fn equal(a: &Value, b: &Value) {
    let rules = defaults();
    assert!(semantically_equal(&rules, a, b), "{a} = {b}");
    assert!(semantically_equal(&rules, b, a), "{b} = {a}");
    assert_eq!(normalise(&rules, a), normalise(&rules, b));
}

#[track_caller]
fn differ(a: &Value, b: &Value) {
    let rules = defaults();
    assert!(!semantically_equal(&rules, a, b), "{a} != {b}");
    assert!(!semantically_equal(&rules, b, a), "{b} != {a}");
    assert_ne!(normalise(&rules, a), normalise(&rules, b));
}

#[test]
fn nil_is_empty_at_any_depth() {
    for nil in [
        json!(null),
        json!({}),
        json!([]),
        json!({"b": []}),
        json!({"b": {"c": null}}),
    ] {
        equal(&json!({ "a": nil }), &json!({}));
    }
    for value in [
        json!(0),
        json!(false),
        json!(""),
        json!([null]),
        json!([[]]),
    ] {
        differ(&json!({ "a": value }), &json!({}));
    }
}

#[test]
fn quantities_and_times_compare_by_value_only_where_a_rule_says_so() {
    equal(&json!({"cpu": "1000m"}), &json!({"cpu": "1"}));
    equal(&json!({"cpu": 1}), &json!({"cpu": "1"}));
    differ(&json!({"cpu": "1000m"}), &json!({"cpu": "1Ki"}));
    differ(&json!({"other": "1000m"}), &json!({"other": "1"}));
    equal(
        &json!({"at": "2026-01-02T03:04:05Z"}),
        &json!({"at": "2026-01-02T03:04:05.000Z"}),
    );
    equal(
        &json!({"at": "2026-01-02T03:04:05Z"}),
        &json!({"at": "2026-01-02T05:04:05+02:00"}),
    );
    differ(
        &json!({"at": "2026-01-02T03:04:05Z"}),
        &json!({"at": "2026-01-02T03:04:05.001Z"}),
    );
    differ(
        &json!({"free": "2026-01-02T03:04:05Z"}),
        &json!({"free": "2026-01-02T03:04:05.000Z"}),
    );
    differ(&json!({"at": "soon"}), &json!({"at": "later"}));
    equal(&json!({"n": 1.0}), &json!({"n": 1}));
    differ(&json!({"n": 1.5}), &json!({"n": 1}));
}

#[test]
fn list_maps_compare_by_key_in_no_order() {
    let (a, b) = (json!({"name": "a", "cpu": "1"}), json!({"name": "b"}));
    equal(
        &json!({"parts": [a, b]}),
        &json!({"parts": [b, {"name": "a", "cpu": "1000m"}]}),
    );
    differ(&json!({"parts": [a]}), &json!({"parts": [b]}));
    differ(&json!({"parts": [a, b]}), &json!({"parts": [a]}));
    differ(&json!({"list": [a, b]}), &json!({"list": [b, a]}));
    // A repeated key makes it an ordinary list.
    differ(&json!({"parts": [a, a, b]}), &json!({"parts": [b, a, a]}));
}

#[test]
fn volatile_fields_do_not_count() {
    equal(&json!({"vol": 1, "deep": {"vol": 2}}), &json!({"vol": 3}));
    equal(
        &json!({"parts": [{"name": "a", "seen": 1}]}),
        &json!({"parts": [{"name": "a"}]}),
    );
    differ(&json!({"vol": 1, "deep": {"x": 2}}), &json!({"vol": 1}));
    // Somebody else's transition time alone is no news either.
    let condition = |time: &str| json!({"conditions": [{"type": "X", "status": "True", "lastTransitionTime": time}]});
    equal(
        &condition("2026-01-01T00:00:00Z"),
        &condition("2026-01-02T00:00:00Z"),
    );
}

#[track_caller]
fn merges(server: Value, before: Value, after: Value, expected: &Value) {
    assert_eq!(
        three_way(&defaults(), Some(&server), &before, &after),
        *expected
    );
}

#[test]
fn what_the_type_does_not_know_stays() {
    merges(
        json!({"a": 1, "foreign": {"x": 1}, "deep": {"y": 1, "foreign": 2}}),
        json!({"a": 1, "deep": {"y": 1}}),
        json!({"a": 2, "deep": {"y": 2}}),
        &json!({"a": 2, "foreign": {"x": 1}, "deep": {"y": 2, "foreign": 2}}),
    );
}

#[test]
fn what_was_cleared_goes() {
    let server = json!({"error": "old", "keep": 1});
    for after in [json!({"keep": 1}), json!({"keep": 1, "error": null})] {
        merges(server.clone(), server.clone(), after, &json!({"keep": 1}));
    }
    // An empty list that the type still writes may be required by the schema.
    merges(
        json!({"l": [1]}),
        json!({"l": [1]}),
        json!({"l": []}),
        &json!({"l": []}),
    );
    merges(json!({"l": [1]}), json!({"l": [1]}), json!({}), &json!({}));
}

#[test]
fn what_the_handler_did_not_touch_is_the_servers() {
    merges(
        json!({"a": 5, "cpu": "1000m"}),
        json!({"a": 1, "b": 1, "cpu": "1"}),
        json!({"a": 1, "b": 2, "cpu": "1"}),
        &json!({"a": 5, "b": 2, "cpu": "1000m"}),
    );
}

#[test]
fn other_forms_of_a_value_are_no_change() {
    let server = json!({"cpu": "1000m", "at": "2026-01-02T03:04:05Z", "x": 1});
    merges(
        server.clone(),
        server.clone(),
        json!({"cpu": "1", "at": "2026-01-02T03:04:05.000000Z", "x": 1, "l": []}),
        &server,
    );
}

#[test]
fn volatile_fields_ride_along_only() {
    let before = json!({"vol": 1, "x": 1});
    merges(
        before.clone(),
        before.clone(),
        json!({"vol": 2, "x": 1}),
        &before,
    );
    let both = json!({"vol": 2, "x": 2});
    merges(before.clone(), before, both.clone(), &both);
}

#[test]
fn list_maps_merge_by_key_and_other_lists_are_replaced() {
    merges(
        json!({"parts": [{"name": "foreign"}, {"name": "a", "n": 1, "foreign": 1}, {"name": "b"}], "list": [1, 2]}),
        json!({"parts": [{"name": "a", "n": 1}, {"name": "b"}], "list": [1, 2]}),
        json!({"parts": [{"name": "c"}, {"name": "a", "n": 2}], "list": [2, 3]}),
        &json!({"parts": [{"name": "foreign"}, {"name": "a", "n": 2, "foreign": 1}, {"name": "c"}], "list": [2, 3]}),
    );
    // Cleared whole: only what the handler knew goes.
    merges(
        json!({"parts": [{"name": "foreign"}, {"name": "a"}]}),
        json!({"parts": [{"name": "a"}]}),
        json!({}),
        &json!({"parts": [{"name": "foreign"}]}),
    );
    merges(
        json!({"parts": [{"name": "a"}]}),
        json!({"parts": [{"name": "a"}]}),
        json!({}),
        &json!({}),
    );
}

#[test]
fn handlers_cannot_reach_what_the_runtime_owns() {
    let server = json!({
        "phase": "Steady", "phaseEnteredAt": "t", "observedGeneration": 3,
        "conditions": [
            {"type": "Ready", "status": "True"},
            {"type": "Mine", "status": "True", "lastTransitionTime": "old", "foreign": 1},
        ],
    });
    let mine = |status: &str| json!([{"type": "Ready", "status": "False"}, {"type": "Mine", "status": status, "lastTransitionTime": "new"}]);
    let after = |status| json!({"phase": "Hacked", "x": 1, "conditions": mine(status)});
    let mut expected = server.clone();
    expected["x"] = 1.into();
    let mut before = server.clone();
    before["conditions"][1]
        .as_object_mut()
        .unwrap()
        .remove("foreign");
    merges(server.clone(), before.clone(), after("True"), &expected);
    // A condition of the author's own moves, its time too when its status flips.
    expected["conditions"][1]["status"] = "False".into();
    expected["conditions"][1]["lastTransitionTime"] = "new".into();
    merges(server.clone(), before, after("False"), &expected);
    // A status reset to its default leaves the runtime's part.
    let part = json!({
        "phase": "Steady", "phaseEnteredAt": "t", "observedGeneration": 3,
        "conditions": [{"type": "Ready", "status": "True"}],
    });
    merges(server.clone(), server, json!({}), &part);
}

#[test]
fn a_parent_of_the_runtimes_fields_is_never_cleared_whole() {
    let rules = rules(NESTED);
    let server = json!({"opgen": {"phase": "P", "note": 1, "conditions": [{"type": "Ready"}, {"type": "Mine"}]}});
    let expected = json!({"opgen": {"phase": "P", "conditions": [{"type": "Ready"}]}});
    assert_eq!(
        three_way(&rules, Some(&server), &server, &json!({})),
        expected
    );
}

#[test]
fn a_first_status_is_written_whole_without_nulls() {
    let after = json!({"phase": "X", "list": [], "none": null, "deep": {"none": null, "n": 0}, "conditions": [{"type": "Ready"}]});
    let expected = json!({"list": [], "deep": {"n": 0}});
    for server in [None, Some(&Value::Null)] {
        assert_eq!(three_way(&defaults(), server, &after, &after), expected);
    }
}
