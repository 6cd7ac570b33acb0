use opgen_runtime::Operator;
use opgen_testkit::{Fault, Scenario};
use serde_json::json;

use crate::gadget::{Context, Fake, GadgetPhase, context, gadget, scenario};

const OURS: &str = "test.example.com/cleanup";

#[test]
pub fn nothing_is_made_outside_before_the_finalizer_is_persisted() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            let refused = world.cluster.inject(
                Fault::new()
                    .verb("patch")
                    .resource("gadgets")
                    .subresource("")
                    .fail_before_commit(500),
            );
            world.advance(opgen_runtime::secs(600)).await;
            assert!(refused.fired() > 0);
            assert_eq!(world.provider.calls("create"), 0);
            world.cluster.clear_faults();
            world.ready(&gadget("a")).await;
            let object = world.get(&gadget("a")).unwrap();
            assert_eq!(object["metadata"]["finalizers"], json!([OURS]));
        });
}

#[test]
pub fn finalizer_and_identity_are_one_patch_and_the_whole_life_costs_the_minimum() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            // Identity and finalizer; Pending to Building; Building to Ready.
            assert_eq!(world.object_writes(), 3);
            // Past the settle window of the provider, or its "not found" would not count yet.
            world.advance(opgen_runtime::secs(60)).await;
            world.delete(&gadget("a"));
            world.gone(&gadget("a")).await;
            // Deleting is shown while the outside goes; then the finalizer comes off.
            assert_eq!(world.object_writes(), 5);
        });
}

#[test]
pub fn only_our_own_finalizer_comes_off() {
    let mut object = gadget("a");
    object["metadata"]["finalizers"] = json!(["example.com/other"]);
    scenario(Fake::default).object(object).run(async |world| {
        world.ready(&gadget("a")).await;
        world.delete(&gadget("a"));
        let ours_is_off = world
            .until(|| {
                world.get(&gadget("a")).unwrap()["metadata"]["finalizers"]
                    == json!(["example.com/other"])
            })
            .await;
        assert!(ours_is_off.is_some());
        assert_eq!(world.provider.live(), 0);
        world.advance(opgen_runtime::secs(3600)).await;
        assert!(
            world.get(&gadget("a")).is_some(),
            "the other finalizer still holds it"
        );
    });
}

#[test]
pub fn a_terminating_object_is_left_alone() {
    let mut object = gadget("a");
    object["metadata"]["finalizers"] = json!(["example.com/other"]);
    scenario(Fake::default).run(async |world| {
        world.cluster.create_raw(object).unwrap();
        world.delete(&gadget("a"));
        let mark = world.cluster.log().last();
        // The operator is there, and works.
        world.cluster.create_raw(gadget("b")).unwrap();
        world.ready(&gadget("b")).await;
        world.advance(opgen_runtime::secs(3600)).await;
        let mut log = world.cluster.log().since(mark);
        log.retain(|entry| entry.committed && entry.resource == "gadgets" && entry.name == "a");
        assert!(log.is_empty(), "{log:#?}");
        assert_eq!(world.provider.calls("create"), 1, "that of the other one");
    });
}

#[test]
pub fn a_copied_manifest_gets_an_identity_of_its_own() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            let identity = world.get(&gadget("a")).unwrap()["metadata"]["annotations"].clone();
            let mut copy = gadget("b");
            copy["metadata"]["annotations"] = identity;
            world.cluster.create_raw(copy.clone()).unwrap();
            world.ready(&copy).await;
            assert_eq!(
                world.provider.created(),
                2,
                "the copy does not take over what the original made"
            );
        });
}

#[test]
pub fn a_restored_object_finds_what_it_made() {
    scenario(Fake::default).object(gadget("a")).run(async |world| {
        world.ready(&gadget("a")).await;
        let mut backup = world.get(&gadget("a")).unwrap();
        // A disaster: the object goes without its finalizer having run.
        world.patch(&gadget("a"), &json!({"metadata": {"finalizers": null}, "spec": {"size": 1}}));
        world.delete(&gadget("a"));
        world.until(|| world.get(&gadget("a")).is_none_or(|found| found["metadata"]["uid"] != backup["metadata"]["uid"])).await;
        backup["metadata"] = json!({
            "name": "a", "namespace": "default", "annotations": backup["metadata"]["annotations"],
        });
        world.cluster.create_raw(backup).unwrap();
        world.ready(&gadget("a")).await;
        assert_eq!(world.provider.live(), 1, "{:?}", world.provider.keys());
    });
}

#[test]
pub fn every_attempt_is_cleaned_up() {
    let mut object = gadget("a");
    object["spec"]["isInvalid"] = json!(true);
    scenario(Fake::default).object(object).run(async |world| {
        assert!(
            world
                .until(|| world.phase(&gadget("a")) == "Broken")
                .await
                .is_some()
        );
        world.patch(&gadget("a"), &json!({"spec": {"isInvalid": false}}));
        world.ready(&gadget("a")).await;
        let keys = world.provider.keys();
        assert!(
            keys.len() == 1 && keys[0].starts_with("gadget-2-"),
            "a new attempt has new keys: {keys:?}"
        );
        let looks = world.provider.calls("observe");
        world.delete(&gadget("a"));
        world.gone(&gadget("a")).await;
        assert_eq!(world.provider.live(), 0);
        // Attempt 2 twice (there, then gone), attempt 1 once.
        assert!(world.provider.calls("observe") >= looks + 3);
    });
}

