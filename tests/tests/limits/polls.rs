use opgen_runtime::secs;
use tokio::time::Instant;

use crate::ticket::{densest, scenario, ticket};

#[test]
pub fn empty_polls_grow_rare_and_content_brings_them_back() {
    scenario(|kind| kind)
        .object(ticket("a", "poll"))
        .run(async |world| {
            world.advance(secs(600)).await;
            let looks = world.provider.calls("take");
            assert!((12..=20).contains(&looks.len()), "{} looks", looks.len());
            let gaps: Vec<_> = looks
                .windows(2)
                .map(|pair| pair[1].at - pair[0].at)
                .collect();
            assert!(gaps[0] < secs(2) && gaps[3] > secs(6), "{gaps:?}");
            let longest = gaps.iter().max().unwrap();
            assert!((secs(54)..=secs(67)).contains(longest), "{gaps:?}");
            world.provider.found(3);
            let seen = world.provider.calls("take").len();
            world
                .until(|| world.provider.calls("take").len() > seen)
                .await;
            let seen = world.provider.calls("take").len();
            world.advance(secs(60)).await;
            let busy = world.provider.calls("take").len() - seen;
            assert!((45..=65).contains(&busy), "{busy} looks in a busy minute");
            world.provider.found(0);
            world.advance(secs(2)).await;
            let seen = world.provider.calls("take").len();
            world.advance(secs(60)).await;
            assert!(world.provider.calls("take").len() - seen < 10);
        });
}

#[test]
pub fn what_came_with_one_list_is_not_resynced_together() {
    scenario(|kind| kind.resync(secs(600))).run(async |world| {
        for number in 0..200 {
            world
                .cluster
                .create_raw(ticket(&format!("t{number}"), "work"))
                .unwrap();
        }
        world.advance(secs(60)).await;
        let after = Instant::now();
        world.advance(secs(1800)).await;
        let mut looks: Vec<_> = world
            .provider
            .calls("look")
            .iter()
            .map(|call| call.at)
            .collect();
        looks.retain(|at| *at > after);
        assert!(
            (400..800).contains(&looks.len()),
            "{} in half an hour",
            looks.len()
        );
        let densest = densest(&looks, secs(60));
        assert!(densest < 70, "{densest} in one minute");
    });
}

/// Two phases that send the object to each other: slowed down at once, and people are told.
#[test]
pub fn a_cycle_of_phases_is_hot() {
    scenario(|kind| kind)
        .object(ticket("a", "cycle"))
        .run(async |world| {
            world.advance(secs(300)).await;
            let writes = world.object_writes();
            assert!(writes < 60, "{writes} writes: slow from the first run on");
            world.advance(secs(600)).await;
            let writes = world.object_writes() - writes;
            assert!((40..=100).contains(&writes), "{writes} writes in 10 min");
            assert!(world.metric("opgen_hot_objects") > 0.5);
            let events = world
                .cluster
                .list_raw("events.events.k8s.io", "default")
                .unwrap();
            let told = |event: &serde_json::Value| event["reason"] == "HotLoop";
            assert!(events.iter().any(told), "{events:?}");
            world.patch(
                &ticket("a", "cycle"),
                &serde_json::json!({"spec": {"mode": "work"}}),
            );
            world.advance(secs(40)).await;
            assert!(world.is_ready(&ticket("a", "work")));
            world.advance(secs(1300)).await;
            assert!(world.metric("opgen_hot_objects") < 0.5);
        });
}
