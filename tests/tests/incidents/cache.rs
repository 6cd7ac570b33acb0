//! What is read: lists, watches, caches.

use opgen_runtime::secs;
use opgen_testkit::Fault;
use serde_json::json;

use crate::{
    database::{Cloud, database, scenario},
    site::{self, requests, site},
};

/// Deleted and made again while nobody looked: the generation is 1 as before.
#[test]
pub fn a_namesake_with_the_same_generation_is_new() {
    scenario(Cloud::default)
        .object(database("a"))
        .run(async |world| {
            world.ready(&database("a")).await;
            world.advance(secs(60)).await;
            let missed = world
                .cluster
                .inject(Fault::new().resource("databases").drop_events());
            // A fault takes hold of a watch as it opens.
            world.advance(secs(300)).await;
            world.patch(&database("a"), &json!({"metadata": {"finalizers": null}}));
            world.delete(&database("a"));
            world.advance(secs(1)).await;
            assert_eq!(missed.fired(), 2);
            missed.remove();
            world.cluster.create_raw(database("a")).unwrap();
            assert!(world.ready(&database("a")).await < secs(5));
            assert_eq!(world.provider.created(), 2);
        });
}

#[test]
pub fn foreign_objects_of_an_owned_kind_are_not_cached() {
    let object = site("a", json!({"config": "plain"}));
    site::scenario().object(object.clone()).run(async |world| {
        for number in 0..200 {
            let foreign = json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": format!("foreign-{number}"), "namespace": "default"},
            });
            world.cluster.create_raw(foreign).unwrap();
        }
        world.ready(&object).await;
        world.advance(secs(10)).await;
        let text = world.metrics.encode();
        assert!(
            text.contains("opgen_cache_objects{kind=\"Site/ConfigMap\"} 1.0\n"),
            "{text}"
        );
    });
}

#[test]
pub fn managed_fields_are_not_kept() {
    scenario(Cloud::default)
        .object(database("a"))
        .run(async |world| {
            world.ready(&database("a")).await;
            world.advance(secs(30)).await;
            let mut object = world.get(&database("a")).unwrap();
            let whole = object.to_string().len();
            object["metadata"]
                .as_object_mut()
                .unwrap()
                .remove("managedFields");
            let bare = object.to_string().len();
            assert!(whole > bare + 300, "the server sends them");
            #[allow(clippy::cast_precision_loss)]
            let limit = bare as f64 * 1.1;
            let kept = world.metric("opgen_cache_bytes");
            assert!(kept > 100.0 && kept < limit, "{kept} bytes of {bare}");
        });
}

#[test]
pub fn long_lists_come_in_pages() {
    let object = site("a", json!({"secret": "s7"}));
    site::scenario().run(async |world| {
        for number in 0..1200 {
            let secret = json!({
                "apiVersion": "v1", "kind": "Secret",
                "metadata": {"name": format!("s{number}"), "namespace": "default"},
                "stringData": {"password": "x"},
            });
            world.cluster.create_raw(secret).unwrap();
        }
        world.cluster.create_raw(object.clone()).unwrap();
        world.ready(&object).await;
        // And one that asked at the start whether it may.
        let lists = requests(&world, "list", "secrets");
        assert!(lists >= 3, "{lists} lists");
    });
}

/// A watch is resumed from a version that has expired, and an object was deleted in the gap.
#[test]
pub fn what_went_while_the_watch_was_expired_is_forgotten() {
    scenario(Cloud::default)
        .object(database("a"))
        .object(database("b"))
        .run(async |world| {
            world.ready(&database("a")).await;
            world.ready(&database("b")).await;
            world.advance(secs(60)).await;
            let missed = world
                .cluster
                .inject(Fault::new().resource("databases").drop_events());
            // A fault takes hold of a watch as it opens.
            world.advance(secs(300)).await;
            world.patch(&database("a"), &json!({"metadata": {"finalizers": null}}));
            world.delete(&database("a"));
            world.advance(secs(1)).await;
            assert_eq!(missed.fired(), 2);
            missed.remove();
            world.cluster.inject(
                Fault::new()
                    .verb("watch")
                    .resource("databases")
                    .fail_before_commit(410)
                    .times(1),
            );
            world.advance(secs(600)).await;
            let text = world.metrics.encode();
            let line = "opgen_phase_objects{kind=\"Database\",phase=\"Ready\"} 1.0\n";
            assert!(text.contains(line), "{text}");
        });
}

/// Somebody takes the right to list secrets away. What the secret said holds until something else is known.
#[test]
pub fn what_a_refused_list_held_is_not_gone() {
    let object = site("a", json!({"secret": "mine"}));
    site::scenario().run(async |world| {
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": "mine", "namespace": "default"},
            "stringData": {"password": "known"},
        });
        world.cluster.create_raw(secret).unwrap();
        world.cluster.create_raw(object.clone()).unwrap();
        world.ready(&object).await;
        for verb in ["list", "watch"] {
            world.cluster.inject(
                Fault::new()
                    .verb(verb)
                    .resource("secrets")
                    .fail_before_commit(403),
            );
        }
        world.advance(secs(600)).await;
        let poke = json!({"metadata": {"annotations": {"opgen.dev/reconcile-at": "now"}}});
        world.patch(&object, &poke);
        world.advance(secs(60)).await;
        assert_eq!(world.get(&object).unwrap()["status"]["password"], "known");
    });
}

/// The version is too old for the server, which says so at the start of each watch: only a list helps.
#[test]
pub fn a_watch_refused_with_410_begins_with_a_list() {
    scenario(Cloud::default).run(async |world| {
        world.advance(secs(30)).await;
        let lists = || {
            let log = world.cluster.log();
            log.count(|entry| entry.verb == "list" && entry.resource == "databases")
        };
        let before = lists();
        let cut = Fault::new().resource("databases").close_watch_after(0);
        world.cluster.inject(cut.times(1));
        let refused = Fault::new()
            .verb("watch")
            .resource("databases")
            .fail_before_commit(410);
        let refused = world.cluster.inject(refused);
        world.advance(secs(600)).await;
        assert!(refused.fired() > 2, "{}", refused.fired());
        assert!(lists() > before + 2, "{} lists", lists() - before);
    });
}
