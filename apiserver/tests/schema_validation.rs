//! Values against a schema: the texts are those that a kube-apiserver v1.36.2 gave.
#![allow(clippy::unwrap_used)]

use opgen_apiserver::schema::{Schema, causes_text, default, prune, validate, validate_status};
use serde_json::{Value, json};

const UNCHECKED: &str = "<nil>: Invalid value: null: some validation rules were not checked because the object was \
                         invalid; correct the existing errors to complete validation";

fn widget() -> Schema {
    let spec = json!({
        "type": "object",
        "required": ["size"],
        "properties": {
            "size": {"type": "integer", "minimum": 1, "maximum": 5},
            "ratio": {"type": "number", "exclusiveMinimum": true, "minimum": 0, "multipleOf": 0.5},
            "mode": {"type": "string", "enum": ["on", "off"]},
            "code": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z]+$"},
            "list": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
            "uniq": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 2},
            "min": {"type": "integer"},
            "max": {"type": "integer"},
            "when": {"type": "string", "format": "date-time"},
            "addr": {"type": "string", "format": "ipv4"},
            "big": {"type": "integer", "format": "int32"},
            "flag": {"type": "boolean"},
            "maybe": {"type": "string", "nullable": true},
            "iors": {"x-kubernetes-int-or-string": true},
            "choice": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}]
            },
            "some": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
                "not": {"required": ["a", "b"]}
            },
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["id"],
                    "properties": {"id": {"type": "string", "minLength": 1}, "n": {"type": "integer"}}
                }
            },
            "pairs": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["k", "s"],
                    "properties": {"k": {"type": "string"}, "s": {"type": "integer"}, "v": {"type": "string"}}
                },
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k", "s"]
            },
            "tmpl": {
                "type": "object",
                "x-kubernetes-embedded-resource": true,
                "x-kubernetes-preserve-unknown-fields": true
            }
        },
        "x-kubernetes-validations": [
            {"rule": "!has(self.min) || !has(self.max) || self.min <= self.max", "message": "min must not exceed max"}
        ]
    });
    Schema::parse(&json!({"type": "object", "properties": {"spec": spec}})).unwrap()
}

/// The message for a spec, the causes sorted; `None` if it is valid. `!` stands for the cause about unchecked rules.
fn message(schema: &Schema, spec: Value, old: Option<Value>) -> Option<String> {
    let mut object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "x"}, "spec": spec});
    prune(schema, &mut object);
    default(schema, &mut object);
    let old = old.map(|spec| json!({"spec": spec}));
    let mut causes = validate(schema, &object, old.as_ref());
    causes.sort_by_key(opgen_apiserver::schema::Cause::line);
    (!causes.is_empty()).then(|| causes_text(&causes).replace(UNCHECKED, "!"))
}

#[test]
fn a_valid_object_has_no_causes() {
    let schema = widget();
    for spec in [
        json!({"size": 3, "ratio": 1.5, "mode": "on", "code": "abc", "list": ["a"], "uniq": ["a", "b"], "map": {"a": 1},
               "min": 1, "max": 2, "when": "2020-01-02T03:04:05Z", "addr": "10.0.0.1", "big": 5, "flag": true,
               "maybe": null, "iors": "50%", "choice": {"a": 1}, "items": [{"id": "i"}],
               "pairs": [{"k": "a", "s": 1}, {"k": "a", "s": 2}]}),
        json!({"size": 1.0}),
        json!({"size": 1, "flag": null}),
        json!({"size": 1, "iors": 5}),
        Value::Null,
    ] {
        assert_eq!(message(&schema, spec.clone(), None), None, "{spec}");
    }
}

