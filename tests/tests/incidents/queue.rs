//! Who has its turn, and when an object comes back.

use std::time::Duration;

use opgen_apiserver::{Stage, WriteVerdict};
use opgen_runtime::{Operator, secs};
use opgen_testkit::World;
use serde_json::json;

use crate::{
    database::{
        Cloud, DatabasePhase, cluster, database, database_with, process, scenario, scenario_of,
    },
    replicas::virtually,
    ticket::{self, densest},
};

/// An operator comes up where there are hundreds of objects, each worth some seconds.
#[test]
pub fn a_fresh_event_does_not_wait_behind_the_first_list() {
    let operator =
        || Operator::new("database-operator").kind_with::<DatabasePhase>(|kind| kind.in_flight(4));
    let cloud = || Cloud::default().with_create_time(secs(3));
    let mut scenario = scenario_of(operator, cloud);
    for number in 0..200 {
        scenario = scenario.object(database(&format!("old-{number}")));
    }
    scenario.run(async |world| {
        world.advance(secs(10)).await;
        world.cluster.create_raw(database("new")).unwrap();
        let took = world.ready(&database("new")).await;
        assert!(took < secs(20), "{took:?}");
    });
}

#[test]
pub fn waiting_for_the_outside_is_no_failure() {
    scenario(|| Cloud::default().with_build_time(secs(120)))
        .object(database("a"))
        .run(async |world| {
            assert!(world.ready(&database("a")).await < secs(135));
            assert!(world.metric("workqueue_retries_total") < 0.5);
            assert!(world.metric("opgen_polls_total") > 15.0);
        });
}

#[test]
pub fn what_failed_together_does_not_come_back_together() {
    let operator = |kind: ticket::Options| kind.retries(1_000_000, 6_000_000);
    ticket::scenario(operator).run(async |world| {
        world.provider.fail(true);
        for number in 0..100 {
            world
                .cluster
                .create_raw(ticket::ticket(&format!("t{number}"), "work"))
                .unwrap();
        }
        world.advance(secs(60)).await;
        let mut calls: Vec<_> = world
            .provider
            .calls("work")
            .iter()
            .map(|call| call.at)
            .collect();
        let first = *calls.iter().min().unwrap();
        calls.retain(|at| *at > first + secs(8));
        assert!(calls.len() > 100, "{} later calls", calls.len());
        let densest = densest(&calls, Duration::from_millis(500));
        assert!(densest < 40, "{densest} of a hundred in half a second");
    });
}

#[test]
pub fn a_computed_wait_of_nothing_is_no_spin() {
    let object = database_with("a", json!({"habit": "spin"}));
    scenario(Cloud::default).object(object).run(async |world| {
        world.advance(secs(60)).await;
        let calls = world.provider.calls("observe");
        assert!((50..=61).contains(&calls.len()), "{} looks", calls.len());
        assert!(densest(&calls, Duration::from_millis(900)) == 1);
        assert!(world.metric("opgen_clamped_polls_total") > 50.0);
        assert!(world.metric("opgen_hot_objects") < 0.5);
    });
}

/// An operator that writes without end in no time at all would keep virtual time from going on: the fuse lets its
/// requests hang.
fn fuse<P>(world: &World<P>, writes: usize) {
    let left = std::sync::atomic::AtomicUsize::new(writes);
    world.cluster.on_write(std::sync::Arc::new(move |_, stage| {
        use std::sync::atomic::Ordering::Relaxed;
        let burnt = left
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1))
            .is_err();
        if burnt && stage == Stage::Before {
            return WriteVerdict::Hang;
        }
        WriteVerdict::Proceed
    }));
}

/// Two phases that send the object to each other without a wait between them.
#[test]
pub fn a_circle_of_phases_is_slowed_down() {
    let object = database_with("a", json!({"habit": "circle"}));
    scenario(Cloud::default).run(async |world| {
        fuse(&world, 3000);
        world.cluster.create_raw(object).unwrap();
        world.advance(secs(600)).await;
        let writes = world.object_writes();
        assert!(
            (20..200).contains(&writes),
            "{writes} writes in ten minutes"
        );
        assert!(world.metric("opgen_hot_objects") > 0.5);
    });
}

/// Another controller beats its heart into our status each second.
#[test]
pub fn a_status_is_no_news() {
    scenario(Cloud::default)
        .object(database("a"))
        .run(async |world| {
            world.ready(&database("a")).await;
            world.advance(secs(5)).await;
            let runs = world.metric("controller_runtime_reconcile_total");
            let mut conditions = world.get(&database("a")).unwrap()["status"]["conditions"].clone();
            let mut heart =
                json!({"type": "Heart", "status": "True", "reason": "Beats", "message": ""});
            for second in 10..60 {
                heart["lastTransitionTime"] = json!(format!("2026-01-01T00:00:{second}Z"));
                conditions
                    .as_array_mut()
                    .unwrap()
                    .retain(|one| one["type"] != "Heart");
                conditions.as_array_mut().unwrap().push(heart.clone());
                let beat = json!({"status": {"conditions": conditions}});
                let before = world.cluster.revision();
                world
                    .cluster
                    .patch_raw("Database", "default", "a", "status", &beat)
                    .unwrap();
                assert!(world.cluster.revision() > before);
                world.advance(secs(1)).await;
            }
            let more = world.metric("controller_runtime_reconcile_total") - runs;
            assert!(more < 0.5, "{more} runs");
        });
}

#[test]
pub fn what_drifts_without_an_event_is_seen() {
    scenario(Cloud::default)
        .object(database("a"))
        .run(async |world| {
            world.ready(&database("a")).await;
            world.advance(secs(60)).await;
            world.provider.lose_all();
            let healed = world.until(|| world.provider.created() == 2).await;
            assert!(healed.is_some_and(|took| took < secs(1300)), "{healed:?}");
        });
}

/// The cloud needs twenty minutes, the phase may take thirty, and the operator is down for two hours.
#[test]
pub fn a_deadline_that_ran_out_during_downtime_fails_nothing() {
    virtually(1, async {
        let (cluster, cloud) = (cluster(), Cloud::default().with_build_time(secs(1200)));
        cluster.create_raw(database("a")).unwrap();
        let first = process(&cluster, &cloud);
        tokio::time::sleep(secs(300)).await;
        first.abort();
        tokio::time::sleep(secs(7200)).await;
        let _second = process(&cluster, &cloud);
        tokio::time::sleep(secs(60)).await;
        let object = cluster.get_raw("Database", "default", "a").unwrap();
        assert_eq!(object["status"]["phase"], "Ready", "{object:#}");
        assert_eq!(cloud.created(), 1);
    });
}

#[test]
pub fn the_deadline_of_a_phase_puts_off_no_poll() {
    scenario(|| Cloud::default().with_build_time(secs(120)))
        .object(database("a"))
        .run(async |world| {
            let took = world.ready(&database("a")).await;
            assert!(took < secs(135), "{took:?}");
        });
}

/// What happens to an object that waits for its next look leaves that look where it was.
#[test]
pub fn an_event_puts_off_no_poll() {
    scenario(|| Cloud::default().with_build_time(secs(120)))
        .object(database("a"))
        .run(async |world| {
            let mut beats = 0;
            while beats < 150 && !world.is_ready(&database("a")) {
                let touched = json!({"metadata": {"labels": {"touched": beats.to_string()}}});
                world.patch(&database("a"), &touched);
                world.advance(secs(1)).await;
                beats += 1;
            }
            assert!((120..135).contains(&beats), "{beats} s");
        });
}
