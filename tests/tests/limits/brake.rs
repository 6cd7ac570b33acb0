use std::collections::BTreeSet;

use opgen_runtime::secs;
use serde_json::json;
use tokio::time::Instant;

use crate::ticket::{scenario, ticket};

fn name(number: usize) -> String {
    format!("t{number}")
}

#[test]
pub fn a_mass_deletion_is_slowed_down_and_told() {
    scenario(|kind| kind).run(async |world| {
        for number in 0..80 {
            world
                .cluster
                .create_raw(ticket(&name(number), "work"))
                .unwrap();
        }
        for number in 0..80 {
            world.ready(&ticket(&name(number), "work")).await;
        }
        world.advance(secs(30)).await;
        let started = Instant::now();
        for number in 0..80 {
            world.delete(&ticket(&name(number), "work"));
        }
        let destroyed = || {
            let calls = world.provider.calls("destroy");
            let names: BTreeSet<_> = calls.into_iter().map(|call| call.about).collect();
            names.len()
        };
        world.advance(secs(1)).await;
        assert_eq!(destroyed(), 20, "the burst");
        world.advance(secs(59)).await;
        assert!((45..=52).contains(&destroyed()), "{}", destroyed());
        assert!(world.metric("opgen_held_destroys") >= 25.0);
        let events = world
            .cluster
            .list_raw("events.events.k8s.io", "default")
            .unwrap();
        let held = events
            .iter()
            .filter(|event| event["reason"] == "MassDeletion")
            .count();
        assert!(held > 0, "people are told");
        // One that an admin lets go.
        let last = (0..80)
            .map(name)
            .find(|name| {
                let calls = world.provider.calls("destroy");
                !calls.iter().any(|call| call.about == *name)
            })
            .unwrap();
        let allow = json!({"metadata": {"annotations": {"opgen.dev/allow-destroy": "true"}}});
        world.patch(&ticket(&last, "work"), &allow);
        world.advance(secs(1)).await;
        let calls = world.provider.calls("destroy");
        assert!(calls.iter().any(|call| call.about == last));
        for number in 0..80 {
            world.gone(&ticket(&name(number), "work")).await;
        }
        let took = started.elapsed();
        assert!((secs(110)..secs(150)).contains(&took), "{took:?}");
    });
}

#[test]
pub fn a_few_deletions_are_not_slowed_down() {
    scenario(|kind| kind).run(async |world| {
        for number in 0..15 {
            world
                .cluster
                .create_raw(ticket(&name(number), "work"))
                .unwrap();
            world.ready(&ticket(&name(number), "work")).await;
        }
        world.advance(secs(30)).await;
        for number in 0..15 {
            world.delete(&ticket(&name(number), "work"));
        }
        world.advance(secs(5)).await;
        for number in 0..15 {
            assert!(world.get(&ticket(&name(number), "work")).is_none());
        }
    });
}

/// One clean-up a minute: the last ones would begin after the clean-up deadline.
#[test]
pub fn a_clean_up_that_the_brake_holds_too_long_is_counted_as_stalled() {
    let slow = |kind: crate::ticket::Options| kind.mass_deletion(1, 1);
    scenario(slow).run(async |world| {
        for number in 0..70 {
            world
                .cluster
                .create_raw(ticket(&name(number), "work"))
                .unwrap();
        }
        for number in 0..70 {
            world.ready(&ticket(&name(number), "work")).await;
        }
        for number in 0..70 {
            world.delete(&ticket(&name(number), "work"));
        }
        world.advance(secs(3500)).await;
        assert!(world.metric("opgen_held_destroys") > 5.0);
        assert!(world.metric("opgen_cleanup_stalled") < 0.5);
        world.advance(secs(150)).await;
        let stalled = world.metric("opgen_cleanup_stalled");
        assert!((5.0..=12.0).contains(&stalled), "{stalled}");
        let allow = json!({"metadata": {"annotations": {"opgen.dev/allow-destroy": "true"}}});
        for number in 0..70 {
            let one = ticket(&name(number), "work");
            if world.get(&one).is_some() {
                world.patch(&one, &allow);
                world.gone(&one).await;
            }
        }
        assert!(world.metric("opgen_cleanup_stalled") < 0.5);
    });
}