#[test]
fn invalid_values_are_named_as_the_server_names_them() {
    let schema = widget();
    for (spec, wanted) in [
        (json!({}), "[!, spec.size: Required value]"),
        (
            json!("x"),
            "[!, spec: Invalid value: \"string\": spec in body must be of type object: \"string\"]",
        ),
        (
            json!({"size": 0}),
            "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
        ),
        (
            json!({"size": 6}),
            "spec.size: Invalid value: 6: spec.size in body should be less than or equal to 5",
        ),
        (
            json!({"size": "1"}),
            "[!, spec.size: Invalid value: \"string\": spec.size in body must be of type integer: \"string\"]",
        ),
        (
            json!({"size": 1.5}),
            "[<nil>: Invalid value: \"\": Checked value must be of type integer (default format) in spec.size, !, \
             spec.size: Invalid value: \"number\": spec.size in body must be of type integer: \"number\"]",
        ),
        (
            json!({"size": 1, "ratio": 0}),
            "[spec.ratio: Invalid value: 0: factor MultipleOf declared for spec.ratio must be positive: 0, spec.ratio: \
             Invalid value: 0: spec.ratio in body should be greater than 0]",
        ),
        (
            json!({"size": 1, "ratio": 0.7}),
            "spec.ratio: Invalid value: 0.7: spec.ratio in body should be a multiple of 0.5",
        ),
        (
            json!({"size": 1, "mode": "maybe"}),
            "[!, spec.mode: Unsupported value: \"maybe\": supported values: \"on\", \"off\"]",
        ),
        (
            json!({"size": 1, "code": "a"}),
            "spec.code: Invalid value: \"a\": spec.code in body should be at least 2 chars long",
        ),
        (
            json!({"size": 1, "code": "TOOLONG"}),
            "[!, spec.code: Too long: may not be more than 4 bytes]",
        ),
        (
            json!({"size": 1, "code": "A1"}),
            "spec.code: Invalid value: \"A1\": spec.code in body should match '^[a-z]+$'",
        ),
        (
            json!({"size": 1, "list": []}),
            "spec.list: Invalid value: 0: spec.list in body should have at least 1 items",
        ),
        (
            json!({"size": 1, "list": ["a", "b", "c", "d"]}),
            "[!, spec.list: Too many: 4: must have at most 3 items]",
        ),
        (
            json!({"size": 1, "uniq": ["a", "a"]}),
            "spec.uniq[1]: Duplicate value: \"a\"",
        ),
        (
            json!({"size": 1, "map": {"a": "x"}}),
            "[!, spec.map.a: Invalid value: \"string\": spec.map.a in body must be of type integer: \"string\"]",
        ),
        (
            json!({"size": 1, "when": "yesterday"}),
            "[!, spec.when: Invalid value: \"yesterday\": spec.when in body must be of type date-time: \"yesterday\"]",
        ),
        (
            json!({"size": 1, "big": 3_000_000_000_i64}),
            "<nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in spec.big",
        ),
        (
            json!({"size": 1, "iors": true}),
            "[!, spec.iors: Invalid value: \"boolean\": spec.iors in body must be of type integer,string: \"boolean\"]",
        ),
        (
            json!({"size": 1, "choice": {}}),
            "[<nil>: Invalid value: \"\": \"spec.choice\" must validate one and only one schema (oneOf). Found none \
             valid, !, spec.choice.a: Required value]",
        ),
        (
            json!({"size": 1, "choice": {"a": 1, "b": 1}}),
            "<nil>: Invalid value: \"\": \"spec.choice\" must validate one and only one schema (oneOf). Found 2 valid \
             alternatives",
        ),
        (
            json!({"size": 1, "some": {}}),
            "[<nil>: Invalid value: \"\": \"spec.some\" must validate at least one schema (anyOf), !, spec.some.a: \
             Required value]",
        ),
        (
            json!({"size": 1, "some": {"a": 1, "b": 1}}),
            "<nil>: Invalid value: \"\": \"spec.some\" must not validate the schema (not)",
        ),
        (
            json!({"size": 1, "items": [{"id": "i"}, {}]}),
            "[!, spec.items[1].id: Required value]",
        ),
        (
            json!({"size": 1, "pairs": [{"k": "a", "s": 1}, {"k": "b", "s": 1}, {"k": "a", "s": 1}]}),
            "spec.pairs[2]: Duplicate value: {\"k\":\"a\",\"s\":1}",
        ),
        (
            json!({"size": 1, "tmpl": {"apiVersion": "v1"}}),
            "[!, spec.tmpl.kind: Required value]",
        ),
        (
            json!({"size": 1, "min": 2, "max": 1}),
            "spec: Invalid value: min must not exceed max",
        ),
        (
            json!({"size": 9, "min": 2, "max": 1}),
            "[spec.size: Invalid value: 9: spec.size in body should be less than or equal to 5, spec: Invalid value: \
             min must not exceed max]",
        ),
    ] {
        assert_eq!(
            message(&schema, spec.clone(), None).as_deref(),
            Some(wanted),
            "{spec}"
        );
    }
}

#[test]
fn what_was_wrong_before_and_did_not_change_passes() {
    let schema = widget();
    let wrong = json!({"size": 9, "code": "ABC", "min": 2, "max": 1});
    assert_eq!(message(&schema, wrong.clone(), Some(wrong.clone())), None);
    let mut changed = wrong.clone();
    changed["flag"] = json!(true);
    assert_eq!(
        message(&schema, changed, Some(wrong)).as_deref(),
        Some("spec: Invalid value: min must not exceed max"),
        "the rule stands on spec, which changed; size and code did not"
    );
}

