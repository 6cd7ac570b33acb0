//! Server-side apply.

use serde_json::{Value, json};

use super::*;
use crate::schema::Schema;

fn spec_of(object: &Value) -> &Value {
    &object["spec"]
}

fn message(result: Result<Value, ApplyError>) -> String {
    result.unwrap_err().to_string()
}

fn force<'a>(manager: &'a str) -> ApplyOptions<'a> {
    ApplyOptions {
        force: true,
        now: LATER,
        ..options(manager)
    }
}

#[test]
fn creates_and_owns_what_it_says() {
    let spec = json!({"replicas": 1, "ports": [{"name": "http", "port": 80}]});
    let object = applied(None, "m1", spec.clone()).unwrap();
    assert_eq!(spec_of(&object), &spec);
    assert_eq!(
        object["metadata"]["managedFields"],
        json!([{
            "manager": "m1", "operation": "Apply", "apiVersion": API, "time": NOW, "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {
                "f:ports": {"k:{\"name\":\"http\"}": {".": {}, "f:name": {}, "f:port": {}}}, "f:replicas": {}}}
        }])
    );
}

#[test]
fn the_same_again_changes_nothing() {
    let live = applied(None, "m1", json!({"replicas": 1})).unwrap();
    let again = apply(
        &widget(),
        Some(&live),
        &config(json!({"replicas": 1})),
        &force("m1"),
    )
    .unwrap();
    assert_eq!(again, live);
}

#[test]
fn another_value_conflicts() {
    let live = applied(
        None,
        "m1",
        json!({"replicas": 1, "ports": [{"name": "http", "port": 80}]}),
    )
    .unwrap();
    let error = applied(Some(&live), "m2", json!({"replicas": 2})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Apply failed with 1 conflict: conflict with \"m1\": .spec.replicas"
    );
    let ApplyError::Conflicts(conflicts) = error else {
        panic!("{error}")
    };
    assert_eq!(conflicts[0].manager, "\"m1\"");
    assert_eq!(conflicts[0].field, ".spec.replicas");
    let two = applied(
        Some(&live),
        "m2",
        json!({"replicas": 2, "ports": [{"name": "http", "port": 81}]}),
    );
    assert_eq!(
        message(two),
        "Apply failed with 2 conflicts: conflicts with \"m1\":\n- .spec.replicas\n- .spec.ports[name=\"http\"].port"
    );
}

#[test]
fn conflicts_with_several_managers_are_sorted_by_manager() {
    let live = applied(None, "m2", json!({"replicas": 1})).unwrap();
    let live = applied(Some(&live), "m1", json!({"name": "x", "replicas": 1})).unwrap();
    assert_eq!(
        message(applied(
            Some(&live),
            "m3",
            json!({"name": "y", "replicas": 2})
        )),
        "Apply failed with 3 conflicts: conflicts with \"m1\":\n- .spec.name\n- .spec.replicas\nconflicts with \"m2\":\n- .spec.replicas"
    );
}

#[test]
fn the_same_value_is_shared_and_the_new_entry_has_no_time() {
    let live = applied(None, "m1", json!({"replicas": 1})).unwrap();
    let shared = applied(Some(&live), "m2", json!({"replicas": 1})).unwrap();
    assert_eq!(owned(&shared, "m1"), owned(&shared, "m2"));
    assert_eq!(entry(&shared, "m2").get("time"), None);
    assert_eq!(entry(&shared, "m1")["time"], NOW);
}

#[test]
fn force_takes_over() {
    let live = applied(None, "m1", json!({"replicas": 1, "name": "x"})).unwrap();
    let taken = apply(
        &widget(),
        Some(&live),
        &config(json!({"replicas": 3})),
        &force("m2"),
    )
    .unwrap();
    assert_eq!(spec_of(&taken), &json!({"replicas": 3, "name": "x"}));
    assert_eq!(owned(&taken, "m1"), json!({"f:spec": {"f:name": {}}}));
    assert_eq!(owned(&taken, "m2"), json!({"f:spec": {"f:replicas": {}}}));
    assert_eq!(entry(&taken, "m1")["time"], NOW);
    assert_eq!(entry(&taken, "m2")["time"], LATER);
}

#[test]
fn what_is_no_longer_applied_goes_unless_another_owns_it() {
    let all = json!({"replicas": 3, "name": "abc", "opts": {"a": "1", "deep": {"x": 1}}});
    let live = applied(None, "m1", all).unwrap();
    let live = applied(Some(&live), "m2", json!({"name": "abc"})).unwrap();
    let live = applied(Some(&live), "m1", json!({"opts": {"a": "1"}})).unwrap();
    assert_eq!(spec_of(&live), &json!({"name": "abc", "opts": {"a": "1"}}));
}

