//! RFC 6902, and where the real server leaves it.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::patch::json::{MAX_OPERATIONS, apply};

fn doc() -> Value {
    json!({"spec": {"replicas": 2, "tags": ["x", "y"], "opts": {"a": "1"}, "none": null}, "labels": {"a/b": "s", "m~n": "t"}})
}

fn changed(ops: Value, pointer: &str) -> Value {
    apply(&doc(), &ops)
        .unwrap()
        .pointer(pointer)
        .cloned()
        .unwrap_or(json!("<absent>"))
}

#[test]
fn operations_that_apply() {
    let cases = [
        (
            json!([{"op": "add", "path": "/spec/opts/b", "value": "2"}]),
            "/spec/opts",
            json!({"a": "1", "b": "2"}),
        ),
        (
            json!([{"op": "add", "path": "/spec/tags/1", "value": "m"}]),
            "/spec/tags",
            json!(["x", "m", "y"]),
        ),
        (
            json!([{"op": "add", "path": "/spec/tags/-", "value": "e"}]),
            "/spec/tags",
            json!(["x", "y", "e"]),
        ),
        (
            json!([{"op": "add", "path": "/spec/tags/2", "value": "e"}]),
            "/spec/tags",
            json!(["x", "y", "e"]),
        ),
        (
            json!([{"op": "add", "path": "/spec/tags/-1", "value": "e"}]),
            "/spec/tags",
            json!(["x", "y", "e"]),
        ),
        (
            json!([{"op": "remove", "path": "/spec/tags/0"}]),
            "/spec/tags",
            json!(["y"]),
        ),
        (
            json!([{"op": "remove", "path": "/spec/tags/-1"}]),
            "/spec/tags",
            json!(["x"]),
        ),
        (
            json!([{"op": "replace", "path": "/spec/replicas", "value": 3}]),
            "/spec/replicas",
            json!(3),
        ),
        (
            json!([{"op": "replace", "path": "/spec/fresh", "value": 3}]),
            "/spec/fresh",
            json!(3),
        ),
        (
            json!([{"op": "replace", "path": "", "value": {"x": 1}}]),
            "",
            json!({"x": 1}),
        ),
        (
            json!([{"op": "replace", "path": "/labels/a~1b", "value": "n"}]),
            "/labels/a~1b",
            json!("n"),
        ),
        (
            json!([{"op": "replace", "path": "/labels/m~0n", "value": "n"}]),
            "/labels/m~0n",
            json!("n"),
        ),
        (
            json!([{"op": "move", "from": "/spec/opts/a", "path": "/spec/name"}]),
            "/spec/name",
            json!("1"),
        ),
        (
            json!([{"op": "copy", "from": "/spec/opts", "path": "/spec/more"}]),
            "/spec/more",
            json!({"a": "1"}),
        ),
        (
            json!([{"op": "copy", "from": "/spec/nosuch", "path": "/spec/more"}]),
            "/spec/more",
            json!(null),
        ),
        (
            json!([{"op": "test", "path": "/spec/replicas", "value": 2}]),
            "/spec/replicas",
            json!(2),
        ),
        (
            json!([{"op": "test", "path": "/spec/nosuch", "value": null}]),
            "/spec/nosuch",
            json!("<absent>"),
        ),
        (
            json!([{"op": "test", "path": "/spec/none", "value": null}]),
            "/spec/none",
            json!(null),
        ),
        (
            json!([{"op": "test", "path": "/spec/nosuch"}]),
            "/spec/nosuch",
            json!("<absent>"),
        ),
        (json!([]), "/spec/replicas", json!(2)),
        (json!(null), "/spec/replicas", json!(2)),
    ];
    for (ops, pointer, expected) in cases {
        assert_eq!(changed(ops.clone(), pointer), expected, "{ops}");
    }
}

