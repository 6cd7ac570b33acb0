use std::{collections::BTreeSet, sync::Arc};

use opgen_runtime::{
    LeaderElection, Placement, RunOptions, clients::Clients, clock::SharedClock, secs,
};
use opgen_testkit::{Cluster, Fault};
use serde_json::json;
use tokio::{task::JoinHandle, time::Instant};

use crate::{
    replicas::virtually,
    ticket::{Fake, context, operator, scenario, ticket},
};

/// What a job of the test takes.
const JOB: u64 = 300;

#[test]
pub fn a_job_outlives_its_handler_and_wakes_its_object() {
    scenario(|kind| kind).object(ticket("a", "job")).run(async |world| {
        world.advance(secs(60)).await;
        // Runs in between find it running, and start no second one.
        for number in 0..5 {
            let touch = json!({"metadata": {"annotations": {"opgen.dev/reconcile-at": number.to_string()}}});
            world.patch(&ticket("a", "job"), &touch);
            world.advance(secs(5)).await;
        }
        assert!(world.metric("opgen_quiescent") < 0.5, "a job is no quiet");
        let took = secs(85) + world.ready(&ticket("a", "job")).await;
        assert!((secs(JOB)..secs(JOB + 3)).contains(&took), "{took:?}");
        assert_eq!(world.provider.calls("long").len(), 20);
        let object = world.get(&ticket("a", "job")).unwrap();
        assert!(object["status"]["answer"].as_str().unwrap().starts_with("restore-1-"));
        assert!(world.metric("opgen_jobs_total") > 0.5);
    });
}

#[test]
pub fn other_parameters_are_another_job() {
    scenario(|kind| kind)
        .object(ticket("a", "job"))
        .run(async |world| {
            world.advance(secs(100)).await;
            world.patch(
                &ticket("a", "job"),
                &json!({"spec": {"params": "backup-7"}}),
            );
            let took = world.ready(&ticket("a", "job")).await;
            assert!((secs(JOB)..secs(JOB + 5)).contains(&took), "{took:?}");
            assert_eq!(
                world.provider.most_at_once("long", ""),
                1,
                "the one before is cut"
            );
            let keys: BTreeSet<_> = world
                .provider
                .calls("long")
                .into_iter()
                .map(|call| call.about)
                .collect();
            assert_eq!(keys.len(), 2);
        });
}

#[test]
pub fn a_deleted_object_cuts_its_job() {
    scenario(|kind| kind)
        .object(ticket("a", "job"))
        .run(async |world| {
            world.advance(secs(100)).await;
            world.delete(&ticket("a", "job"));
            world.gone(&ticket("a", "job")).await;
            let calls = world.provider.calls("long");
            let destroyed_at = world.provider.calls("destroy")[0].at;
            assert!(
                calls
                    .iter()
                    .all(|call| call.ended.is_some_and(|ended| ended <= destroyed_at)),
                "nothing is made any more when the clean-up begins"
            );
            world.advance(secs(JOB)).await;
            assert_eq!(world.provider.calls("long").len(), calls.len());
        });
}

#[test]
pub fn failures_and_panics_are_told_and_repeated_ever_later() {
    for panics in [false, true] {
        scenario(|kind| kind)
            .object(ticket("a", "job"))
            .run(async |world| {
                world.provider.fail(!panics);
                world.provider.panic(panics);
                world.advance(secs(1800)).await;
                let tries = world.provider.calls("long").len();
                assert!((5..25).contains(&tries), "{tries} tries in half an hour");
                world.provider.fail(false);
                world.provider.panic(false);
                world.ready(&ticket("a", "job")).await;
            });
    }
}

#[test]
pub fn the_pool_is_bounded() {
    scenario(|kind| kind.jobs(2)).run(async |world| {
        for number in 0..6 {
            world
                .cluster
                .create_raw(ticket(&format!("t{number}"), "job"))
                .unwrap();
        }
        for number in 0..6 {
            world.ready(&ticket(&format!("t{number}"), "job")).await;
        }
        assert_eq!(world.provider.most_at_once("long", ""), 2);
        // And nobody else waits for it.
        world.cluster.create_raw(ticket("quick", "work")).unwrap();
        assert!(world.ready(&ticket("quick", "work")).await < secs(2));
    });
}

