//! What the outside answers.

use std::time::Duration;

use opgen_runtime::secs;
use opgen_testkit::{Fault, World};
use serde_json::{Value, json};
use tokio::time::Instant;

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

/// The API server throttles, too: what it asks for is waited for, and nothing that was learned is lost.
#[test]
pub fn an_api_server_that_throttles_is_left_alone() {
    scenario(Cloud::default).run(async |world| {
        let busy = Fault::new().verb("patch").subresource("status");
        let busy = world.cluster.inject(busy.times(2).throttle(40));
        world.cluster.create_raw(database("a")).unwrap();
        for asked in 1..=2 {
            world.until(|| busy.fired() == asked).await;
            let calls = world.provider.all_calls().len();
            world.advance(secs(39)).await;
            assert_eq!(busy.fired(), asked, "it was to wait 40 s");
            assert_eq!(world.provider.all_calls().len(), calls);
        }
        // Up to a fifth more, so that not all come back at once.
        assert!(world.ready(&database("a")).await < secs(20));
        assert_eq!(world.provider.created(), 1);
        assert_eq!(world.metric("workqueue_retries_total"), 0.0, "no failure");
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

/// Six calls that began together never return, so they time out together. All others are answered.
#[test]
pub fn calls_that_time_out_together_give_no_rest_to_one_that_answers_others() {
    let cloud = || {
        let cloud = Cloud::default().with_create_time(Duration::from_millis(200));
        cloud.whose_first_creates_hang(6)
    };
    scenario(cloud).run(async |world| {
        let began = Instant::now();
        for number in 0..150 {
            let object = database(&format!("db-{number}"));
            world.cluster.create_raw(object).unwrap();
        }
        world.until(|| world.provider.created() >= 100).await;
        // The calls' timeout is 5 s, a breaker's first rest too.
        let took = began.elapsed();
        assert!(took > secs(5), "{took:?}: nothing timed out yet");
        let creates = world.provider.calls("create");
        let pause = creates.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert!(pause < Some(secs(2)), "a pause of {pause:?}");
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

/// The reason that stands on Reconciling.
fn reason(world: &World<Cloud>, object: &Value) -> String {
    let found = world.get(object).unwrap();
    let reason = &crate::gadget::condition(&found, "Reconciling")["reason"];
    reason.as_str().unwrap_or_default().to_owned()
}

fn is_told(world: &World<Cloud>) -> bool {
    let events = world.cluster.list_raw("events.events.k8s.io", "default");
    let mut events = events.unwrap().into_iter();
    events.any(|event| event["reason"] == "UpdateLoop")
}

/// The same mistake, in one phase: told again each five seconds, for as long as the phase may take.
#[test]
pub fn an_update_that_changes_nothing_is_slowed_down() {
    let object = database_with("a", json!({"habit": "literal", "size": "1024.0Mi"}));
    scenario(Cloud::default)
        .object(object.clone())
        .run(async |world| {
            world.advance(secs(60)).await;
            assert!(!is_told(&world), "too early: a provider may take a minute");
            assert_eq!(world.metric("opgen_hot_objects"), 0.0);
            world.advance(secs(540)).await;
            let updates = world.provider.calls("update").len();
            assert!((20..50).contains(&updates), "{updates} updates in 10 min");
            assert!(world.metric("opgen_hot_objects") > 0.5);
            assert_eq!(reason(&world, &object), "UpdateLoop");
            assert!(is_told(&world));
            let writes = world.object_writes();
            world.advance(secs(300)).await;
            assert_eq!(world.object_writes(), writes, "said once");
            world.patch(&object, &json!({"spec": {"habit": ""}}));
            world.advance(secs(5)).await;
            assert!(world.is_ready(&object), "{:#}", world.get(&object).unwrap());
            assert_eq!(world.metric("opgen_hot_objects"), 0.0);
            assert_ne!(reason(&world, &object), "UpdateLoop");
        });
}

/// And in two: sent, taken for done, found to be another, sent again.
#[test]
pub fn a_phase_that_is_taken_back_again_and_again_is_slowed_down() {
    let object = database_with("a", json!({"habit": "swing", "size": "1024.0Mi"}));
    scenario(Cloud::default)
        .object(object.clone())
        .run(async |world| {
            world.advance(secs(600)).await;
            let updates = world.provider.calls("update").len();
            assert!((6..25).contains(&updates), "{updates} updates in 10 min");
            assert!(world.metric("opgen_hot_objects") > 0.5);
            assert_eq!(reason(&world, &object), "UpdateLoop");
            assert!(is_told(&world));
            // It stays slow for as long as it goes on.
            world.advance(secs(3600)).await;
            let updates = world.provider.calls("update").len() - updates;
            assert!((30..70).contains(&updates), "{updates} updates in an hour");
            world.patch(&object, &json!({"spec": {"habit": ""}}));
            world.advance(secs(5)).await;
            assert!(world.is_ready(&object));
            assert_eq!(world.metric("opgen_hot_objects"), 0.0);
            assert_ne!(reason(&world, &object), "UpdateLoop");
        });
}
