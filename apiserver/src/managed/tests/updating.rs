//! Creations, updates and patches.

use serde_json::{Value, json};

use super::*;
use crate::managed::keep_times;

fn created(object: Value) -> Value {
    let mut object = object;
    update(&widget(), None, &mut object, &updater("creator"));
    object
}

fn object(spec: Value) -> Value {
    json!({"apiVersion": API, "kind": "Widget", "metadata": {"name": "a", "uid": "u", "labels": {"l": "1"}}, "spec": spec})
}

#[test]
fn a_creation_owns_all_but_what_the_server_sets() {
    let live = created(object(json!({"replicas": 2, "color": "red"})));
    assert_eq!(
        live["metadata"]["managedFields"],
        json!([{
            "manager": "creator", "operation": "Update", "apiVersion": API, "time": NOW, "fieldsType": "FieldsV1",
            "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:l": {}}}, "f:spec": {".": {}, "f:color": {}, "f:replicas": {}}}
        }])
    );
}

#[test]
fn fields_that_a_built_in_always_has_are_nobodys() {
    let mut lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a"},
        "spec": {"holderIdentity": "x"}});
    let schema = schema(
        &json!({"type": "object", "properties": {"spec": {"type": "object", "properties":
        {"holderIdentity": {"type": "string"}}}}}),
    );
    update(&schema, None, &mut lease, &updater("m"));
    assert_eq!(
        owned(&lease, "m"),
        json!({"f:spec": {"f:holderIdentity": {}}})
    );
}

#[test]
fn a_change_moves_the_field_and_nothing_else() {
    let live = created(object(json!({"replicas": 2, "color": "red"})));
    let mut options = updater("editor");
    options.now = LATER;
    let mut new = live.clone();
    new["spec"]["replicas"] = json!(3);
    update(&widget(), Some(&live), &mut new, &options);
    assert_eq!(
        owned(&new, "creator")["f:spec"],
        json!({".": {}, "f:color": {}})
    );
    assert_eq!(entry(&new, "creator")["time"], NOW);
    assert_eq!(owned(&new, "editor"), json!({"f:spec": {"f:replicas": {}}}));
    assert_eq!(entry(&new, "editor")["time"], LATER);
}

#[test]
fn the_same_value_changes_nothing() {
    let live = created(object(json!({"replicas": 2})));
    assert_eq!(
        updated(&live, "editor", |object| object["spec"]["replicas"] =
            json!(2)),
        live
    );
    assert_eq!(
        updated(
            &live,
            "editor",
            |object| object["metadata"]["resourceVersion"] = json!("7")
        ),
        {
            let mut same = live.clone();
            same["metadata"]["resourceVersion"] = json!("7");
            same
        }
    );
}

#[test]
fn what_is_removed_nobody_owns() {
    let live = created(object(json!({"replicas": 2, "opts": {"a": "1", "b": "2"}})));
    let new = updated(&live, "editor", |object| {
        object["spec"]["opts"].as_object_mut().unwrap().remove("b");
    });
    assert_eq!(
        owned(&new, "creator")["f:spec"]["f:opts"],
        json!({".": {}, "f:a": {}})
    );
    assert_eq!(entry(&new, "editor"), Value::Null);
    let gone = updated(&new, "editor", |object| {
        object.as_object_mut().unwrap().remove("spec");
        object["metadata"].as_object_mut().unwrap().remove("labels");
    });
    assert_eq!(gone["metadata"].get("managedFields"), None);
}

#[test]
fn a_manager_has_one_entry_for_each_version_and_subresource() {
    let live = created(object(json!({"replicas": 2})));
    let live = updated(&live, "creator", |object| {
        object["spec"]["name"] = json!("x")
    });
    assert_eq!(
        live["metadata"]["managedFields"].as_array().unwrap().len(),
        1
    );
    let mut new = live.clone();
    new["status"] = json!({"phase": "P"});
    let options = UpdateOptions {
        subresource: "status",
        reset: Reset::AllButStatus,
        ..updater("creator")
    };
    update(&widget(), Some(&live), &mut new, &options);
    let entries = new["metadata"]["managedFields"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1]["subresource"], "status");
    assert_eq!(
        entries[1]["fieldsV1"],
        json!({"f:status": {".": {}, "f:phase": {}}})
    );
}

#[test]
fn what_the_endpoint_resets_is_not_recorded() {
    let live = created(object(json!({"replicas": 2})));
    let new = updated(&live, "editor", |object| {
        object["status"] = json!({"phase": "P"})
    });
    assert_eq!(
        new["metadata"]["managedFields"],
        live["metadata"]["managedFields"]
    );
}

