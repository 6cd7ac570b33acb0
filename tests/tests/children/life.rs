use opgen_runtime::{children::DESIRED_HASH_ANNOTATION, secs};
use opgen_testkit::{Trouble, Violation};
use serde_json::json;

use crate::site::{of_kind, only, operator, requests, scenario, site};

#[test]
pub fn children_are_made_and_marked_as_ours() {
    let object = site("a", json!({"replicas": 2}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        let uid = world.get(&object).unwrap()["metadata"]["uid"].clone();
        for kind in ["Deployment", "Service"] {
            let child = only(&world, kind);
            let meta = &child["metadata"];
            assert_eq!(
                meta["ownerReferences"],
                json!([{
                    "apiVersion": "test.example.com/v1", "kind": "Site", "name": "a", "uid": uid,
                    "controller": true, "blockOwnerDeletion": true,
                }])
            );
            assert_eq!(
                meta["labels"]["opgen.dev/owner-kind"],
                "Site.test.example.com"
            );
            assert!(
                meta["annotations"][DESIRED_HASH_ANNOTATION].is_string(),
                "{child}"
            );
        }
        assert_eq!(only(&world, "Deployment")["spec"]["replicas"], 2);
    });
}

#[test]
pub fn a_child_costs_one_request_and_none_is_read() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        world.advance(secs(3 * 3600)).await;
        for resource in ["deployments", "services"] {
            assert_eq!(requests(&world, "patch", resource), 1, "{resource}");
            assert_eq!(requests(&world, "get", resource), 0, "{resource}");
            // The start-up check, and the cache.
            assert_eq!(requests(&world, "list", resource), 2, "{resource}");
        }
    });
}

#[test]
pub fn what_the_server_fills_in_is_no_reason_to_apply() {
    let object = site(
        "a",
        json!({"replicas": 1, "config": "plain", "job": "true", "parts": 2}),
    );
    scenario().object(object).check().unwrap();
}

#[test]
pub fn a_restart_writes_nothing() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        let writes = world.object_writes();
        // A second process of the same operator, which has never applied anything itself.
        let clock = world.cluster.clock();
        let options = opgen_runtime::RunOptions {
            placement: opgen_runtime::Placement::Inline,
            clock: std::sync::Arc::new(move || clock.now()),
            ..opgen_runtime::RunOptions::default()
        };
        let user = "system:serviceaccount:site-operator:site-operator";
        let clients = opgen_runtime::clients::Clients::in_process(world.cluster.client_as(user));
        let metrics = clients.metrics().clone();
        let other = tokio::spawn(operator(|options| options).run(
            clients,
            crate::site::Context {
                image: crate::site::image(),
            },
            options,
        ));
        world.advance(secs(1800)).await;
        assert!(
            metrics.encode().contains("result=\"skipped\""),
            "{}",
            metrics.encode()
        );
        assert_eq!(world.object_writes(), writes);
        other.abort();
    });
}

#[test]
pub fn a_change_of_the_spec_reaches_the_children_at_once() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        world.patch(&object, &json!({"spec": {"replicas": 4}}));
        let took = world
            .until(|| only(&world, "Deployment")["spec"]["replicas"] == 4)
            .await;
        assert!(took.unwrap() < secs(2));
        assert_eq!(
            requests(&world, "patch", "services"),
            1,
            "the Service is as it was"
        );
    });
}

#[test]
pub fn the_status_of_a_child_reaches_its_owner() {
    let object = site("a", json!({"replicas": 3}));
    scenario().object(object.clone()).run(async |world| {
        let _stand_in = world.cluster.stand_in(secs(7));
        world.ready(&object).await;
        let took = world
            .until(|| world.get(&object).unwrap()["status"]["readyReplicas"] == 3)
            .await;
        assert!(took.unwrap() < secs(12), "an event, not the resync");
        assert_eq!(requests(&world, "patch", "deployments"), 1);
    });
}