#[test]
fn operations_that_do_not_apply() {
    let cases = [
        json!({"op": "test", "path": "/spec/replicas", "value": 99}),
        json!({"op": "test", "path": "/spec/nosuch", "value": 1}),
        json!({"op": "test", "path": "/nosuch/x", "value": null}),
        json!({"op": "test", "path": "/spec/tags/9", "value": null}),
        json!({"op": "test", "path": "/spec/replicas"}),
        json!({"op": "add", "path": "/spec/tags/9", "value": "q"}),
        json!({"op": "add", "path": "/spec/tags/x", "value": "q"}),
        json!({"op": "add", "path": "/spec/tags/-4", "value": "q"}),
        json!({"op": "add", "path": "/annotations/x", "value": "1"}),
        json!({"op": "add", "path": "/spec/replicas/x", "value": "1"}),
        json!({"op": "add", "path": "", "value": {}}),
        json!({"op": "add", "path": "spec", "value": {}}),
        json!({"op": "add", "value": {}}),
        json!({"op": "remove", "path": "/spec/nosuch"}),
        json!({"op": "remove", "path": "/spec/tags/-"}),
        json!({"op": "replace", "path": "/nosuch/x", "value": 1}),
        json!({"op": "replace", "path": "/spec/tags/2", "value": 1}),
        json!({"op": "replace", "path": "", "value": 1}),
        json!({"op": "move", "from": "/spec/nosuch", "path": "/spec/x"}),
        json!({"op": "copy", "from": "/nosuch/x", "path": "/spec/x"}),
        json!({"op": "frob", "path": "/spec"}),
        json!(null),
    ];
    for op in cases {
        assert_eq!(apply(&doc(), &json!([op])).unwrap_err().code(), 422, "{op}");
    }
}

#[test]
fn a_failure_undoes_what_went_before() {
    let original = doc();
    let ops =
        json!([{"op": "remove", "path": "/spec"}, {"op": "test", "path": "/spec", "value": 1}]);
    assert!(apply(&original, &ops).is_err());
    assert_eq!(original, doc());
}

#[test]
fn malformed_patches_are_bad_requests() {
    let cases = [
        (
            json!({"op": "test"}),
            "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
        ),
        (
            json!("x"),
            "json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp",
        ),
        (
            json!([1]),
            "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
        ),
        (
            json!([{"op": 1}]),
            "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
        ),
    ];
    for (ops, expected) in cases {
        let error = apply(&doc(), &ops).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string()),
            (400, format!("error decoding patch: {expected}"))
        );
    }
}

#[test]
fn the_number_of_operations_is_limited() {
    let ops = |count| {
        Value::from(vec![
            json!({"op": "test", "path": "/labels/x", "value": null});
            count
        ])
    };
    assert!(apply(&doc(), &ops(MAX_OPERATIONS)).is_ok());
    let error = apply(&doc(), &ops(MAX_OPERATIONS + 1)).unwrap_err();
    assert_eq!(error.code(), 413);
    assert_eq!(
        error.to_string(),
        "The allowed maximum operations in a JSON patch is 10000, got 10001"
    );
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..5i64).prop_map(Value::from),
        "[a-c/~]{0,2}".prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c/~]{1,2}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// The operations that lead from one value to another.
fn diff(path: &str, from: &Value, to: &Value, ops: &mut Vec<Value>) {
    let step = |name: &str| format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
    match (from, to) {
        (Value::Object(from), Value::Object(to)) => {
            ops.extend(
                from.keys()
                    .filter(|k| !to.contains_key(*k))
                    .map(|k| json!({"op": "remove", "path": step(k)})),
            );
            for (name, value) in to {
                match from.get(name) {
                    Some(old) => diff(&step(name), old, value, ops),
                    None => ops.push(json!({"op": "add", "path": step(name), "value": value})),
                }
            }
        }
        (Value::Array(from), Value::Array(to)) => {
            ops.extend((to.len()..from.len()).map(|_| json!({"op": "remove", "path": step("-1")})));
            for (index, value) in to.iter().enumerate() {
                match from.get(index) {
                    Some(old) => diff(&step(&index.to_string()), old, value, ops),
                    None => ops.push(json!({"op": "add", "path": step("-"), "value": value})),
                }
            }
        }
        _ if from == to => ops.push(json!({"op": "test", "path": path, "value": to})),
        _ => ops.push(json!({"op": "replace", "path": path, "value": to})),
    }
}

proptest! {
    #[test]
    fn a_diff_leads_where_it_should(from in value(), to in value()) {
        let wrap = |value: Value| Value::Object(Map::from_iter([("x".to_owned(), value)]));
        let (from, to) = (wrap(from), wrap(to));
        let mut ops = Vec::new();
        diff("", &from, &to, &mut ops);
        prop_assert_eq!(apply(&from, &Value::from(ops)).unwrap(), to);
    }
}
