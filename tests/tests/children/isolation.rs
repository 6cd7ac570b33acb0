use opgen_runtime::secs;
use opgen_testkit::Fault;
use serde_json::json;

use crate::site::{only, requests, scenario, site};

#[test]
fn a_failing_watch_of_children_delays_only_what_needs_it() {
    let plain = site("plain", json!({}));
    let needy = site("needy", json!({"replicas": 1}));
    scenario().run(async |world| {
        // Not one list of Deployments succeeds.
        let broken = world.cluster.inject(
            Fault::new()
                .verb("list")
                .resource("deployments")
                .fail_before_commit(500),
        );
        world.cluster.create_raw(plain.clone()).unwrap();
        world.cluster.create_raw(needy.clone()).unwrap();
        assert!(world.ready(&plain).await < secs(5));
        world.patch(&plain, &json!({"spec": {"config": "plain"}}));
        assert!(
            world.ready(&plain).await < secs(2),
            "a spec change waits for no watch of children"
        );
        world.advance(secs(300)).await;
        assert_eq!(
            requests(&world, "patch", "deployments"),
            0,
            "nothing is decided without the list"
        );
        assert!(broken.fired() > 3);
        world.cluster.clear_faults();
        assert!(
            world.ready(&needy).await < secs(40),
            "one backoff of the watch"
        );
        assert!(only(&world, "Deployment").is_object());
    });
}

#[test]
fn a_list_of_children_that_never_answers_delays_nothing_else() {
    let plain = site("plain", json!({}));
    scenario().run(async |world| {
        world
            .cluster
            .inject(Fault::new().verb("list").resource("deployments").hang());
        world.cluster.create_raw(plain.clone()).unwrap();
        assert!(world.ready(&plain).await < secs(5));
    });
}

#[test]
fn a_watch_that_fails_later_keeps_what_it_knew() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        world.advance(secs(30)).await;
        for verb in ["list", "watch"] {
            world.cluster.inject(
                Fault::new()
                    .verb(verb)
                    .resource("deployments")
                    .fail_before_commit(500),
            );
        }
        world.advance(secs(600)).await;
        world.patch(&object, &json!({"spec": {"replicas": 2}}));
        assert!(world.ready(&object).await < secs(5));
        assert_eq!(only(&world, "Deployment")["spec"]["replicas"], 2);
    });
}

#[test]
fn a_store_that_is_not_complete_prunes_nothing() {
    let object = site("a", json!({"parts": 3}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        world.advance(secs(30)).await;
        for verb in ["list", "watch"] {
            world.cluster.inject(
                Fault::new()
                    .verb(verb)
                    .resource("configmaps")
                    .fail_before_commit(500),
            );
        }
        // The open watch ends after its 200 s; from then on the cache is a memory.
        world.advance(secs(300)).await;
        world.patch(&object, &json!({"spec": {"parts": 1}}));
        world.advance(secs(300)).await;
        assert_eq!(crate::site::of_kind(&world, "ConfigMap").len(), 3);
        world.cluster.clear_faults();
        let pruned = world
            .until(|| crate::site::of_kind(&world, "ConfigMap").len() == 1)
            .await;
        assert!(pruned.unwrap() < secs(120), "{pruned:?}");
    });
}
