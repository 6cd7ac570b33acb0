//! The verbs of a world: that each reaches the operator.

use std::time::Duration;

use opgen_runtime::secs;
use opgen_testkit::{World, WriteFault};
use serde_json::json;

use crate::shop::{Mistake, Warehouse, scenario, shop};

fn requests(world: &World<Warehouse>, verb: &str) -> usize {
    world
        .cluster
        .log()
        .count(|entry| entry.verb == verb && entry.resource == "shops")
}

fn run(test: impl AsyncFnOnce(World<Warehouse>)) {
    scenario(Mistake::None).run(async |world| {
        world.ready(&shop("a")).await;
        test(world).await;
    });
}

fn grow(world: &World<Warehouse>, size: i64) {
    world.patch(&shop("a"), &json!({"spec": {"size": size}}));
}

#[test]
fn a_lagging_cache_is_behind() {
    run(async |world| {
        world.lag_events(secs(30));
        world.advance(secs(5)).await;
        grow(&world, 2);
        let took = world.ready(&shop("a")).await;
        assert!((secs(30)..secs(60)).contains(&took), "{took:?}");
        world.recover();
        world.advance(secs(5)).await;
        grow(&world, 3);
        assert!(world.ready(&shop("a")).await < secs(10));
    });
}

#[test]
fn watches_are_cut_and_expire() {
    run(async |world| {
        // Who was cut asks for the server's version, which is a list too, but of one object: whole ones are counted.
        let whole = || world.metric("listwatch_sync_duration_seconds_count");
        let (watches, lists) = (requests(&world, "watch"), whole());
        world.cluster.cut_watches();
        world.advance(secs(10)).await;
        assert_eq!(requests(&world, "watch"), watches + 1);
        assert_eq!(whole(), lists, "it resumes");
        world.expire_watches();
        world.advance(secs(60)).await;
        assert_eq!(whole(), lists + 1.0, "it begins anew");
        for endless in [
            World::cut_watches_after_each_event,
            World::expire_watches_after_each_event,
        ] {
            endless(&world);
            let (watches, lists) = (requests(&world, "watch"), requests(&world, "list"));
            grow(&world, 2);
            world.ready(&shop("a")).await;
            grow(&world, 1);
            world.ready(&shop("a")).await;
            let began = requests(&world, "watch") - watches + requests(&world, "list") - lists;
            assert!(began >= 3, "{began}");
            world.recover();
        }
    });
}

#[test]
fn events_come_twice() {
    run(async |world| {
        let once = world.metric("controller_runtime_reconcile_total");
        world.duplicate_events();
        grow(&world, 2);
        world.ready(&shop("a")).await;
        assert!(world.metric("controller_runtime_reconcile_total") > once);
        assert!(world.touched() > 0, "no event came twice");
    });
}

#[test]
fn requests_hang_and_are_refused() {
    run(async |world| {
        world.hang_requests("patch");
        grow(&world, 2);
        world.advance(secs(120)).await;
        assert!(!world.is_ready(&shop("a")));
        world.recover();
        world.ready(&shop("a")).await;
        for code in [429, 500] {
            world.refuse_requests(code);
            grow(&world, i64::from(code));
            world.advance(secs(60)).await;
            assert!(!world.is_ready(&shop("a")));
            world.recover();
            world.ready(&shop("a")).await;
        }
        world.refuse_status(422);
        grow(&world, 3);
        world.advance(secs(60)).await;
        assert!(!world.is_ready(&shop("a")));
        world.recover();
        world.ready(&shop("a")).await;
    });
}

#[test]
fn single_writes_fail() {
    for fault in [
        WriteFault::Before(409),
        WriteFault::After(504),
        WriteFault::HangBefore,
        WriteFault::HangAfter,
    ] {
        scenario(Mistake::None).run(async |world| {
            let mark = world.cluster.log().last();
            world.fail_write(2, fault);
            world.ready(&shop("a")).await;
            let mut log = world.cluster.log().since(mark);
            log.retain(|entry| entry.user.contains("shop") && entry.resource != "events");
            let failed: Vec<_> = log
                .iter()
                .filter(|entry| matches!(entry.code, 0 | 409 | 504))
                .collect();
            assert_eq!(failed.len(), 1, "{failed:?}");
            let is_committed = matches!(fault, WriteFault::After(_) | WriteFault::HangAfter);
            assert_eq!(failed[0].committed, is_committed);
        });
    }
}

#[test]
fn something_happens_at_a_write() {
    run(async |world| {
        let cluster = world.cluster.clone();
        world.after_write(1, move || {
            let patch = json!({"spec": {"size": 7}});
            cluster
                .patch_raw("shops", "default", "a", "", &patch)
                .unwrap();
        });
        grow(&world, 2);
        world.ready(&shop("a")).await;
        assert_eq!(world.provider.sizes(), [7]);
    });
}

#[test]
fn children_are_known() {
    run(async |world| {
        let children = world.children(&shop("a"));
        assert_eq!(children.len(), 2, "{children:?}");
        assert!(world.condition(&shop("a"), "Ready").is_some());
        assert!(world.condition(&shop("b"), "Ready").is_none());
    });
}

#[test]
fn time_passes_only_when_it_is_waited_for() {
    run(async |world| {
        let began = std::time::Instant::now();
        world.advance(secs(3600)).await;
        assert!(began.elapsed() < Duration::from_secs(60));
    });
}
