//! What the outside answers.

use opgen_runtime::secs;
use serde_json::json;

use crate::database::{Cloud, Mood, database, database_with, scenario};

/// A timeout, a 401, a 200 with nothing in it, a 503, a listing that breaks off: nobody knows whether it is gone.
#[test]
pub fn a_provider_out_of_its_mind_gets_nothing_released() {
    let moods = [
        (Mood::Hangs, false),
        (Mood::Says(401), false),
        (Mood::Says(200), false),
        (Mood::Says(503), false),
        (Mood::CutsPages, true),
    ];
    for (mood, lists) in moods {
        let object = database_with("a", json!({"lists": lists}));
        scenario(Cloud::default)
            .object(object.clone())
            .run(async |world| {
                world.ready(&object).await;
                world.advance(secs(60)).await;
                world.provider.is(mood);
                world.delete(&object);
                world.advance(secs(600)).await;
                assert!(world.get(&object).is_some(), "released on {mood:?}");
                assert_eq!(world.provider.live(), 1);
                world.provider.is(Mood::Well);
                world.gone(&object).await;
                assert_eq!(world.provider.live(), 0);
            });
    }
}

/// A proxy hands out the same page again and again: what is not on it may be on the next one.
#[test]
pub fn a_listing_without_an_end_proves_nothing() {
    let object = database_with("a", json!({"lists": true}));
    scenario(Cloud::default)
        .object(object.clone())
        .run(async |world| {
            world.ready(&object).await;
            world.advance(secs(60)).await;
            world.provider.is(Mood::RepeatsPages);
            world.delete(&object);
            world.advance(secs(600)).await;
            assert!(world.get(&object).is_some());
            world.provider.is(Mood::Well);
            world.gone(&object).await;
            assert_eq!(world.provider.live(), 0);
        });
}

#[test]
pub fn a_provider_that_throttles_is_left_alone() {
    scenario(Cloud::default).run(async |world| {
        world.provider.is(Mood::Throttles(60));
        for number in 0..20 {
            world
                .cluster
                .create_raw(database(&format!("db-{number}")))
                .unwrap();
        }
        world.advance(secs(55)).await;
        // As many as were under way when the first answer came.
        let calls = world.provider.all_calls().len();
        assert!(calls <= 8, "{calls} calls");
        world.provider.is(Mood::Well);
        for number in 0..20 {
            world.ready(&database(&format!("db-{number}"))).await;
        }
    });
}

#[test]
pub fn a_provider_that_fails_is_given_a_rest() {
    scenario(Cloud::default).run(async |world| {
        world.provider.is(Mood::Says(503));
        for number in 0..50 {
            world
                .cluster
                .create_raw(database(&format!("db-{number}")))
                .unwrap();
        }
        world.advance(secs(300)).await;
        let calls = world.provider.all_calls().len();
        assert!(calls < 60, "{calls} calls in five minutes");
        world.provider.is(Mood::Well);
        for number in 0..50 {
            world.ready(&database(&format!("db-{number}"))).await;
        }
    });
}

/// Created, and not to be found for twenty seconds; deleted meanwhile.
#[test]
pub fn what_comes_to_light_late_is_cleaned_up() {
    scenario(|| Cloud::default().that_hides_what_is_new(secs(20)))
        .object(database("a"))
        .run(async |world| {
            world.until(|| world.provider.created() == 1).await;
            world.delete(&database("a"));
            world.gone(&database("a")).await;
            world.advance(secs(60)).await;
            assert_eq!(world.provider.live(), 0, "leaked");
            assert_eq!(world.provider.created(), 1, "created twice");
        });
}

/// `1024.0Mi` in the spec is `1Gi` to the cloud, and the author compares the words.
#[test]
pub fn an_update_that_never_arrives_comes_to_an_end() {
    let more = json!({"habit": "literal", "size": "1024.0Mi"});
    let object = database_with("a", more);
    scenario(Cloud::default)
        .object(object.clone())
        .run(async |world| {
            world.advance(secs(2400)).await;
            assert_eq!(world.phase(&object), "Failed");
            let found = world.get(&object).unwrap();
            assert_eq!(
                crate::gadget::condition(&found, "Stalled")["reason"],
                "DeadlineExceeded"
            );
            let updates = world.provider.calls("update").len();
            world.advance(secs(3 * 3600)).await;
            assert_eq!(world.provider.calls("update").len(), updates);
        });
}