#[test]
pub fn a_clean_up_that_hangs_is_told() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            world.provider.hang_on("gadget");
            world.delete(&gadget("a"));
            world.advance(opgen_runtime::secs(3000)).await;
            assert!(world.metric("opgen_cleanup_stalled") < 0.5);
            world.advance(opgen_runtime::secs(1200)).await;
            assert!(world.metric("opgen_cleanup_stalled") > 0.5);
            let object = world.get(&gadget("a")).unwrap();
            assert_eq!(
                crate::gadget::condition(&object, "CleanupStalled")["status"],
                "True",
                "{object:#}"
            );
            let events = world
                .cluster
                .list_raw("events.events.k8s.io", "default")
                .unwrap();
            assert!(
                events
                    .iter()
                    .any(|event| event["reason"] == "CleanupStalled"),
                "{events:?}"
            );
            world.provider.recover();
            world.gone(&gadget("a")).await;
            assert!(world.metric("opgen_cleanup_stalled") < 0.5);
        });
}

const FORMER: &str = "old.example.com/done";

fn successor() -> Scenario<Context, Fake> {
    let operator = || {
        Operator::new("gadget-operator")
            .kind_with::<GadgetPhase>(|kind| kind.former_finalizers([FORMER]))
    };
    Scenario::new(operator, Fake::default, context)
}

#[test]
pub fn a_former_finalizer_gives_way_in_the_same_patch() {
    let mut object = gadget("a");
    object["metadata"]["finalizers"] = json!([FORMER, "example.com/other"]);
    successor().object(object).run(async |world| {
        world.ready(&gadget("a")).await;
        let object = world.get(&gadget("a")).unwrap();
        assert_eq!(
            object["metadata"]["finalizers"],
            json!(["example.com/other", OURS])
        );
        assert_eq!(world.object_writes(), 3, "no patch more than without it");
    });
}

#[test]
pub fn a_former_finalizer_holds_the_clean_up_as_ours_does() {
    successor().run(async |world| {
        world.advance(opgen_runtime::secs(60)).await;
        world.provider.hang_on("gadget");
        let mut object = gadget("a");
        object["metadata"]["finalizers"] = json!([FORMER]);
        world.cluster.create_raw(object).unwrap();
        world.delete(&gadget("a"));
        world.advance(opgen_runtime::secs(600)).await;
        assert!(world.get(&gadget("a")).is_some());
        assert!(world.provider.calls("observe") > 0);
        world.provider.recover();
        world.gone(&gadget("a")).await;
    });
}

/// Anybody may edit the annotation. No attempt at all would be proven gone by nothing.
#[test]
pub fn an_attempt_of_nought_frees_nothing() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            world.advance(opgen_runtime::secs(60)).await;
            let object = world.get(&gadget("a")).unwrap();
            let text = &object["metadata"]["annotations"]["opgen.dev/identity"];
            let nought = text
                .as_str()
                .unwrap()
                .replace("\"attempt\":1", "\"attempt\":0");
            assert_ne!(*text, nought);
            let edited = json!({"metadata": {"annotations": {"opgen.dev/identity": nought}}});
            world.patch(&gadget("a"), &edited);
            world.delete(&gadget("a"));
            world.gone(&gadget("a")).await;
            assert_eq!(world.provider.live(), 0);
        });
}

/// As a restore under another name makes it that brings the status back, too.
#[test]
pub fn a_copy_with_its_status_takes_nothing_over() {
    let mut object = gadget("a");
    object["spec"]["isInvalid"] = json!(true);
    scenario(Fake::default).object(object).run(async |world| {
        world.until(|| world.phase(&gadget("a")) == "Broken").await;
        world.patch(&gadget("a"), &json!({"spec": {"isInvalid": false}}));
        world.ready(&gadget("a")).await;
        let original = world.get(&gadget("a")).unwrap();
        let kept = crate::gadget::condition(&original, "Identity");
        assert_eq!(kept["status"], "True", "{original:#}");
        let mut copy = gadget("b");
        copy["metadata"]["annotations"] = original["metadata"]["annotations"].clone();
        copy["metadata"]["annotations"]["opgen.dev/paused"] = json!("true");
        world.cluster.create_raw(copy.clone()).unwrap();
        let status = json!({"status": original["status"]});
        world
            .cluster
            .patch_raw("Gadget", "default", "b", "status", &status)
            .unwrap();
        world.advance(opgen_runtime::secs(10)).await;
        let go_on = json!({"metadata": {"annotations": {"opgen.dev/paused": null}}});
        world.patch(&copy, &go_on);
        world.advance(opgen_runtime::secs(60)).await;
        // What the copied status says is not believed later, either.
        let found = world.get(&copy).unwrap();
        let kept = crate::gadget::condition(&found, "Identity");
        assert_eq!(kept, json!(null), "{found:#}");
        world.delete(&copy);
        world.gone(&copy).await;
        assert_eq!(world.provider.live(), 1, "the original's is its own");
    });
}
