//! Server-side apply: who owns what.

use serde_json::json;

use super::*;
use crate::schema::Schema;

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
