//! RFC 7386.

use serde_json::json;

use crate::patch::merge::{apply, check};

#[test]
fn the_examples_of_the_rfc() {
    let cases = [
        (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
        (
            json!({"a": "b"}),
            json!({"b": "c"}),
            json!({"a": "b", "b": "c"}),
        ),
        (json!({"a": "b"}), json!({"a": null}), json!({})),
        (
            json!({"a": "b", "b": "c"}),
            json!({"a": null}),
            json!({"b": "c"}),
        ),
        (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
        (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
        (
            json!({"a": {"b": "c"}}),
            json!({"a": {"b": "d", "c": null}}),
            json!({"a": {"b": "d"}}),
        ),
        (
            json!({"a": [{"b": "c"}]}),
            json!({"a": [1]}),
            json!({"a": [1]}),
        ),
        (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
        (json!({"a": "b"}), json!(["c"]), json!(["c"])),
        (json!({"a": "foo"}), json!(null), json!(null)),
        (
            json!({"e": null}),
            json!({"a": 1}),
            json!({"e": null, "a": 1}),
        ),
        (
            json!([1, 2]),
            json!({"a": "b", "c": null}),
            json!({"a": "b"}),
        ),
        (
            json!({}),
            json!({"a": {"bb": {"ccc": null}}}),
            json!({"a": {"bb": {}}}),
        ),
        (json!({"a": 1}), json!({"a": [null]}), json!({"a": [null]})),
    ];
    for (doc, patch, expected) in cases {
        assert_eq!(apply(&doc, &patch), expected, "{doc} {patch}");
    }
}

#[test]
fn nulls_of_objects_in_new_lists_are_dropped() {
    let cases = [
        (
            json!({}),
            json!({"l": [{"a": 1, "b": null}]}),
            json!({"l": [{"a": 1}]}),
        ),
        (
            json!({"l": [1]}),
            json!({"l": [{"b": null}, null]}),
            json!({"l": [{}, null]}),
        ),
        (
            json!({"l": {}}),
            json!({"l": [{"b": null}]}),
            json!({"l": [{"b": null}]}),
        ),
    ];
    for (doc, patch, expected) in cases {
        assert_eq!(apply(&doc, &patch), expected, "{doc} {patch}");
    }
}

#[test]
fn only_objects_are_patches() {
    assert_eq!(check(&json!({})), Ok(()));
    assert_eq!(
        check(&json!([1])).unwrap_err().to_string(),
        "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"
    );
}