#[test]
fn list_items_are_told_apart() {
    let live = created(object(
        json!({"ports": [{"name": "a", "port": 1}], "groups": ["x"]}),
    ));
    let new = updated(&live, "editor", |object| {
        object["spec"]["ports"] = json!([{"name": "b", "port": 2}, {"name": "a", "port": 3}]);
        object["spec"]["groups"] = json!(["y", "x"]);
    });
    assert_eq!(
        owned(&new, "editor"),
        json!({"f:spec": {
            "f:groups": {"v:\"y\"": {}},
            "f:ports": {"k:{\"name\":\"a\"}": {"f:port": {}}, "k:{\"name\":\"b\"}": {".": {}, "f:name": {}, "f:port": {}}}}})
    );
    assert_eq!(
        owned(&new, "creator")["f:spec"],
        json!({".": {}, "f:groups": {".": {}, "v:\"x\"": {}}, "f:ports": {".": {}, "k:{\"name\":\"a\"}": {".": {}, "f:name": {}}}})
    );
}

#[test]
fn duplicate_items_are_owned_as_one() {
    let live = created(object(json!({"groups": ["x"]})));
    let new = updated(&live, "editor", |object| {
        object["spec"]["groups"] = json!(["x", "x"])
    });
    assert_eq!(
        owned(&new, "editor"),
        json!({"f:spec": {"f:groups": {"v:\"x\"": {}}}})
    );
}

#[test]
fn a_request_may_reset_or_replace_the_list_but_not_through_a_subresource() {
    let live = created(object(json!({"replicas": 2})));
    for reset in [json!([]), json!([{}])] {
        let new = updated(&live, "editor", |object| {
            object["metadata"]["managedFields"] = reset;
            object["spec"]["replicas"] = json!(3);
        });
        assert_eq!(new["metadata"].get("managedFields"), None);
        let untracked = updated(&new, "editor", |object| {
            object["spec"]["replicas"] = json!(4)
        });
        assert_eq!(untracked["metadata"].get("managedFields"), None);
    }
    let own = json!([{"manager": "x", "operation": "Apply", "apiVersion": API, "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:replicas": {}}}}]);
    let new = updated(&live, "editor", |object| {
        object["metadata"]["managedFields"] = own.clone()
    });
    assert_eq!(new["metadata"]["managedFields"], own);
    for invalid in [
        json!([{"manager": "x", "operation": "Frob"}]),
        json!("text"),
        json!(null),
    ] {
        let new = updated(&live, "editor", |object| {
            object["metadata"]["managedFields"] = invalid
        });
        assert_eq!(new, live);
    }
    let mut new = live.clone();
    new["metadata"]["managedFields"] = json!([]);
    let options = UpdateOptions {
        subresource: "status",
        reset: Reset::AllButStatus,
        ..updater("m")
    };
    update(&widget(), Some(&live), &mut new, &options);
    assert_eq!(new, live);
}

#[test]
fn the_oldest_updaters_are_joined() {
    let mut live = created(object(json!({"free": {}})));
    for index in 0..12 {
        let mut new = live.clone();
        new["spec"]["free"][format!("k{index:02}")] = json!(index);
        let (manager, now) = (
            format!("m{index:02}"),
            format!("2024-01-01T00:01:{index:02}Z"),
        );
        let options = UpdateOptions {
            now: &now,
            ..updater(&manager)
        };
        update(&widget(), Some(&live), &mut new, &options);
        live = new;
    }
    let entries = live["metadata"]["managedFields"].as_array().unwrap();
    assert_eq!(entries.len(), 10);
    let ancient = owned(&live, "ancient-changes");
    assert_eq!(
        ancient["f:spec"]["f:free"],
        json!({".": {}, "f:k00": {}, "f:k01": {}, "f:k02": {}})
    );
    assert_eq!(
        entry(&live, "ancient-changes")["time"],
        "2024-01-01T00:01:02Z"
    );
}

#[test]
fn times_alone_are_no_change() {
    let live = created(object(json!({"replicas": 2})));
    let mut new = live.clone();
    new["metadata"]["managedFields"][0]["time"] = json!(LATER);
    keep_times(&live, &mut new);
    assert_eq!(new, live);
    let mut changed = live.clone();
    changed["metadata"]["managedFields"][0]["time"] = json!(LATER);
    changed["spec"]["replicas"] = json!(3);
    let before = changed.clone();
    keep_times(&live, &mut changed);
    assert_eq!(changed, before);
}