#[test]
pub fn our_own_apply_does_not_wake_the_owner() {
    let object = site("a", json!({"replicas": 1, "config": "plain", "parts": 3}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        world.advance(secs(60)).await;
        let runs = world.metric("controller_runtime_reconcile_total");
        assert!(
            runs <= 2.0,
            "{runs} runs for one object: {}",
            world.metrics.encode()
        );
        // One run for the change, and none for what that run wrote.
        world.patch(&object, &json!({"spec": {"replicas": 2}}));
        world.advance(secs(60)).await;
        let more = world.metric("controller_runtime_reconcile_total") - runs;
        assert!((0.5..1.5).contains(&more), "{more} runs for one change");
    });
}

#[test]
pub fn what_is_no_longer_wanted_is_pruned() {
    let object = site("a", json!({"parts": 4}));
    let other = site("b", json!({"parts": 2}));
    scenario()
        .object(object.clone())
        .object(other.clone())
        .run(async |world| {
            world.ready(&object).await;
            world.ready(&other).await;
            assert_eq!(of_kind(&world, "ConfigMap").len(), 6);
            world.patch(&object, &json!({"spec": {"parts": 1}}));
            let pruned = world
                .until(|| of_kind(&world, "ConfigMap").len() == 3)
                .await;
            assert!(pruned.unwrap() < secs(2));
            world.advance(secs(3600)).await;
            assert_eq!(
                of_kind(&world, "ConfigMap").len(),
                3,
                "the other owner's stay"
            );
        });
}

#[test]
pub fn children_go_with_their_owner() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        world.delete(&object);
        world.gone(&object).await;
        world.cluster.collect_garbage();
        world.advance(secs(60)).await;
        assert!(of_kind(&world, "Deployment").is_empty());
        // A namesake gets children of its own.
        world.cluster.create_raw(object.clone()).unwrap();
        world.ready(&object).await;
        let uid = world.get(&object).unwrap()["metadata"]["uid"].clone();
        assert_eq!(
            only(&world, "Deployment")["metadata"]["ownerReferences"][0]["uid"],
            uid
        );
    });
}

#[test]
pub fn a_namesake_waits_until_the_old_children_are_collected() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        let old = only(&world, "Deployment")["metadata"]["uid"].clone();
        world.delete(&object);
        world.gone(&object).await;
        world.cluster.create_raw(object.clone()).unwrap();
        world.advance(secs(30)).await;
        assert_eq!(
            only(&world, "Deployment")["metadata"]["uid"],
            old,
            "not taken over"
        );
        assert!(!world.is_ready(&object));
        world.cluster.collect_garbage();
        assert!(
            world.ready(&object).await < secs(3),
            "woken by the collection"
        );
        assert_ne!(only(&world, "Deployment")["metadata"]["uid"], old);
    });
}

#[test]
pub fn every_crash_is_survived() {
    let object = site("a", json!({"replicas": 1, "config": "plain", "parts": 2}));
    let explored = scenario().object(object).explore_crashes();
    assert!(explored.writes >= 5, "{explored}");
}

#[test]
pub fn a_new_version_of_the_operator_rolls_one_workload_after_the_other() {
    let objects: Vec<_> = (0..40)
        .map(|number| site(&format!("site-{number}"), json!({"replicas": 1})))
        .collect();
    let scenario = objects.iter().fold(scenario(), |scenario, object| {
        scenario.object(object.clone())
    });
    scenario.run(async |world| {
        for object in &objects {
            world.ready(object).await;
        }
        let rolled = || {
            let all = of_kind(&world, "Deployment");
            let image = "/spec/template/spec/containers/0/image";
            all.iter()
                .filter(|one| one.pointer(image) == Some(&json!("nginx:2")))
                .count()
        };
        "nginx:2".clone_into(&mut world.provider.0.lock().unwrap());
        for object in &objects {
            world.patch(
                object,
                &json!({"metadata": {"annotations": {"opgen.dev/reconcile-at": "now"}}}),
            );
        }
        world.advance(secs(5)).await;
        assert!(
            (10..=16).contains(&rolled()),
            "{} after five seconds",
            rolled()
        );
        world.advance(secs(35)).await;
        assert_eq!(rolled(), 40);
        // What a spec asks for is not held back.
        for object in &objects {
            world.patch(object, &json!({"spec": {"replicas": 2}}));
        }
        world.advance(secs(3)).await;
        let all = of_kind(&world, "Deployment");
        assert!(all.iter().all(|one| one["spec"]["replicas"] == 2));
    });
}

