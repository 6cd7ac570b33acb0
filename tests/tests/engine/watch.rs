use opgen_runtime::secs;
use opgen_testkit::{Fault, World};
use serde_json::json;

use crate::gadget::{Fake, gadget, scenario};

#[test]
pub fn a_watch_that_breaks_is_taken_up_again() {
    scenario(Fake::default).run(async |world| {
        world.advance(secs(1)).await;
        let broken = world.cluster.inject(
            Fault::new()
                .verb("watch")
                .resource("gadgets")
                .times(3)
                .close_watch_after(1),
        );
        // A fault takes hold of a watch as it opens.
        world.cluster.cut_watches();
        for number in 0..10 {
            let object = gadget(&format!("gadget-{number}"));
            world.cluster.create_raw(object.clone()).unwrap();
            assert!(world.ready(&object).await < secs(120));
        }
        assert_eq!(broken.fired(), 3, "each of them was disturbed");
    });
}

#[test]
pub fn an_expired_version_leads_to_a_new_list() {
    scenario(Fake::default).run(async |world| {
        world.advance(secs(1)).await;
        let expired = world.cluster.inject(
            Fault::new()
                .verb("watch")
                .resource("gadgets")
                .times(1)
                .expire_watch_after(1),
        );
        // A fault takes hold of a watch as it opens.
        world.cluster.cut_watches();
        let lists = || {
            let log = world.cluster.log();
            log.count(|entry| entry.verb == "list" && entry.resource == "gadgets")
        };
        let before = lists();
        for number in 0..3 {
            world
                .cluster
                .create_raw(gadget(&format!("gadget-{number}")))
                .unwrap();
        }
        for number in 0..3 {
            world.ready(&gadget(&format!("gadget-{number}"))).await;
        }
        assert_eq!(expired.fired(), 1, "the watch was disturbed");
        assert!(lists() > before, "a new list");
    });
}

/// kube's watcher tries the same expired version for ever when the start of a watch is answered with 410.
#[test]
pub fn a_410_at_the_start_of_a_watch_is_no_dead_end() {
    scenario(Fake::default).run(async |world| {
        world.advance(secs(1)).await;
        world.cluster.inject(
            Fault::new()
                .verb("watch")
                .resource("gadgets")
                .times(1)
                .close_watch_after(0),
        );
        // The watch that is closed is the first.
        let refused = world.cluster.inject(
            Fault::new()
                .verb("watch")
                .resource("gadgets")
                .occurrence(2)
                .times(1000)
                .fail_before_commit(410),
        );
        world.cluster.cut_watches();
        let disturbed = world.until(|| refused.fired() > 0).await;
        assert!(disturbed.is_some(), "nothing was disturbed");
        world.cluster.create_raw(gadget("a")).unwrap();
        assert!(world.ready(&gadget("a")).await < secs(600));
    });
}

/// The schema served by the cluster may be laxer than the type of this operator.
fn be_lax(world: &World<Fake>) {
    let lax = json!({"spec": {"versions": [{
        "name": "v1", "served": true, "storage": true,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
    }]}});
    world
        .cluster
        .patch_raw(
            "CustomResourceDefinition",
            "",
            "gadgets.test.example.com",
            "",
            &lax,
        )
        .unwrap();
}

#[test]
pub fn an_admin_can_let_go_of_what_does_not_decode() {
    scenario(Fake::default).object(gadget("a")).run(async |world| {
        be_lax(&world);
        world.ready(&gadget("a")).await;
        world.patch(&gadget("a"), &json!({"spec": {"size": "large"}, "metadata": {"finalizers": ["test.example.com/cleanup", "example.com/other"]}}));
        world.delete(&gadget("a"));
        world.advance(secs(3600)).await;
        let finalizers = |world: &World<Fake>| world.get(&gadget("a")).unwrap()["metadata"]["finalizers"].clone();
        assert_eq!(finalizers(&world).as_array().unwrap().len(), 2, "nobody cleans up what does not decode");
        let writes = world.object_writes();
        world.patch(&gadget("a"), &json!({"metadata": {"annotations": {"opgen.dev/orphan-external": "true"}}}));
        world.advance(secs(3600)).await;
        assert_eq!(finalizers(&world), json!(["example.com/other"]), "no entry but ours");
        assert_eq!(world.object_writes(), writes + 1);
        world.patch(&gadget("a"), &json!({"metadata": {"finalizers": null}}));
        world.gone(&gadget("a")).await;
    });
}

#[test]
pub fn a_refused_letting_go_backs_off() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            be_lax(&world);
            world.ready(&gadget("a")).await;
            world.patch(&gadget("a"), &json!({"spec": {"size": "large"}}));
            world.delete(&gadget("a"));
            let told = json!({"metadata": {"annotations": {"opgen.dev/orphan-external": "true"}}});
            world.patch(&gadget("a"), &told);
            let refused = world.cluster.inject(
                Fault::new()
                    .verb("patch")
                    .resource("gadgets")
                    .fail_before_commit(500),
            );
            world.advance(secs(3600)).await;
            let tries = refused.fired();
            assert!((8..60).contains(&tries), "{tries} in an hour");
            world.cluster.clear_faults();
            world.gone(&gadget("a")).await;
        });
}

#[test]
pub fn an_object_that_does_not_decode_harms_no_other() {
    scenario(Fake::default).run(async |world| {
        be_lax(&world);
        let mut broken = gadget("broken");
        broken["spec"] = json!({"size": "large"});
        world.cluster.create_raw(broken).unwrap();
        world.cluster.create_raw(gadget("fine")).unwrap();
        world.ready(&gadget("fine")).await;
        assert!(
            world.metric("opgen_undecodable_objects") > 0.5,
            "{}",
            world.metrics.encode()
        );
    });
}
