//! Server-side apply: how lists and maps merge.

use serde_json::json;

use super::*;

#[test]
fn a_list_map_merges_by_key_and_defaulted_fields_are_nobodys() {
    let live = applied(None, "m1", json!({"ports": [{"name": "http", "port": 80}]})).unwrap();
    let mut live = applied(
        Some(&live),
        "m2",
        json!({"ports": [{"name": "dns", "port": 53}]}),
    )
    .unwrap();
    for port in live["spec"]["ports"].as_array_mut().unwrap() {
        port["protocol"] = json!("TCP");
    }
    let conflict = applied(
        Some(&live),
        "m3",
        json!({"ports": [{"name": "dns", "port": 54}]}),
    );
    assert_eq!(
        message(conflict),
        "Apply failed with 1 conflict: conflict with \"m2\": .spec.ports[name=\"dns\"].port"
    );
    let live = applied(
        Some(&live),
        "m3",
        json!({"ports": [{"name": "dns", "protocol": "UDP"}]}),
    )
    .unwrap();
    assert_eq!(
        live["spec"]["ports"],
        json!([{"name": "http", "port": 80, "protocol": "TCP"}, {"name": "dns", "port": 53, "protocol": "UDP"}])
    );
    let live = applied(Some(&live), "m2", json!({"replicas": 1})).unwrap();
    assert_eq!(
        live["spec"]["ports"][1],
        json!({"name": "dns", "protocol": "UDP"})
    );
}

#[test]
fn a_dropped_list_map_item_goes_with_its_defaults() {
    let live = applied(None, "m1", json!({"replicas": 1})).unwrap();
    let mut live = applied(
        Some(&live),
        "m2",
        json!({"ports": [{"name": "dns", "port": 53}]}),
    )
    .unwrap();
    live["spec"]["ports"][0]["protocol"] = json!("TCP");
    let live = applied(Some(&live), "m2", json!({"replicas": 1})).unwrap();
    assert_eq!(spec_of(&live), &json!({"replicas": 1}));
}

#[test]
fn keys_that_are_left_out_have_their_default() {
    let live = applied(None, "m1", json!({"sockets": [{"port": 80, "name": "x"}]})).unwrap();
    let key = "k:{\"port\":80,\"protocol\":\"TCP\"}";
    assert_eq!(
        owned(&live, "m1")["f:spec"]["f:sockets"][key],
        json!({".": {}, "f:name": {}, "f:port": {}})
    );
    let live = applied(
        Some(&live),
        "m1",
        json!({"sockets": [{"port": 80, "protocol": "TCP", "name": "y"}]}),
    )
    .unwrap();
    assert_eq!(
        live["spec"]["sockets"],
        json!([{"port": 80, "protocol": "TCP", "name": "y"}])
    );
}

#[test]
fn the_order_of_a_list_follows_the_configuration() {
    let live = applied(None, "m1", json!({"groups": ["a", "b", "c", "d"]})).unwrap();
    let merged = |groups: Value| {
        applied(Some(&live), "m2", json!({"groups": groups})).unwrap()["spec"]["groups"].clone()
    };
    assert_eq!(merged(json!(["c", "a"])), json!(["b", "c", "d", "a"]));
    assert_eq!(merged(json!(["x", "b"])), json!(["a", "x", "b", "c", "d"]));
    assert_eq!(merged(json!(["d", "x"])), json!(["a", "b", "c", "d", "x"]));
}

#[test]
fn labels_finalizers_and_owners_merge() {
    let meta = |metadata: Value| json!({"apiVersion": API, "kind": "Widget", "metadata": metadata});
    let first = meta(
        json!({"name": "a", "labels": {"l": "1"}, "finalizers": ["x/a"], "ownerReferences":
        [{"apiVersion": "v1", "kind": "K", "name": "o", "uid": "u1"}]}),
    );
    let live = apply(&widget(), None, &first, &options("m1")).unwrap();
    assert_eq!(
        owned(&live, "m1"),
        json!({"f:metadata": {"f:labels": {"f:l": {}}, "f:finalizers": {"v:\"x/a\"": {}},
            "f:ownerReferences": {"k:{\"uid\":\"u1\"}": {}}}})
    );
    let second = meta(json!({"name": "a", "labels": {"m": "2"}, "finalizers": ["x/b"]}));
    let live = apply(&widget(), Some(&live), &second, &options("m2")).unwrap();
    assert_eq!(live["metadata"]["finalizers"], json!(["x/a", "x/b"]));
    assert_eq!(live["metadata"]["labels"], json!({"l": "1", "m": "2"}));
    let live = apply(
        &widget(),
        Some(&live),
        &meta(json!({"name": "a"})),
        &options("m1"),
    )
    .unwrap();
    assert_eq!(live["metadata"]["finalizers"], json!(["x/b"]));
    assert_eq!(live["metadata"]["labels"], json!({"m": "2"}));
    assert_eq!(live["metadata"].get("ownerReferences"), None);
}

#[test]
fn atomic_lists_and_maps_conflict_as_a_whole() {
    let live = applied(
        None,
        "m2",
        json!({"tags": ["a", "b"], "selector": {"x": "1"}}),
    )
    .unwrap();
    assert_eq!(
        owned(&live, "m2"),
        json!({"f:spec": {"f:tags": {}, "f:selector": {}}})
    );
    let conflict = applied(Some(&live), "m5", json!({"tags": ["a"]}));
    assert_eq!(
        message(conflict),
        "Apply failed with 1 conflict: conflict with \"m2\": .spec.tags"
    );
    let replaced = apply(
        &widget(),
        Some(&live),
        &config(json!({"selector": {"y": "2"}})),
        &force("m3"),
    )
    .unwrap();
    assert_eq!(replaced["spec"]["selector"], json!({"y": "2"}));
}

#[test]
fn null_is_owned_and_left_to_defaulting() {
    let mut live = applied(None, "m1", json!({"replicas": 3})).unwrap();
    live["spec"]["color"] = json!("red");
    let applied = applied(Some(&live), "m7", json!({"color": null, "replicas": 3})).unwrap();
    assert_eq!(
        owned(&applied, "m7"),
        json!({"f:spec": {"f:color": {}, "f:replicas": {}}})
    );
    assert_eq!(entry(&applied, "m7")["time"], NOW);
    assert_eq!(applied["spec"]["color"], Value::Null);
}

#[test]
fn free_form_objects_merge_by_key() {
    let live = applied(None, "m1", json!({"free": {"a": {"b": 1}, "list": [1]}})).unwrap();
    assert_eq!(
        owned(&live, "m1"),
        json!({"f:spec": {"f:free": {"f:a": {".": {}, "f:b": {}}, "f:list": {}}}})
    );
    let live = applied(Some(&live), "m2", json!({"free": {"a": {"c": 2}}})).unwrap();
    assert_eq!(
        live["spec"]["free"],
        json!({"a": {"b": 1, "c": 2}, "list": [1]})
    );
}
