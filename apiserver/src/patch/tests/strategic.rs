//! Strategic merge patch on a Deployment, and on metadata.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::patch::PatchError;
use crate::patch::strategic::apply;
use crate::schema::{PatchStrategy, Schema, Type};

fn of(kind: Type) -> Schema {
    Schema {
        kind: Some(kind),
        ..Schema::default()
    }
}

fn object(fields: Vec<(&str, Schema)>) -> Schema {
    let properties: BTreeMap<String, Schema> = fields
        .into_iter()
        .map(|(name, field)| (name.to_owned(), field))
        .collect();
    Schema {
        properties,
        ..of(Type::Object)
    }
}

fn keyed(key: &str, item: Schema) -> Schema {
    Schema {
        items: Some(Box::new(item)),
        patch_merge_key: Some(key.to_owned()),
        patch_strategy: PatchStrategy::Merge,
        ..of(Type::Array)
    }
}

fn deployment() -> Schema {
    let string = || of(Type::String);
    let env = keyed(
        "name",
        object(vec![("name", string()), ("value", string())]),
    );
    let container = object(vec![("name", string()), ("image", string()), ("env", env)]);
    let args = Schema {
        items: Some(Box::new(string())),
        ..of(Type::Array)
    };
    object(vec![(
        "spec",
        object(vec![
            ("containers", keyed("name", container)),
            ("args", args),
            (
                "strategy",
                Schema {
                    patch_strategy: PatchStrategy::RetainKeys,
                    ..object(vec![("type", string())])
                },
            ),
        ]),
    )])
}

fn doc() -> Value {
    json!({
        "metadata": {"labels": {"a": "1", "b": "2"}, "finalizers": ["x/a"]},
        "spec": {
            "containers": [{"name": "one", "image": "i1", "env": [{"name": "X", "value": "1"}]}, {"name": "two", "image": "i2"}],
            "args": ["a"], "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}
        }
    })
}

fn patched(patch: Value) -> Result<Value, PatchError> {
    apply(&deployment(), &doc(), &patch)
}

fn containers(patch: Value) -> Vec<String> {
    let object = patched(json!({"spec": patch})).unwrap();
    let name = |item: &Value| {
        format!(
            "{}={}",
            item["name"].as_str().unwrap(),
            item["image"].as_str().unwrap_or("-")
        )
    };
    object["spec"]["containers"]
        .as_array()
        .unwrap()
        .iter()
        .map(name)
        .collect()
}

#[test]
fn lists_merge_by_key() {
    assert_eq!(
        containers(json!({"containers": [{"name": "two", "image": "i9"}]})),
        ["one=i1", "two=i9"]
    );
    assert_eq!(
        containers(json!({"containers": [{"name": "three", "image": "i3"}]})),
        ["three=i3", "one=i1", "two=i2"]
    );
    assert_eq!(
        containers(
            json!({"containers": [{"name": "two", "image": "i9"}, {"name": "one", "image": "i8"}]})
        ),
        ["two=i9", "one=i8"]
    );
    let env = patched(
        json!({"spec": {"containers": [{"name": "one", "env": [{"name": "Y", "value": "2"}]}]}}),
    )
    .unwrap();
    let both = json!([{"name": "Y", "value": "2"}, {"name": "X", "value": "1"}]);
    assert_eq!(env["spec"]["containers"][0]["env"], both);
}

#[test]
fn directives_delete_replace_and_order() {
    assert_eq!(
        containers(json!({"containers": [{"name": "one", "$patch": "delete"}]})),
        ["two=i2"]
    );
    assert_eq!(
        containers(json!({"containers": [{"$patch": "replace"}, {"name": "only", "image": "i5"}]})),
        ["only=i5"]
    );
    let order = json!([{"name": "two"}, {"name": "one"}]);
    assert_eq!(
        containers(json!({"$setElementOrder/containers": order})),
        ["two=i2", "one=i1"]
    );
    assert_eq!(
        containers(
            json!({"$setElementOrder/containers": order, "containers": [{"name": "one", "image": "i4"}]})
        ),
        ["two=i2", "one=i4"]
    );
    let wrong = json!({"spec": {"$setElementOrder/containers": [{"name": "two"}], "containers": [{"name": "one"}]}});
    assert_eq!(patched(wrong).unwrap_err().code(), 400);
}

#[test]
fn maps_merge_replace_and_retain() {
    let labels = |patch: Value| {
        patched(json!({"metadata": {"labels": patch}})).unwrap()["metadata"]["labels"].clone()
    };
    assert_eq!(
        labels(json!({"a": null, "c": "3"})),
        json!({"b": "2", "c": "3"})
    );
    assert_eq!(
        labels(json!({"$patch": "replace", "c": "3"})),
        json!({"c": "3"})
    );
    assert_eq!(labels(json!({"$patch": "delete"})), json!({}));
    let strategy = |patch: Value| patched(json!({"spec": {"strategy": patch}}));
    let retained = strategy(json!({"$retainKeys": ["type"], "type": "Recreate"})).unwrap();
    assert_eq!(retained["spec"]["strategy"], json!({"type": "Recreate"}));
    assert_eq!(
        strategy(json!({"$retainKeys": ["type"], "other": 1}))
            .unwrap_err()
            .code(),
        400
    );
    assert_eq!(
        strategy(json!({"$retainKeys": "type"})).unwrap_err().code(),
        400
    );
}

#[test]
fn primitive_lists_merge_and_lose_items() {
    let finalizers = |metadata: Value| {
        patched(json!({"metadata": metadata})).unwrap()["metadata"]["finalizers"].clone()
    };
    assert_eq!(
        finalizers(json!({"finalizers": ["x/b"]})),
        json!(["x/b", "x/a"])
    );
    assert_eq!(
        finalizers(json!({"$deleteFromPrimitiveList/finalizers": ["x/a"]})),
        Value::Null
    );
    let args = patched(json!({"spec": {"args": ["b"]}})).unwrap();
    assert_eq!(args["spec"]["args"], json!(["b"]));
}

#[test]
fn owner_references_merge_by_uid() {
    let reference = json!({"apiVersion": "v1", "kind": "K", "name": "o", "uid": "u1"});
    let added = patched(json!({"metadata": {"ownerReferences": [reference]}})).unwrap();
    let again = apply(
        &deployment(),
        &added,
        &json!({"metadata": {"ownerReferences": [{"uid": "u1", "name": "p"}]}}),
    )
    .unwrap();
    assert_eq!(
        again["metadata"]["ownerReferences"],
        json!([{"apiVersion": "v1", "kind": "K", "name": "p", "uid": "u1"}])
    );
}

#[test]
fn nulls_and_directives_leave_no_trace() {
    assert_eq!(patched(json!({})).unwrap(), doc());
    assert_eq!(patched(json!({"spec": {"nosuch": null}})).unwrap(), doc());
    let fresh =
        patched(json!({"spec": {"new": {"a": null, "b": {"$patch": "replace", "c": 1}}}})).unwrap();
    assert_eq!(fresh["spec"]["new"], json!({"b": {"c": 1}}));
}

#[test]
fn mistakes_are_errors() {
    let code = |patch: Value| patched(patch).unwrap_err().code();
    assert_eq!(code(json!({"spec": {"containers": [{"image": "x"}]}})), 500);
    assert_eq!(
        code(json!({"spec": {"containers": [{"$patch": "delete"}]}})),
        500
    );
    assert_eq!(code(json!({"spec": {"$patch": "frob"}})), 500);
    assert_eq!(code(json!([1])), 400);
}
