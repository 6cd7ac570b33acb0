//! What hangs, blocks or takes everything.

use opgen_runtime::secs;
use opgen_testkit::Fault;
use serde_json::json;

use crate::database::{Cloud, Mood, database, database_with, scenario};

#[test]
pub fn a_call_that_never_returns_is_counted_and_given_up() {
    scenario(Cloud::default).run(async |world| {
        world.provider.is(Mood::Hangs);
        world.cluster.create_raw(database("a")).unwrap();
        world.advance(secs(60)).await;
        let text = world.metrics.encode();
        assert!(text.contains("result=\"timeout\""), "{text}");
        world.provider.is(Mood::Well);
        assert!(world.ready(&database("a")).await < secs(120));
    });
}

/// Nothing answers any more: first lists, then the opening of watches, then writes. Each ends in an error, and all is
/// well once the server answers again.
#[test]
pub fn an_api_server_that_swallows_requests_is_survived() {
    scenario(Cloud::default).run(async |world| {
        let phases = [
            Fault::new().verb("list").resource("databases").hang(),
            Fault::new().verb("watch").resource("databases").hang(),
            Fault::new().verb("patch").resource("databases").hang(),
        ];
        for (number, fault) in phases.into_iter().enumerate() {
            // The watch that is open now has to end before another one can be swallowed.
            let expires = Fault::new().resource("databases").expire_watch_after(0);
            world.cluster.inject(expires.times(1));
            let swallowed = world.cluster.inject(fault);
            let object = database(&format!("db-{number}"));
            world.cluster.create_raw(object.clone()).unwrap();
            world.advance(secs(300)).await;
            assert!(swallowed.fired() > 0);
            world.cluster.clear_faults();
            let took = world.ready(&object).await;
            assert!(took < secs(400), "{took:?} after {number}");
        }
    });
}

#[test]
pub fn a_handler_that_never_ends_is_cut() {
    let object = database_with("a", json!({"habit": "forever"}));
    scenario(Cloud::default).object(object).run(async |world| {
        world.advance(secs(60)).await;
        assert!(world.provider.calls("observe").len() > 2, "it runs again");
        let text = world.metrics.encode();
        assert!(text.contains("reason=\"timeout\""), "{text}");
    });
}

#[test]
pub fn waiting_objects_do_not_wait_for_each_other() {
    scenario(|| Cloud::default().with_create_time(secs(4))).run(async |world| {
        let objects: Vec<_> = (0..24)
            .map(|number| database(&format!("db-{number}")))
            .collect();
        for object in &objects {
            world.cluster.create_raw(object.clone()).unwrap();
        }
        let started = tokio::time::Instant::now();
        for object in &objects {
            world.ready(object).await;
        }
        // Three rounds of eight, which is what the client bears.
        let took = started.elapsed();
        assert!(took < secs(40), "{took:?}");
    });
}

#[test]
pub fn a_provider_is_called_no_more_often_at_once_than_it_bears() {
    scenario(|| Cloud::default().with_create_time(secs(1))).run(async |world| {
        for number in 0..100 {
            world
                .cluster
                .create_raw(database(&format!("db-{number}")))
                .unwrap();
        }
        for number in 0..100 {
            world.ready(&database(&format!("db-{number}"))).await;
        }
        assert_eq!(world.provider.most_at_once(), 8);
    });
}

#[test]
pub fn one_client_serves_many_objects_at_once() {
    scenario(|| Cloud::default().with_create_time(secs(4))).run(async |world| {
        for number in 0..8 {
            world
                .cluster
                .create_raw(database(&format!("db-{number}")))
                .unwrap();
        }
        for number in 0..8 {
            let took = world.ready(&database(&format!("db-{number}"))).await;
            assert!(took < secs(10), "{took:?}");
        }
        assert_eq!(world.provider.most_at_once(), 8);
    });
}
