use opgen_runtime::secs;
use opgen_testkit::Fault;
use serde_json::{Value, json};

use crate::site::{only, requests, scenario, scenario_with, site};

fn name(child: &Value) -> String {
    child["metadata"]["name"].as_str().unwrap().to_owned()
}

#[test]
pub fn a_deleted_child_is_made_anew() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        let first = only(&world, "Deployment");
        world
            .cluster
            .delete_raw("Deployment", "default", &name(&first))
            .unwrap();
        let took = world.until(|| only(&world, "Deployment").is_object()).await;
        assert!(took.unwrap() < secs(2));
        assert_ne!(
            only(&world, "Deployment")["metadata"]["uid"],
            first["metadata"]["uid"]
        );
        world.advance(secs(1)).await;
        assert!(world.metric("opgen_children_applied_total") > 0.0);
        assert!(
            world.metrics.encode().contains("result=\"healed\""),
            "{}",
            world.metrics.encode()
        );
    });
}

#[test]
pub fn an_edited_child_is_brought_back() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        let web = name(&only(&world, "Deployment"));
        let edits = [
            json!({"spec": {"replicas": 7}}),
            json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "other:1"}]}}}}),
            json!({"metadata": {"labels": {"opgen.dev/owner-kind": null}}}),
            json!({"metadata": {"ownerReferences": null}}),
        ];
        let wanted = only(&world, "Deployment");
        for edit in edits {
            world.cluster.patch_raw("Deployment", "default", &web, "", &edit).unwrap();
            let healed = world
                .until(|| {
                    let live = only(&world, "Deployment");
                    live["spec"] == wanted["spec"]
                        && live["metadata"]["labels"] == wanted["metadata"]["labels"]
                        && live["metadata"]["ownerReferences"] == wanted["metadata"]["ownerReferences"]
                })
                .await;
            assert!(healed.is_some_and(|took| took < secs(2)), "{healed:?} after {edit}");
            // The permits for healing come back.
            world.advance(secs(300)).await;
        }
    });
}

#[test]
pub fn what_others_add_stays() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        let web = name(&only(&world, "Deployment"));
        let added = json!({"metadata": {"annotations": {"example.com/note": "kept"}}, "spec": {"paused": true}});
        world.cluster.patch_raw("Deployment", "default", &web, "", &added).unwrap();
        world.advance(secs(3600)).await;
        let live = only(&world, "Deployment");
        assert_eq!(live["metadata"]["annotations"]["example.com/note"], "kept");
        assert_eq!(live["spec"]["paused"], true);
        assert_eq!(requests(&world, "patch", "deployments"), 1);
    });
}

#[test]
pub fn an_immutable_field_holds_the_owner_without_hammering() {
    let object = site("a", json!({"job": "true"}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        world.patch(&object, &json!({"spec": {"job": "false"}}));
        let told = world
            .until(|| {
                crate::site::condition(&world, &object, "ChildBlocked")["reason"]
                    == "ImmutableField"
            })
            .await;
        assert!(told.unwrap() < secs(2), "{:#?}", world.get(&object));
        assert_eq!(
            crate::site::condition(&world, &object, "Stalled")["status"],
            "True"
        );
        let sent = requests(&world, "patch", "jobs");
        world.advance(secs(3600)).await;
        assert!(
            requests(&world, "patch", "jobs") - sent <= 14,
            "once in five minutes"
        );
        assert_eq!(
            only(&world, "Job")["spec"]["template"]["spec"]["containers"][0]["command"],
            json!(["true"])
        );
        world.patch(&object, &json!({"spec": {"job": "true"}}));
        world.ready(&object).await;
        assert!(crate::site::condition(&world, &object, "ChildBlocked").is_null());
    });
}

#[test]
pub fn an_immutable_field_recreates_where_that_is_allowed() {
    let object = site("a", json!({"job": "true"}));
    scenario_with(opgen_runtime::children::OwnedOptions::recreate_on_immutable)
        .object(object.clone())
        .run(async |world| {
            world.ready(&object).await;
            let first = only(&world, "Job");
            world.patch(&object, &json!({"spec": {"job": "false"}}));
            let made = world
                .until(|| {
                    let live = only(&world, "Job");
                    live["spec"]["template"]["spec"]["containers"][0]["command"] == json!(["false"])
                })
                .await;
            assert!(made.unwrap() < secs(10));
            assert_ne!(
                only(&world, "Job")["metadata"]["uid"],
                first["metadata"]["uid"]
            );
            world.ready(&object).await;
        });
}

#[test]
pub fn a_lagging_watch_leads_to_no_second_apply() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        let lag = Fault::new()
            .verb("watch")
            .resource("deployments")
            .lag_events(secs(3));
        world.cluster.inject(lag);
        world.ready(&object).await;
        world.patch(&object, &json!({"spec": {"replicas": 2}}));
        world.ready(&object).await;
        world.advance(secs(120)).await;
        assert_eq!(requests(&world, "patch", "deployments"), 2);
        assert_eq!(only(&world, "Deployment")["spec"]["replicas"], 2);
    });
}

#[test]
pub fn a_deletion_that_the_watch_missed_is_healed() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        world.advance(secs(60)).await;
        let missed = Fault::new()
            .verb("watch")
            .resource("deployments")
            .drop_events();
        let missed = world.cluster.inject(missed);
        // A fault takes hold of a watch as it opens.
        world.advance(secs(300)).await;
        let web = name(&only(&world, "Deployment"));
        world
            .cluster
            .delete_raw("Deployment", "default", &web)
            .unwrap();
        world.advance(secs(1)).await;
        missed.remove();
        // The watch is cut, its version expires, and a new list finds the gap.
        let expired = Fault::new()
            .verb("watch")
            .resource("deployments")
            .times(1)
            .fail_before_commit(410);
        world.cluster.inject(expired);
        let healed = world.until(|| only(&world, "Deployment").is_object()).await;
        assert!(healed.is_some_and(|took| took < secs(900)), "{healed:?}");
    });
}

/// H66: what a child's status says is no reason to cut its owner's backoff, by whatever event it comes to light.
#[test]
pub fn the_status_of_a_child_cuts_no_backoff() {
    let object = site("a", json!({"replicas": 1}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        world.cluster.inject(
            Fault::new()
                .verb("patch")
                .resource("configmaps")
                .fail_before_commit(500),
        );
        world.patch(&object, &json!({"spec": {"config": "shared"}}));
        // Until the backoff is minutes long.
        world.advance(secs(1800)).await;
        let retries = || world.metric("workqueue_retries_total");
        let name = only(&world, "Deployment")["metadata"]["name"].clone();
        let before = retries();
        for ready in 0..30 {
            let status = json!({"status": {"replicas": 40, "readyReplicas": ready}});
            world
                .cluster
                .patch_raw(
                    "Deployment",
                    "default",
                    name.as_str().unwrap(),
                    "status",
                    &status,
                )
                .unwrap();
            // An event on the owner that means nothing.
            world.patch(
                &object,
                &json!({"metadata": {"labels": {"touched": ready.to_string()}}}),
            );
            world.advance(secs(2)).await;
        }
        let cut = retries() - before;
        assert!(cut <= 3.0, "{cut} retries within a minute");
        // What somebody decided about it is.
        world.patch(&object, &json!({"spec": {"replicas": 2}}));
        world.advance(secs(2)).await;
        assert!(retries() > before + cut, "a new generation cuts it");
    });
}