/// An operator process of its own, for tests that end it.
fn process(cluster: &Cluster, fake: &Fake, leads: bool) -> JoinHandle<()> {
    let clients = Clients::in_process(cluster.client());
    let clock = cluster.clock();
    let clock: SharedClock = Arc::new(move || clock.now());
    let options = RunOptions {
        placement: Placement::Inline,
        clock,
        leader_election: leads.then(LeaderElection::default),
        ..RunOptions::default()
    };
    let run = operator(|kind| kind).run(clients, context(fake), options);
    tokio::spawn(async move {
        let _ = run.await;
    })
}

fn cluster() -> Cluster {
    let cluster = Cluster::new();
    let home = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "desk"}});
    cluster.apply_manifests(&[home]).unwrap();
    let manifests = operator(|kind| kind).manifests();
    cluster.apply_manifests(&manifests).unwrap();
    cluster.create_raw(ticket("a", "job")).unwrap();
    cluster
}

#[test]
pub fn a_crash_starts_the_job_again_with_its_key() {
    virtually(1, async {
        let (cluster, fake) = (cluster(), Fake::default());
        let first = process(&cluster, &fake, false);
        tokio::time::sleep(secs(100)).await;
        first.abort();
        tokio::time::sleep(secs(20)).await;
        assert!(
            fake.calls("long").iter().all(|call| call.ended.is_some()),
            "a job ends with its process"
        );
        let before = fake.calls("long").len();
        let _second = process(&cluster, &fake, false);
        tokio::time::sleep(secs(JOB + 10)).await;
        assert_eq!(fake.calls("long").len(), before + 20);
        let keys: BTreeSet<_> = fake
            .calls("long")
            .into_iter()
            .map(|call| call.about)
            .collect();
        assert_eq!(keys.len(), 1, "{keys:?}");
        let object = cluster.get_raw("tickets", "default", "a").unwrap();
        assert_eq!(object["status"]["phase"], "Done");
    });
}

#[test]
pub fn a_lost_lease_cuts_jobs() {
    virtually(1, async {
        let (cluster, fake) = (cluster(), Fake::default());
        let _process = process(&cluster, &fake, true);
        tokio::time::sleep(secs(100)).await;
        assert!(!fake.calls("long").is_empty());
        cluster.inject(Fault::new().resource("leases").hang());
        let cut_at = Instant::now();
        tokio::time::sleep(secs(60)).await;
        let last = fake
            .calls("long")
            .iter()
            .map(|call| call.ended.unwrap())
            .max()
            .unwrap();
        assert!(last - cut_at <= secs(10), "{:?}", last - cut_at);
    });
}

#[test]
pub fn a_trigger_wakes_its_object() {
    virtually(1, async {
        let (cluster, fake) = (cluster(), Fake::default());
        cluster.create_raw(ticket("p", "poll")).unwrap();
        let operator = operator(|kind| kind);
        let trigger = operator.trigger::<crate::ticket::TicketPhase>();
        // What is told before there is anybody to hear it is not lost, and harms nobody.
        trigger.wake("default", "p");
        trigger.wake("default", "nobody");
        let options = RunOptions {
            placement: Placement::Inline,
            ..RunOptions::default()
        };
        let clients = Clients::in_process(cluster.client());
        let _run = tokio::spawn(operator.run(clients, context(&fake), options));
        tokio::time::sleep(secs(600)).await;
        let looks = fake.calls("take").len();
        for _ in 0..3 {
            trigger.wake("default", "p");
        }
        tokio::time::sleep(secs(1)).await;
        assert_eq!(fake.calls("take").len(), looks + 1, "once, and at once");
    });
}
