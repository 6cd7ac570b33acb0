use opgen_runtime::secs;
use opgen_testkit::Fault;
use serde_json::json;

use crate::gadget::{Fake, condition, gadget, scenario};

#[test]
pub fn a_status_that_did_not_change_is_not_sent() {
    scenario(|| Fake::default().with_build_time(secs(60)))
        .object(gadget("a"))
        .run(async |world| {
            world
                .until(|| world.phase(&gadget("a")) == "Building")
                .await;
            let (writes, skipped) = (
                world.object_writes(),
                world.metric("opgen_status_patches_total"),
            );
            world.advance(secs(40)).await;
            // Forty looks, each with another `lookedAt`, which is volatile.
            assert!(world.provider.calls("observe") > 20);
            assert_eq!(world.object_writes(), writes);
            assert!(world.metric("opgen_status_patches_total") > skipped + 20.0);
        });
}

#[test]
pub fn conditions_follow_the_phase() {
    scenario(|| Fake::default().with_build_time(secs(60)))
        .object(gadget("a"))
        .run(async |world| {
            world
                .until(|| world.phase(&gadget("a")) == "Building")
                .await;
            let building = world.get(&gadget("a")).unwrap();
            assert_eq!(condition(&building, "Ready")["status"], "False");
            assert_eq!(condition(&building, "Reconciling")["status"], "True");
            world.ready(&gadget("a")).await;
            let ready = world.get(&gadget("a")).unwrap();
            assert_eq!(condition(&ready, "Ready")["status"], "True");
            assert_eq!(condition(&ready, "Reconciling")["status"], "False");
            assert_eq!(condition(&ready, "Stalled")["status"], "False");
            assert_eq!(ready["status"]["observedGeneration"], 1);
            assert_ne!(
                condition(&ready, "Ready")["lastTransitionTime"],
                condition(&ready, "Stalled")["lastTransitionTime"],
                "only a flip moves the time"
            );
        });
}

#[test]
pub fn ready_speaks_of_the_generation_that_converged() {
    scenario(|| Fake::default().with_build_time(secs(20)))
        .object(gadget("a"))
        .run(async |world| {
            world
                .until(|| world.phase(&gadget("a")) == "Building")
                .await;
            // The spec moves on while the first one is being built.
            world.patch(&gadget("a"), &json!({"spec": {"size": 2}}));
            world.until(|| world.phase(&gadget("a")) == "Ready").await;
            world.ready(&gadget("a")).await;
            let ready = world.get(&gadget("a")).unwrap();
            assert_eq!(condition(&ready, "Ready")["observedGeneration"], 2);
        });
}

#[test]
pub fn a_foreign_move_is_never_overwritten() {
    scenario(|| Fake::default().with_create_time(secs(3))).object(gadget("a")).run(async |world| {
        world.until(|| world.provider.calls("create") > 0).await;
        // While the handler of Pending runs, somebody else moves the object.
        let moved = json!({"status": {"phase": "Ready", "phaseEnteredAt": "2026-01-01T00:00:01.000000Z"}});
        world.cluster.patch_raw("Gadget", "default", "a", "status", &moved).unwrap();
        world.advance(secs(30)).await;
        assert_eq!(world.phase(&gadget("a")), "Ready");
        let building = world.cluster.log().count(|entry| {
            entry.subresource == "status" && entry.committed && entry.user.starts_with("system:serviceaccount")
        });
        assert!(building <= 1, "the run that lost the race wrote nothing; the next one wrote the conditions");
    });
}

#[test]
pub fn fields_of_others_stay() {
    scenario(Fake::default).object(gadget("a")).run(async |world| {
        world.ready(&gadget("a")).await;
        let foreign = json!({"status": {"conditions": [
            {"type": "Backup", "status": "True", "reason": "Done", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"},
        ]}});
        // A merge patch replaces the list: the runtime's conditions are gone until the next run.
        world.cluster.patch_raw("Gadget", "default", "a", "status", &foreign).unwrap();
        world.patch(&gadget("a"), &json!({"metadata": {"annotations": {"opgen.dev/reconcile-at": "now"}}}));
        world.ready(&gadget("a")).await;
        let object = world.get(&gadget("a")).unwrap();
        assert_eq!(condition(&object, "Backup")["reason"], "Done");
    });
}

#[test]
pub fn a_phase_of_another_version_is_left_alone() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            let newer = json!({"status": {"phase": "Upgrading", "id": "kept"}});
            world
                .cluster
                .patch_raw("Gadget", "default", "a", "status", &newer)
                .unwrap();
            world.patch(&gadget("a"), &json!({"spec": {"size": 2}}));
            let told = world
                .until(|| {
                    condition(&world.get(&gadget("a")).unwrap(), "UnknownPhase")["status"] == "True"
                })
                .await;
            assert!(told.is_some());
            world.advance(secs(3600)).await;
            let object = world.get(&gadget("a")).unwrap();
            assert_eq!(
                (&object["status"]["phase"], &object["status"]["id"]),
                (&json!("Upgrading"), &json!("kept"))
            );
            world.delete(&gadget("a"));
            world.gone(&gadget("a")).await;
            assert_eq!(world.provider.live(), 0);
        });
}

#[test]
pub fn a_refused_status_does_not_stop_the_clean_up() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            world.cluster.inject(
                Fault::new()
                    .verb("patch")
                    .resource("gadgets")
                    .subresource("status")
                    .fail_before_commit(403),
            );
            world.delete(&gadget("a"));
            world.gone(&gadget("a")).await;
            assert_eq!(world.provider.live(), 0);
        });
}

#[test]
pub fn a_refused_status_is_said_and_not_hammered() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            let refused = world.cluster.inject(
                Fault::new()
                    .verb("patch")
                    .resource("gadgets")
                    .subresource("status")
                    .times(6)
                    .fail_before_commit(403),
            );
            world.advance(secs(20)).await;
            assert!((2..=6).contains(&refused.fired()), "{}", refused.fired());
            let events = world
                .cluster
                .list_raw("events.events.k8s.io", "default")
                .unwrap();
            assert!(
                events.iter().any(|event| event["reason"] == "WriteRefused"),
                "{events:?}"
            );
            world.ready(&gadget("a")).await;
            let object = world.get(&gadget("a")).unwrap();
            assert_eq!(
                condition(&object, "WriteRefused"),
                serde_json::Value::Null,
                "it goes once a write is accepted"
            );
            assert_eq!(world.provider.created(), 1);
        });
}