#[test]
fn unknown_fields_are_dropped_and_named() {
    let schema = Schema::parse(&json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "n": {"type": "integer"},
        "o": {"type": "object", "properties": {"x": {"type": "integer"}}},
        "l": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
            "known": {"type": "object", "properties": {"k": {"type": "integer"}}}}},
        "tmpl": {"type": "object", "x-kubernetes-embedded-resource": true,
                 "x-kubernetes-preserve-unknown-fields": true}
    }}}}))
    .unwrap();
    let mut object = json!({
        "apiVersion": "example.com/v1", "kind": "Widget", "top": 1,
        "metadata": {"name": "e", "bogus": "x", "ownerReferences": [{"uid": "u", "odd": 1}]},
        "spec": {
            "n": 1, "nosuch": 1, "o": {"deep": 2}, "l": [{"odd": 1}],
            "free": {"any": {"x": [1]}, "known": {"k": 1, "u": 2}},
            "tmpl": {"apiVersion": "v1", "kind": "Any", "metadata": {"name": "n", "bogus": 1}, "extra": {"a": 1}}
        }
    });
    assert_eq!(
        prune(&schema, &mut object),
        [
            "metadata.bogus",
            "metadata.ownerReferences[0].odd",
            "spec.free.known.u",
            "spec.l[0].odd",
            "spec.nosuch",
            "spec.o.deep",
            "spec.tmpl.metadata.bogus",
            "top"
        ]
    );
    assert_eq!(
        object["spec"],
        json!({
            "n": 1, "o": {}, "l": [{}], "free": {"any": {"x": [1]}, "known": {"k": 1}},
            "tmpl": {"apiVersion": "v1", "kind": "Any", "metadata": {"name": "n"}, "extra": {"a": 1}}
        })
    );
}

#[test]
fn defaults_fill_what_is_absent_or_null() {
    let schema = Schema::parse(&json!({"type": "object", "properties": {
        "spec": {"type": "object", "default": {}, "properties": {
            "n": {"type": "integer", "default": 7},
            "o": {"type": "object", "default": {}, "properties": {
                "x": {"type": "integer", "default": 1}, "y": {"type": "string"}}},
            "absent": {"type": "object", "properties": {"z": {"type": "boolean", "default": true}}},
            "l": {"type": "array", "items": {"type": "object", "properties": {
                "name": {"type": "string"}, "proto": {"type": "string", "default": "TCP"}}}},
            "m": {"type": "object", "additionalProperties": {"type": "object", "properties": {
                "d": {"type": "integer", "default": 3}}}},
            "nul": {"type": "string", "nullable": true, "default": "x"},
            "plain": {"type": "string"},
            "d": {"type": "array", "items": {"type": "integer"}, "default": [1, 2]}
        }},
        "status": {"type": "object", "default": {"phase": "New"}, "properties": {"phase": {"type": "string"}}}
    }}))
    .unwrap();
    let all = json!({"d": [1, 2], "n": 7, "nul": "x", "o": {"x": 1}});
    let mut nulls = all.clone();
    nulls["nul"] = Value::Null;
    let mut nested = all.clone();
    nested["o"]["y"] = json!("q");
    nested["absent"] = json!({"z": true});
    nested["l"] = json!([{"name": "a", "proto": "TCP"}, {"proto": "UDP"}]);
    nested["m"] = json!({"k1": {"d": 3}, "k2": {"d": 9}});
    for (given, wanted) in [
        (json!({}), all.clone()),
        (json!({"spec": {}}), all),
        (
            json!({"spec": {"n": null, "nul": null, "o": null, "d": null, "plain": null}}),
            nulls,
        ),
        (
            json!({"spec": {"o": {"y": "q"}, "absent": {}, "l": [{"name": "a"}, {"proto": "UDP"}],
                            "m": {"k1": {}, "k2": {"d": 9}}}}),
            nested,
        ),
    ] {
        let mut object = given.clone();
        default(&schema, &mut object);
        assert_eq!(
            object,
            json!({"spec": wanted, "status": {"phase": "New"}}),
            "{given}"
        );
    }
}

#[test]
fn of_a_status_update_only_the_status_is_checked_but_the_rules_all_run() {
    let schema = Schema::parse(&json!({"type": "object", "properties": {
        "spec": {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}},
                 "x-kubernetes-validations": [{"rule": "true"}]},
        "status": {"type": "object", "required": ["phase"], "properties": {"phase": {"type": "string"}}}
    }}))
    .unwrap();
    let message = |object: Value| causes_text(&validate_status(&schema, &object, None));
    assert_eq!(message(json!({"spec": {}, "status": {"phase": "p"}})), "[]");
    assert_eq!(
        message(json!({"spec": {}, "status": {}})),
        format!("[status.phase: Required value, {UNCHECKED}]")
    );
    assert_eq!(
        message(json!({"spec": {}, "status": {"phase": 1}})),
        format!(
            "[status.phase: Invalid value: \"integer\": phase in body must be of type string: \"integer\", {UNCHECKED}]"
        )
    );
}
