use opgen_runtime::secs;
use serde_json::json;

use crate::gadget::{Fake, condition, gadget, scenario};

fn annotated(name: &str, value: &str) -> serde_json::Value {
    json!({"metadata": {"annotations": {name: value}}})
}

#[test]
fn pause_holds_everything_and_its_end_lets_go() {
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
fn one_object_can_be_made_to_run() {
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
fn a_foreign_annotation_wakes_nobody() {
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
fn retained_things_outlive_the_object() {
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
fn an_admin_can_let_go_of_what_cannot_be_cleaned_up() {
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