#[test]
fn what_an_updater_put_beside_stays() {
    let live = applied(
        None,
        "m1",
        json!({"opts": {"a": "1"}, "ports": [{"name": "a", "port": 1}]}),
    )
    .unwrap();
    let live = updated(&live, "editor", |object| {
        object["spec"]["opts"]["b"] = json!("2");
        object["spec"]["ports"] = json!([{"name": "a", "port": 1}, {"name": "b", "port": 2}]);
    });
    let live = applied(Some(&live), "m1", json!({"replicas": 1})).unwrap();
    assert_eq!(
        spec_of(&live),
        &json!({"opts": {"b": "2"}, "ports": [{"name": "b", "port": 2}], "replicas": 1})
    );
}

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
fn owning_nothing_makes_the_manager_disappear() {
    let live = applied(None, "m1", json!({"replicas": 1})).unwrap();
    let same = applied(Some(&live), "m3", json!({})).unwrap();
    assert_eq!(owned(&same, "m3"), json!({"f:spec": {}}));
    let bare = json!({"apiVersion": API, "kind": "Widget", "metadata": {"name": "a"}});
    assert_eq!(
        apply(&widget(), Some(&live), &bare, &options("m3")).unwrap(),
        live
    );
    let gone = apply(&widget(), Some(&live), &bare, &options("m1")).unwrap();
    assert_eq!(gone["metadata"].get("managedFields"), None);
    assert_eq!(gone.get("spec"), None);
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
fn an_updater_is_named_with_its_version() {
    let live = applied(None, "m2", json!({"replicas": 3})).unwrap();
    let live = updated(&live, "editor", |object| {
        object["spec"]["replicas"] = json!(5)
    });
    assert_eq!(
        message(applied(Some(&live), "m2", json!({"replicas": 3}))),
        "Apply failed with 1 conflict: conflict with \"editor\" using example.com/v1: .spec.replicas"
    );
    let live = apply(
        &widget(),
        Some(&live),
        &config(json!({"replicas": 3})),
        &force("m2"),
    )
    .unwrap();
    assert_eq!(entry(&live, "editor"), Value::Null);
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

#[test]
fn the_status_belongs_to_its_endpoint() {
    let status = |phase: &str| {
        json!({"apiVersion": API, "kind": "Widget", "metadata": {"name": "a", "labels": {"l": "x"}},
            "spec": {"replicas": 9}, "status": {"phase": phase, "conditions": [{"type": "Ready", "status": "True"}]}})
    };
    let live = apply(&widget(), None, &status("ignored"), &options("spec")).unwrap();
    assert_eq!(live.get("status"), None);
    let at_status = |manager| ApplyOptions {
        subresource: "status",
        reset: Reset::AllButStatus,
        ..options(manager)
    };
    let live = apply(&widget(), Some(&live), &status("P"), &at_status("ctl")).unwrap();
    assert_eq!(live["status"]["phase"], "P");
    assert_eq!(live["spec"], json!({"replicas": 9}));
    assert_eq!(
        owned(&live, "ctl"),
        json!({"f:status": {"f:phase": {}, "f:conditions": {"k:{\"type\":\"Ready\"}": {".": {}, "f:status": {}, "f:type": {}}}}})
    );
    assert_eq!(entry(&live, "ctl")["subresource"], "status");
    assert_eq!(
        message(apply(
            &widget(),
            Some(&live),
            &status("Z"),
            &at_status("other")
        )),
        "Apply failed with 1 conflict: conflict with \"ctl\" with subresource \"status\": .status.phase"
    );
}

#[test]
fn an_object_without_managed_fields_was_written_before_the_first_apply() {
    let live = json!({"apiVersion": API, "kind": "Widget", "metadata": {"name": "a", "uid": "u"}, "spec": {"replicas": 1}});
    assert_eq!(
        message(applied(Some(&live), "m1", json!({"replicas": 2}))),
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using example.com/v1: .spec.replicas"
    );
    let applied = applied(Some(&live), "m1", json!({"replicas": 1})).unwrap();
    assert_eq!(
        owned(&applied, "before-first-apply"),
        json!({"f:spec": {".": {}, "f:replicas": {}}})
    );
}

#[test]
fn what_does_not_fit_the_schema_is_refused() {
    let problem = |spec: Value| {
        let text = message(applied(None, "m8", spec));
        let head = "failed to create typed patch object (/a; example.com/v1, Kind=Widget): ";
        text.strip_prefix(head).map(str::to_owned).unwrap_or(text)
    };
    let cases = [
        (
            json!({"replicas": "x"}),
            ".spec.replicas: expected numeric (int or float), got string",
        ),
        (
            json!({"nosuch": 1}),
            ".spec.nosuch: field not declared in schema",
        ),
        (
            json!({"ports": [{"name": "q"}, {"name": "q"}]}),
            ".spec.ports: duplicate entries for key [name=\"q\"]",
        ),
        (
            json!({"groups": ["q", "q"]}),
            ".spec.groups: duplicate entries for key [=\"q\"]",
        ),
        (
            json!({"ports": [{"port": 1}]}),
            ".spec.ports: element 0: associative list with keys has an element that omits all key fields [\"name\"] (and doesn't have default values for any key fields)",
        ),
        (
            json!({"name": 1}),
            ".spec.name: expected string, got &value.valueUnstructured{Value:1}",
        ),
        (json!({"on": "x"}), ".spec.on: expected boolean, got &{x}"),
        (json!({"tags": "x"}), ".spec.tags: expected list, got &{x}"),
        (
            json!({"opts": ["x"]}),
            ".spec.opts: expected map, got &{[x]}",
        ),
        (
            json!({"either": {"x": 1}}),
            ".spec.either: expected any scalar, got &{map[x:1]}",
        ),
        (
            json!({"name": 1, "replicas": "x"}),
            "errors:\n  .spec.name: expected string, got &value.valueUnstructured{Value:1}\n  .spec.replicas: expected numeric (int or float), got string",
        ),
    ];
    for (spec, expected) in cases {
        assert_eq!(problem(spec.clone()), expected, "{spec}");
    }
}

#[test]
fn another_type_and_managed_fields_are_refused() {
    let with = |change: fn(&mut Value)| {
        let mut config = config(json!({"replicas": 1}));
        change(&mut config);
        let error = apply(&widget(), None, &config, &options("m1")).unwrap_err();
        assert!(matches!(error, ApplyError::BadRequest(_)), "{error}");
        error.to_string()
    };
    let kind = with(|config| config["kind"] = json!("Other"));
    assert_eq!(kind, "invalid object type: example.com/v1, Kind=Other");
    let core = with(|config| config["apiVersion"] = json!("v1"));
    assert_eq!(core, "invalid object type: /v1, Kind=Widget");
    let none = with(|config| {
        config
            .as_object_mut()
            .unwrap()
            .retain(|name, _| name == "spec")
    });
    assert_eq!(none, "invalid object type: /, Kind=");
    let fields = with(|config| config["metadata"]["managedFields"] = json!([]));
    assert_eq!(fields, "metadata.managedFields must be nil");
}

#[test]
fn versions_are_looked_at_with_their_own_schema() {
    let version = |fields: Value| -> Schema {
        schema(
            &json!({"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}),
        )
    };
    let old = version(json!({"a": {"type": "string"}}));
    let new = version(json!({"a": {"type": "string"}, "new": {"type": "integer"}}));
    let versions = vec![
        ("example.com/v1beta1".to_owned(), &old),
        (API.to_owned(), &new),
    ];
    let at = |api_version: &'static str| ApplyOptions {
        api_version,
        versions: Some(&versions),
        reset: Reset::Nothing,
        ..options("m1")
    };
    let mut first = config(json!({"a": "m"}));
    first["apiVersion"] = json!("example.com/v1beta1");
    let live = apply(&old, None, &first, &at("example.com/v1beta1")).unwrap();
    let next = config(json!({"a": "n", "new": 3}));
    assert_eq!(
        message(apply(&new, Some(&live), &next, &at(API))),
        "failed to prune fields: failed to convert merged object to last applied version: .spec.new: field not declared in schema"
    );
    let other = ApplyOptions {
        manager: "m2",
        ..at(API)
    };
    assert_eq!(
        message(apply(&new, Some(&live), &config(json!({"a": "o"})), &other)),
        "Apply failed with 1 conflict: conflict with \"m1\": .spec.a"
    );
}

#[test]
fn kubectl_takes_over_what_it_applied_on_the_client_side() {
    let last = json!({"apiVersion": API, "kind": "Widget", "metadata": {"name": "a"}, "spec": {"replicas": 1, "name": "x"}});
    let annotation = "kubectl.kubernetes.io/last-applied-configuration";
    let mut live = last.clone();
    live["metadata"]["annotations"] = json!({annotation: last.to_string()});
    update(
        &widget(),
        None,
        &mut live,
        &updater("kubectl-client-side-apply"),
    );
    let live = updated(&live, "editor", |object| {
        object["spec"]["name"] = json!("y")
    });

    let taken = applied(Some(&live), "kubectl", json!({"replicas": 2})).unwrap();
    assert_eq!(taken["spec"]["replicas"], 2);
    let noted: Value = serde_json::from_str(
        taken["metadata"]["annotations"][annotation]
            .as_str()
            .unwrap(),
    )
    .unwrap();
    assert_eq!(noted, config(json!({"replicas": 2})));
    assert_eq!(
        message(applied(
            Some(&live),
            "kubectl",
            json!({"replicas": 2, "name": "z"})
        )),
        "Apply failed with 1 conflict: conflict with \"editor\" using example.com/v1: .spec.name"
    );
    assert_eq!(
        message(applied(Some(&live), "other", json!({"replicas": 2}))),
        "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using example.com/v1: .spec.replicas"
    );
}