#[test]
pub fn a_child_is_deleted_on_request_and_only_once() {
    let object = site("a", json!({"replicas": 1}));
    let other = site("b", json!({"replicas": 1}));
    scenario()
        .object(object.clone())
        .object(other.clone())
        .run(async |world| {
            world.ready(&object).await;
            world.ready(&other).await;
            world.patch(&object, &json!({"spec": {"replicas": 0}}));
            let gone = world
                .until(|| {
                    of_kind(&world, "Deployment").len() == 1
                        && of_kind(&world, "Service").len() == 1
                })
                .await;
            assert!(gone.is_some_and(|took| took < secs(2)), "{gone:?}");
            world.ready(&object).await;
            world.advance(secs(3600)).await;
            assert_eq!(requests(&world, "delete", "deployments"), 1);
            assert_eq!(
                only(&world, "Deployment")["metadata"]["ownerReferences"][0]["name"],
                "b"
            );
        });
}

#[test]
pub fn a_child_that_goes_slowly_is_made_anew_when_it_is_gone() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        let first = only(&world, "Deployment");
        let name = first["metadata"]["name"].as_str().unwrap().to_owned();
        let held = |finalizers: serde_json::Value| {
            let patch = json!({"metadata": {"finalizers": finalizers}});
            world
                .cluster
                .patch_raw("Deployment", "default", &name, "", &patch)
                .unwrap();
        };
        held(json!(["example.com/slow"]));
        world
            .cluster
            .delete_raw("Deployment", "default", &name)
            .unwrap();
        world.advance(secs(120)).await;
        assert_eq!(
            only(&world, "Deployment")["metadata"]["uid"],
            first["metadata"]["uid"]
        );
        let applies = requests(&world, "patch", "deployments");
        assert_eq!(applies, 1, "nothing is applied onto what is going");
        held(json!(null));
        let anew = world
            .until(|| {
                let live = only(&world, "Deployment");
                live.is_object() && live["metadata"]["uid"] != first["metadata"]["uid"]
            })
            .await;
        assert!(anew.is_some_and(|took| took < secs(2)), "{anew:?}");
    });
}

/// A path that is not served at present, or a proxy, says 404 too: that ends no child.
#[test]
pub fn a_404_that_names_no_child_is_not_its_end() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        let unserved = world.cluster.inject(
            opgen_testkit::Fault::new()
                .verb("delete")
                .resource("deployments")
                .times(1)
                .fail_before_commit(404),
        );
        world.patch(&object, &json!({"spec": {"replicas": 0}}));
        let gone = world
            .until(|| of_kind(&world, "Deployment").is_empty())
            .await;
        assert_eq!(unserved.fired(), 1);
        assert!(gone.is_some_and(|took| took < secs(60)), "{gone:?}");
    });
}

/// A phase that failed is left by a new generation, and by nothing else.
#[test]
pub fn who_was_failed_by_hand_begins_anew_with_a_change() {
    let life = scenario().object(site("a", json!({"replicas": 1})));
    let grown = life.clone().change(json!({"spec": {"replicas": 2}}));
    assert_eq!(grown.check_under(&Trouble::FailedByHand), Ok(()));
    let labelled = life.change(json!({"metadata": {"labels": {"seen": "yes"}}}));
    let found = labelled.check_under(&Trouble::FailedByHand);
    assert!(
        matches!(found, Err(Violation::NoSuchMoment(_))),
        "{found:?}"
    );
}
