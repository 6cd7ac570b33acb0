use opgen_runtime::{RunOptions, clients::Clients, secs};
use opgen_testkit::{Cluster, Fault};
use serde_json::json;

use crate::{
    kubelet::{answer_that, free_address},
    site::{Context, image, only, operator, requests, scenario, site},
};

#[test]
pub fn a_failing_watch_of_children_delays_only_what_needs_it() {
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
pub fn a_list_of_children_that_never_answers_delays_nothing_else() {
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
pub fn a_watch_that_fails_later_keeps_what_it_knew() {
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
pub fn a_store_that_is_not_complete_prunes_nothing() {
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

/// In real time: the probes live on a thread of their own.
#[tokio::test]
pub async fn readiness_names_the_watch_that_fails() {
    let cluster = Cluster::new();
    let home =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "site-operator"}});
    cluster.apply_manifests(&[home]).unwrap();
    cluster
        .apply_manifests(&operator(|options| options).manifests())
        .unwrap();
    cluster.inject(
        Fault::new()
            .verb("list")
            .resource("deployments")
            // The start-up check, then the watch: lost at run time.
            .occurrence(2)
            .times(1000)
            .fail_before_commit(403),
    );
    let addr = free_address();
    let options = RunOptions {
        probe_addr: Some(addr),
        ..RunOptions::default()
    };
    let clients = Clients::in_process(cluster.client());
    let run = operator(|options| options).run(clients, Context { image: image() }, options);
    let run = tokio::spawn(run);
    let says_why = |answer: &str| answer.contains("may not list or watch it");
    let is_alone = |answer: &str| says_why(answer) && !answer.contains("Site/Service");
    let answer = answer_that(addr, "/readyz", secs(10), is_alone).await;
    assert!(
        answer.contains("503") && answer.contains("Site/Deployment") && says_why(&answer),
        "{answer}"
    );
    assert!(
        !answer.contains("Site/Service"),
        "the others are well: {answer}"
    );
    cluster.clear_faults();
    let is_well = |answer: &str| answer.contains("200 OK");
    let answer = answer_that(addr, "/readyz", secs(20), is_well).await;
    assert!(is_well(&answer), "{answer}");
    run.abort();
}
