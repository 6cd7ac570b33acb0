use std::time::Duration;

use opgen_runtime::secs;
use opgen_testkit::World;
use serde_json::json;

use crate::site::{Image, condition, only, requests, scenario, scenario_with, site};

/// Sets the replicas to five whenever they are not, for that long.
async fn scale(world: &World<Image>, time: Duration) {
    let end = tokio::time::Instant::now() + time;
    while tokio::time::Instant::now() < end {
        if requests(world, "patch", "deployments") > 200 {
            return; // Nothing slows it down.
        }
        let live = only(world, "Deployment");
        if live["spec"]["replicas"] != 5 {
            let name = live["metadata"]["name"].as_str().unwrap();
            let replicas = json!({"spec": {"replicas": 5}});
            world
                .cluster
                .patch_raw("Deployment", "default", name, "scale", &replicas)
                .unwrap();
        }
        world.advance(secs(1)).await;
    }
}

#[test]
pub fn a_field_fight_is_slowed_down_and_told() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        scale(&world, secs(3600)).await;
        let applies = requests(&world, "patch", "deployments");
        assert!((10..=40).contains(&applies), "{applies} applies in an hour");
        let told = condition(&world, &object, "FieldFight");
        assert_eq!(told["status"], "True");
        let message = told["message"].to_string();
        assert!(
            message.contains(".spec.replicas") && message.contains("/spec/replicas"),
            "{message}"
        );
        // The other writer gives up: the child is healed, and the condition goes.
        world.advance(secs(900)).await;
        assert_eq!(only(&world, "Deployment")["spec"]["replicas"], 1);
        assert!(
            condition(&world, &object, "FieldFight").is_null(),
            "{:#?}",
            world.get(&object)
        );
    });
}

#[test]
pub fn a_yielded_field_is_left_to_its_owner() {
    let object = site("a", json!({"replicas": 3}));
    scenario_with(|options| options.yields("/spec/replicas"))
        .object(object.clone())
        .run(async |world| {
            world.ready(&object).await;
            assert_eq!(
                only(&world, "Deployment")["spec"]["replicas"],
                3,
                "the first value is ours"
            );
            let applies = requests(&world, "patch", "deployments");
            scale(&world, secs(1800)).await;
            assert_eq!(only(&world, "Deployment")["spec"]["replicas"], 5);
            assert_eq!(requests(&world, "patch", "deployments"), applies);
            assert!(condition(&world, &object, "FieldFight").is_null());
        });
}

#[test]
pub fn a_yielded_field_that_nobody_took_keeps_its_value() {
    let object = site("a", json!({"replicas": 3}));
    scenario_with(|options| options.yields("/spec/replicas")).object(object.clone()).run(async |world| {
        world.ready(&object).await;
        let web = only(&world, "Deployment")["metadata"]["name"].as_str().unwrap().to_owned();
        // Another field makes an apply that no longer has the replicas in it.
        let edit = json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "x"}]}}}});
        world.cluster.patch_raw("Deployment", "default", &web, "", &edit).unwrap();
        let healed = world
            .until(|| only(&world, "Deployment")["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1")
            .await;
        assert!(healed.unwrap() < secs(5));
        world.advance(secs(60)).await;
        assert_eq!(only(&world, "Deployment")["spec"]["replicas"], 3);
    });
}

#[test]
pub fn a_yielded_field_is_quiet() {
    let object = site("a", json!({"replicas": 3}));
    scenario_with(|options| options.yields("/spec/replicas"))
        .object(object)
        .check()
        .unwrap();
}

#[test]
pub fn a_desired_state_that_changes_at_every_run_is_slowed_down() {
    let object = site("a", json!({"config": "plain", "isRestless": true}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        for number in 0..600 {
            let poke = json!({"metadata": {"annotations": {"opgen.dev/reconcile-at": number.to_string()}}});
            world.patch(&object, &poke);
            world.advance(secs(1)).await;
        }
        let applies = requests(&world, "patch", "configmaps");
        assert!((30..=70).contains(&applies), "{applies} applies in ten minutes");
        let message = condition(&world, &object, "FieldFight")["message"].to_string();
        assert!(message.contains("changes at every run"), "{message}");
    });
}
