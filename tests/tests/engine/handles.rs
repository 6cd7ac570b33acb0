use opgen_runtime::secs;
use serde_json::json;

use crate::gadget::{Fake, condition, gadget, scenario};

fn annotated(name: &str, value: &str) -> serde_json::Value {
    json!({"metadata": {"annotations": {name: value}}})
}

#[test]
pub fn pause_holds_everything_and_its_end_lets_go() {
    let mut object = gadget("a");
    object["metadata"]["annotations"] = json!({"opgen.dev/paused": "true"});
    scenario(Fake::default).object(object).run(async |world| {
        let paused = || condition(&world.get(&gadget("a")).unwrap(), "Paused");
        world.advance(secs(3600)).await;
        assert_eq!(paused()["status"], "True");
        assert_eq!(world.object_writes(), 1, "it is said, once");
        world.patch(&gadget("a"), &annotated("opgen.dev/paused", "false"));
        world.ready(&gadget("a")).await;
        assert!(paused().is_null());
        world.advance(secs(60)).await;
        let writes = world.object_writes();
        world.patch(&gadget("a"), &annotated("opgen.dev/paused", "true"));
        world.advance(secs(3600)).await;
        assert_eq!(paused()["status"], "True");
        assert_eq!(world.object_writes(), writes + 1);
        world.patch(&gadget("a"), &annotated("opgen.dev/paused", "false"));
        world.advance(secs(3600)).await;
        assert!(paused().is_null());
        assert_eq!(world.object_writes(), writes + 2, "and taken back, once");
        world.patch(&gadget("a"), &annotated("opgen.dev/paused", "true"));
        world.delete(&gadget("a"));
        world.advance(secs(3600)).await;
        assert_eq!(world.provider.live(), 1, "pause holds deletion too");
        world.patch(&gadget("a"), &annotated("opgen.dev/paused", "false"));
        world.gone(&gadget("a")).await;
        assert_eq!(world.provider.live(), 0);
    });
}

#[test]
pub fn one_object_can_be_made_to_run() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            world.advance(secs(5)).await;
            let runs = world.metric("controller_runtime_reconcile_total");
            world.patch(&gadget("a"), &annotated("opgen.dev/reconcile-at", "now"));
            world.advance(secs(1)).await;
            assert!(world.metric("controller_runtime_reconcile_total") > runs);
        });
}

#[test]
pub fn a_foreign_annotation_wakes_nobody() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            world.advance(secs(5)).await;
            let runs = world.metric("controller_runtime_reconcile_total");
            for number in 0..50 {
                world.patch(
                    &gadget("a"),
                    &annotated("example.com/touched", &number.to_string()),
                );
            }
            world.advance(secs(5)).await;
            assert!((world.metric("controller_runtime_reconcile_total") - runs).abs() < 0.5);
        });
}

#[test]
pub fn retained_things_outlive_the_object() {
    let mut object = gadget("a");
    object["metadata"]["annotations"] = json!({"opgen.dev/deletion-policy": "retain"});
    scenario(Fake::default).object(object).run(async |world| {
        world.ready(&gadget("a")).await;
        world.delete(&gadget("a"));
        world.gone(&gadget("a")).await;
        assert_eq!(world.provider.live(), 1);
    });
}

#[test]
pub fn an_admin_can_let_go_of_what_cannot_be_cleaned_up() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            world.provider.hang_on("gadget");
            world.delete(&gadget("a"));
            world.advance(secs(3600)).await;
            assert!(
                world.get(&gadget("a")).is_some(),
                "nobody knows whether it is gone"
            );
            world.patch(
                &gadget("a"),
                &annotated("opgen.dev/orphan-external", "true"),
            );
            world.gone(&gadget("a")).await;
        });
}

/// A clean-up that is held is a clean-up that takes too long.
#[test]
pub fn a_paused_clean_up_is_counted_as_stalled() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            let pause = json!({"metadata": {"annotations": {"opgen.dev/paused": "true"}}});
            world.patch(&gadget("a"), &pause);
            world.delete(&gadget("a"));
            world.advance(secs(3500)).await;
            assert!(world.metric("opgen_cleanup_stalled") < 0.5);
            world.advance(secs(200)).await;
            assert!((world.metric("opgen_cleanup_stalled") - 1.0).abs() < 0.1);
            let object = world.get(&gadget("a")).unwrap();
            assert_eq!(
                condition(&object, "CleanupStalled")["status"],
                "True",
                "{object:#}"
            );
            assert_eq!(condition(&object, "Paused")["status"], "True");
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
            let writes = world.object_writes();
            world.advance(secs(3 * 3600)).await;
            assert_eq!(world.object_writes(), writes, "said once");
            world.patch(
                &gadget("a"),
                &json!({"metadata": {"annotations": {"opgen.dev/paused": null}}}),
            );
            world.gone(&gadget("a")).await;
            assert!(world.metric("opgen_cleanup_stalled") < 0.5);
        });
}
