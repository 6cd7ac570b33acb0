use opgen_runtime::secs;
use serde_json::{Value, json};

use crate::site::{requests, scenario, site};

fn secret(name: &str, password: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "default"},
        "stringData": {"password": password},
    })
}

fn set(world: &opgen_testkit::World<crate::site::Image>, name: &str, password: &str) {
    let patch = json!({"stringData": {"password": password}});
    world
        .cluster
        .patch_raw("Secret", "default", name, "", &patch)
        .unwrap();
}

#[test]
pub fn a_changed_secret_wakes_who_refers_to_it_and_nobody_reads_it() {
    let object = site("a", json!({"secret": "mine"}));
    let other = site("b", json!({"secret": "other"}));
    scenario().run(async |world| {
        for name in ["mine", "other", "nobodys"] {
            world.cluster.create_raw(secret(name, "old")).unwrap();
        }
        world.cluster.create_raw(object.clone()).unwrap();
        world.cluster.create_raw(other.clone()).unwrap();
        world.ready(&object).await;
        world.ready(&other).await;
        assert_eq!(world.get(&object).unwrap()["status"]["password"], "old");
        world.advance(secs(30)).await;
        let runs = world.metric("controller_runtime_reconcile_total");
        set(&world, "mine", "new");
        let took = world
            .until(|| world.get(&object).unwrap()["status"]["password"] == "new")
            .await;
        assert!(took.unwrap() < secs(2));
        set(&world, "nobodys", "new");
        world.advance(secs(30)).await;
        let more = world.metric("controller_runtime_reconcile_total") - runs;
        assert!(more < 1.5, "only the referrer runs, and once: {more}");
        assert_eq!(world.get(&other).unwrap()["status"]["password"], "old");
        assert_eq!(requests(&world, "get", "secrets"), 0);
    });
}

#[test]
pub fn a_secret_may_come_later_and_go_again() {
    let object = site("a", json!({"secret": "mine"}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        world.cluster.create_raw(secret("mine", "here")).unwrap();
        let came = world
            .until(|| world.get(&object).unwrap()["status"]["password"] == "here")
            .await;
        assert!(came.unwrap() < secs(2));
        world
            .cluster
            .delete_raw("Secret", "default", "mine")
            .unwrap();
        let went = world
            .until(|| {
                world.get(&object).unwrap()["status"]
                    .get("password")
                    .is_none()
            })
            .await;
        assert!(went.unwrap() < secs(2));
    });
}

#[test]
pub fn the_index_follows_the_spec() {
    let object = site("a", json!({"secret": "first"}));
    scenario().object(object.clone()).run(async |world| {
        world.cluster.create_raw(secret("first", "1")).unwrap();
        world.cluster.create_raw(secret("second", "2")).unwrap();
        world
            .until(|| world.get(&object).unwrap()["status"]["password"] == "1")
            .await;
        world.patch(&object, &json!({"spec": {"secret": "second"}}));
        let moved = world
            .until(|| world.get(&object).unwrap()["status"]["password"] == "2")
            .await;
        assert!(moved.unwrap() < secs(2));
        world.advance(secs(30)).await;
        let runs = world.metric("controller_runtime_reconcile_total");
        set(&world, "first", "x");
        world.advance(secs(30)).await;
        assert!(world.metric("controller_runtime_reconcile_total") - runs < 0.5);
        set(&world, "second", "y");
        let followed = world
            .until(|| world.get(&object).unwrap()["status"]["password"] == "y")
            .await;
        assert!(followed.unwrap() < secs(2));
    });
}

#[test]
pub fn metadata_alone_can_be_watched() {
    let object = site("a", json!({"account": "robot"}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        let account = json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "robot", "namespace": "default", "labels": {"team": "blue"}},
        });
        world.cluster.create_raw(account).unwrap();
        let seen = world
            .until(|| world.get(&object).unwrap()["status"]["accountTeam"] == "blue")
            .await;
        assert!(seen.is_some_and(|took| took < secs(2)), "{seen:?}");
        assert_eq!(requests(&world, "get", "serviceaccounts"), 0);
    });
}
