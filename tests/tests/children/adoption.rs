use opgen_runtime::{children::Adopt, secs};
use serde_json::{Value, json};

use crate::site::{condition, only, requests, scenario, scenario_with, site};

fn config(owner: Option<Value>) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "shared", "namespace": "default", "ownerReferences": owner.into_iter().collect::<Vec<_>>()},
        "data": {"by": "somebody else", "more": "theirs"},
    })
}

fn foreign_owner() -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "x", "uid": "0123", "controller": true})
}

#[test]
pub fn a_foreign_object_is_not_overwritten() {
    let object = site("a", json!({"config": "shared"}));
    scenario().run(async |world| {
        world.cluster.create_raw(config(None)).unwrap();
        let before = only(&world, "ConfigMap");
        world.cluster.create_raw(object.clone()).unwrap();
        let told = world
            .until(|| condition(&world, &object, "ChildBlocked")["reason"] == "AdoptionRefused")
            .await;
        assert!(told.unwrap() < secs(5));
        let message = condition(&world, &object, "ChildBlocked")["message"].to_string();
        assert!(
            message.contains("ConfigMap default/shared exists and is not ours"),
            "{message}"
        );
        let reads = requests(&world, "get", "configmaps");
        world.advance(secs(3600)).await;
        assert_eq!(only(&world, "ConfigMap"), before);
        assert_eq!(requests(&world, "patch", "configmaps"), 0);
        assert!(
            requests(&world, "get", "configmaps") - reads <= 14,
            "once in five minutes"
        );
        let warned = world
            .cluster
            .list_raw("events.events.k8s.io", "default")
            .unwrap_or_default();
        assert!(
            warned
                .iter()
                .any(|event| event["reason"] == "AdoptionRefused"),
            "{warned:#?}"
        );
        // When it is out of the way, the owner gets on by itself.
        world
            .cluster
            .delete_raw("ConfigMap", "default", "shared")
            .unwrap();
        assert!(world.ready(&object).await < secs(400));
        assert!(condition(&world, &object, "ChildBlocked").is_null());
    });
}

#[test]
pub fn an_unowned_object_is_adopted_where_that_is_allowed() {
    let object = site("a", json!({"config": "shared"}));
    scenario_with(|options| options.adopts(Adopt::IfUnowned)).run(async |world| {
        world.cluster.create_raw(config(None)).unwrap();
        let uid = only(&world, "ConfigMap")["metadata"]["uid"].clone();
        world.cluster.create_raw(object.clone()).unwrap();
        world.ready(&object).await;
        let adopted = only(&world, "ConfigMap");
        assert_eq!(adopted["metadata"]["uid"], uid);
        assert_eq!(adopted["metadata"]["ownerReferences"][0]["name"], "a");
        assert_eq!(adopted["data"], json!({"by": "operator", "more": "theirs"}));
        let writes = world.object_writes();
        world.advance(secs(3600)).await;
        assert_eq!(world.object_writes(), writes);
    });
}

#[test]
pub fn a_controlled_object_is_taken_only_by_the_widest_policy() {
    let object = site("a", json!({"config": "shared"}));
    scenario_with(|options| options.adopts(Adopt::IfUnowned)).run(async |world| {
        world
            .cluster
            .create_raw(config(Some(foreign_owner())))
            .unwrap();
        world.cluster.create_raw(object.clone()).unwrap();
        let told = world
            .until(|| condition(&world, &object, "ChildBlocked")["status"] == "True")
            .await;
        assert!(told.is_some());
        let message = condition(&world, &object, "ChildBlocked")["message"].to_string();
        assert!(message.contains("controlled by Deployment x"), "{message}");
        assert_eq!(requests(&world, "patch", "configmaps"), 0);
    });
    scenario_with(|options| options.adopts(Adopt::Always)).run(async |world| {
        world
            .cluster
            .create_raw(config(Some(foreign_owner())))
            .unwrap();
        world.cluster.create_raw(object.clone()).unwrap();
        world.ready(&object).await;
        let owners = only(&world, "ConfigMap")["metadata"]["ownerReferences"].clone();
        assert_eq!(owners.as_array().unwrap().len(), 1, "{owners}");
        assert_eq!(owners[0]["kind"], "Site");
    });
}

#[test]
pub fn two_owners_do_not_share_a_child() {
    let (first, second) = (
        site("a", json!({"config": "shared"})),
        site("b", json!({"config": "shared"})),
    );
    scenario().object(first.clone()).run(async |world| {
        world.ready(&first).await;
        world.cluster.create_raw(second.clone()).unwrap();
        let told = world
            .until(|| condition(&world, &second, "ChildBlocked")["status"] == "True")
            .await;
        assert!(told.is_some());
        assert_eq!(
            only(&world, "ConfigMap")["metadata"]["ownerReferences"][0]["name"],
            "a"
        );
        // The child goes with the first owner, and the second one gets it.
        world.delete(&first);
        world.gone(&first).await;
        world.cluster.collect_garbage();
        assert!(
            world.ready(&second).await < secs(3),
            "woken by the deletion"
        );
    });
}

#[test]
pub fn an_owner_in_another_namespace_is_refused_before_any_request() {
    let object = site(
        "a",
        json!({"config": "plain", "configNamespace": "kube-system"}),
    );
    scenario().object(object.clone()).run(async |world| {
        assert!(
            world
                .until(|| world.phase(&object) == "Broken")
                .await
                .unwrap()
                < secs(5)
        );
        let message = condition(&world, &object, "Stalled")["message"].to_string();
        assert!(
            message.contains("namespace kube-system, but its owner is in default"),
            "{message}"
        );
        assert_eq!(requests(&world, "patch", "configmaps"), 0);
        assert_eq!(requests(&world, "get", "configmaps"), 0);
    });
}
