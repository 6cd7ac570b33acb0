//! CEL rules of a schema: when they run, what they see, what they say.
#![allow(clippy::unwrap_used)]

use opgen_apiserver::schema::{NOT_IMPLEMENTED, Schema, causes_text, validate};
use serde_json::{Value, json};

fn schema(node: Value) -> Schema {
    Schema::parse(&json!({"type": "object", "properties": {"spec": node}})).unwrap()
}

fn message(schema: &Schema, new: Value, old: Option<Value>) -> String {
    let old = old.map(|old| json!({"spec": old}));
    causes_text(&validate(schema, &json!({"spec": new}), old.as_ref()))
}

fn rule(kind: &str, rule: Value) -> Schema {
    schema(json!({"type": kind, "x-kubernetes-validations": [rule]}))
}

#[test]
fn rules_say_what_the_server_says() {
    for (schema, new, old, wanted) in [
        (
            rule(
                "string",
                json!({"rule": "self == oldSelf", "message": "frozen is immutable"}),
            ),
            json!("g"),
            Some(json!("f")),
            "spec: Invalid value: \"g\": frozen is immutable",
        ),
        (
            rule(
                "integer",
                json!({
                    "rule": "self >= oldSelf",
                    "messageExpression": "self < 0 ? \"must not be negative\" : \"must not shrink\"",
                    "reason": "FieldValueForbidden"
                }),
            ),
            json!(1),
            Some(json!(2)),
            "spec: Forbidden: must not shrink",
        ),
        (
            rule("integer", json!({"rule": "self > 3"})),
            json!(1),
            None,
            "spec: Invalid value: 1: failed rule: self > 3",
        ),
        (
            schema(json!({
                "type": "array", "maxItems": 5, "items": {"type": "string"},
                "x-kubernetes-validations": [
                    {"rule": "self.all(x, x.startsWith(\"n\"))", "message": "names start with n"}]
            })),
            json!(["n1", "m"]),
            None,
            "spec: Invalid value: names start with n",
        ),
        (
            schema(json!({
                "type": "object", "properties": {"a": {"type": "string"}, "b-c": {"type": "string"}},
                "x-kubernetes-validations": [
                    {"rule": "self.a == self.b__dash__c", "message": "differ", "fieldPath": ".a"}]
            })),
            json!({"a": "x", "b-c": "y"}),
            None,
            "spec.a: Invalid value: differ",
        ),
        (
            schema(json!({
                "type": "object",
                "additionalProperties": {"type": "integer",
                                         "x-kubernetes-validations": [{"rule": "self < 2", "message": "small"}]}
            })),
            json!({"k": 3}),
            None,
            "spec[k]: Invalid value: 3: small",
        ),
        (
            schema(
                json!({"type": "object", "properties": {"t": {"type": "string", "format": "duration",
                "x-kubernetes-validations": [{"rule": "self <= duration('1h')", "message": "at most an hour"}]}}}),
            ),
            json!({"t": "90m"}),
            None,
            "spec.t: Invalid value: \"90m\": at most an hour",
        ),
    ] {
        assert_eq!(message(&schema, new, old), wanted);
    }
}

#[test]
fn transition_rules_run_where_an_old_value_is_known() {
    let frozen = rule("string", json!({"rule": "self == oldSelf"}));
    assert_eq!(message(&frozen, json!("a"), None), "[]", "not on create");
    let optional = rule(
        "string",
        json!({"rule": "!oldSelf.hasValue() || oldSelf.value() == self", "optionalOldSelf": true, "message": "fixed"}),
    );
    assert_eq!(message(&optional, json!("a"), None), "[]");
    assert_eq!(
        message(&optional, json!("a"), Some(json!("b"))),
        "spec: Invalid value: \"a\": fixed"
    );
}

#[test]
fn items_of_a_list_map_are_followed_by_their_keys() {
    let ports = schema(json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"},
            "port": {"type": "integer", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed"}]}
        }}
    }));
    let old = json!([{"name": "a", "port": 1}, {"name": "b", "port": 2}]);
    let moved =
        json!([{"name": "new", "port": 9}, {"name": "b", "port": 2}, {"name": "a", "port": 1}]);
    assert_eq!(message(&ports, moved, Some(old.clone())), "[]");
    let changed = json!([{"name": "b", "port": 3}]);
    assert_eq!(
        message(&ports, changed, Some(old)),
        "spec[0].port: Invalid value: 3: fixed"
    );
}

#[test]
fn the_whole_object_has_its_name_and_nothing_more_of_metadata() {
    let named = Schema::parse(&json!({
        "type": "object",
        "x-kubernetes-validations": [{"rule": "self.metadata.name.size() < 4", "message": "a short name, please"}]
    }))
    .unwrap();
    let object = json!({"metadata": {"name": "lengthy", "uid": "u"}});
    assert_eq!(
        causes_text(&validate(&named, &object, None)),
        "<nil>: Invalid value: a short name, please"
    );
}

#[test]
fn faulty_rules_are_refused_when_the_schema_is_parsed() {
    for (node, wanted) in [
        (
            json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self.nosuch > 1"}]}),
            "FieldValueInvalid",
        ),
        (
            json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self >"}]}),
            "FieldValueInvalid",
        ),
        (
            json!({"type": "integer", "x-kubernetes-validations": [{"rule": "unknown(self)"}]}),
            "FieldValueInvalid",
        ),
        (
            json!({"type": "integer", "x-kubernetes-validations": [{"rule": "other == 1"}]}),
            "FieldValueInvalid",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}},
                   "x-kubernetes-validations": [{"rule": "self.b == ''"}]}),
            "FieldValueInvalid",
        ),
        (
            json!({"type": "array", "items": {"type": "integer"},
                   "x-kubernetes-validations": [{"rule": "self.sortBy(x, x) == self"}]}),
            NOT_IMPLEMENTED,
        ),
        (
            json!({"type": "array", "items": {"type": "integer"},
                   "x-kubernetes-validations": [{"rule": "self.all(i, v, v > i)"}]}),
            NOT_IMPLEMENTED,
        ),
        (
            json!({"type": "string", "pattern": "("}),
            "FieldValueInvalid",
        ),
    ] {
        let causes =
            Schema::parse(&json!({"type": "object", "properties": {"spec": node}})).unwrap_err();
        assert_eq!(causes[0].reason, wanted, "{causes:?}");
        assert!(
            causes[0]
                .field
                .starts_with("openAPIV3Schema.properties[spec]."),
            "{causes:?}"
        );
    }
}
