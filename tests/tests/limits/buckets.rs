use opgen_runtime::secs;
use opgen_testkit::Fault;
use serde_json::json;

use crate::ticket::{Options, densest, scenario, ticket};

/// How often three hundred failing objects call in ten minutes.
fn calls_of_an_outage(options: impl Fn(Options) -> Options + Send + Sync + 'static) -> usize {
    scenario(options).run(async |world| {
        world.provider.fail(true);
        for number in 0..300 {
            let object = ticket(&format!("t{number}"), "work");
            world.cluster.create_raw(object).unwrap();
        }
        world.advance(secs(600)).await;
        let calls = world.provider.calls("work").len();
        // A new spec is no retry, and the end of an outage is one for all.
        let change = json!({"spec": {"params": "new"}});
        world.patch(&ticket("t7", "work"), &change);
        world.provider.fail(false);
        assert!(world.ready(&ticket("t7", "work")).await < secs(5));
        world.ready(&ticket("t299", "work")).await;
        calls
    })
}

#[test]
pub fn an_outage_makes_no_flood_of_retries() {
    let bounded = calls_of_an_outage(|kind| kind.retries(20, 36));
    assert!(bounded < 300 + 20 + 360 + 20, "{bounded} calls");
    let unbounded = calls_of_an_outage(|kind| kind.retries(1_000_000, 6_000_000));
    assert!(
        unbounded > 2 * bounded,
        "{unbounded} calls without the bucket"
    );
}

#[test]
pub fn reads_past_the_cache_are_rationed() {
    scenario(|kind| kind).run(async |world| {
        for number in 0..300 {
            let object = ticket(&format!("t{number}"), "count");
            world.cluster.create_raw(object).unwrap();
        }
        // From now on the cache sees nothing for a minute: every run after a write has to read past it.
        let lag = Fault::new()
            .resource("tickets")
            .verb("watch")
            .lag_events(secs(60));
        world.cluster.inject(lag);
        world.cluster.inject(
            Fault::new()
                .resource("tickets")
                .verb("watch")
                .close_watch_after(1)
                .occurrence(1),
        );
        let mark = world.cluster.log().last();
        let started = tokio::time::Instant::now();
        let clock = world.cluster.clock().now();
        world.advance(secs(40)).await;
        let reads: Vec<_> = world
            .cluster
            .log()
            .since(mark)
            .iter()
            .filter(|entry| entry.verb == "get" && entry.resource == "tickets")
            .map(|entry| {
                started + std::time::Duration::try_from(entry.time.duration_since(clock)).unwrap()
            })
            .collect();
        assert!(reads.len() > 50, "{} reads", reads.len());
        let densest = densest(&reads, secs(1));
        assert!(densest <= 50 + 10 + 1, "{densest} reads in one second");
    });
}
