use std::time::Duration;

use opgen_runtime::{OperatorError, secs};
use opgen_testkit::Fault;
use serde_json::json;
use tokio::time::Instant;

use crate::{
    forge::Smithy,
    replicas::{Replica, assert_no_interleaving, cluster, sorted, virtually},
};

/// The leader hears nothing of its lease any more, and all else works: the worst partition. Whatever the moment.
#[test]
pub fn a_partitioned_leader_stops_before_its_successor_starts() {
    for round in 0..12 {
        virtually(round, async {
            let cluster = cluster(3);
            let smithy = Smithy::with_stroke_of(secs(12));
            // The clocks are four seconds apart, and no wall clock may matter.
            let one = Replica::start(&cluster, &smithy, "forge", 2);
            let two = Replica::start(&cluster, &smithy, "other", -2);
            let (leader, follower) = sorted(one, two).await;
            tokio::time::sleep(Duration::from_millis(20_000 + 700 * round)).await;
            cluster.inject(Fault::new().resource("leases").user(&leader.user).hang());
            let cut_at = Instant::now();
            let name = leader.name;
            let (metrics, user) = (leader.metrics.clone(), leader.user.clone());
            let ended = leader.task.await.unwrap();
            assert!(
                matches!(ended, Err(OperatorError::LostLease(_))),
                "{ended:?}"
            );
            let stopped_after = cut_at.elapsed();
            assert!(
                (secs(7)..=secs(10)).contains(&stopped_after),
                "{stopped_after:?}"
            );
            assert!(follower.writes(&cluster).is_empty(), "it began too early");
            assert!(!metrics.encode().contains("master_status{name=\"forge\"} 1"));
            tokio::time::sleep(secs(60)).await;
            assert!(follower.leads());
            let began = smithy
                .of(follower.name)
                .iter()
                .map(|stroke| stroke.began)
                .min()
                .unwrap();
            let last = smithy
                .of(name)
                .iter()
                .filter_map(|stroke| stroke.ended)
                .max()
                .unwrap();
            assert!(
                last + secs(3) < began,
                "no more than {:?} between them",
                began - last
            );
            assert_eq!(smithy.together(), 0, "two at work on one object");
            let mut all = cluster.log().entries();
            all.retain(|entry| entry.committed && entry.resource != "leases");
            let last = all.iter().rposition(|entry| entry.user == user).unwrap();
            let first = all
                .iter()
                .position(|entry| entry.user == follower.user)
                .unwrap();
            assert!(
                last < first,
                "round {round}: {:?} after {:?}",
                all[last],
                all[first]
            );
            let cut = smithy
                .of(name)
                .iter()
                .filter(|stroke| !stroke.is_whole)
                .count();
            assert!(cut > 0 || round > 0, "a call under way is given up");
        });
    }
}

/// Renewals that are done but never answered keep the lease alive for the others, and end it for the leader.
#[test]
pub fn renewals_without_an_answer_do_not_count() {
    virtually(1, async {
        let cluster = cluster(1);
        let smithy = Smithy::with_stroke_of(secs(1));
        let one = Replica::start(&cluster, &smithy, "forge", 0);
        let two = Replica::start(&cluster, &smithy, "other", 0);
        let (leader, follower) = sorted(one, two).await;
        tokio::time::sleep(secs(30)).await;
        let lost = Fault::new().resource("leases").user(&leader.user);
        cluster.inject(lost.hang_after_commit());
        let Replica { task, .. } = leader;
        assert!(matches!(
            task.await.unwrap(),
            Err(OperatorError::LostLease(_))
        ));
        tokio::time::sleep(secs(60)).await;
        assert!(follower.leads());
        assert_eq!(smithy.together(), 0);
    });
}

#[test]
pub fn a_single_failure_loses_nothing() {
    virtually(1, async {
        let cluster = cluster(1);
        let smithy = Smithy::with_stroke_of(secs(1));
        let one = Replica::start(&cluster, &smithy, "forge", 0);
        let two = Replica::start(&cluster, &smithy, "other", 0);
        let (leader, follower) = sorted(one, two).await;
        for fault in [
            Fault::new().fail_before_commit(500),
            Fault::new().fail_after_commit(504),
            Fault::new().fail_before_commit(409),
            Fault::new().hang(),
            Fault::new().hang_after_commit(),
        ] {
            let fault = fault.verb("update").resource("leases").user(&leader.user);
            cluster.inject(fault.times(1));
            tokio::time::sleep(secs(60)).await;
            assert!(leader.leads() && !follower.leads());
        }
        assert!(follower.writes(&cluster).is_empty());
    });
}

/// Deleting the lease is how people try to force a change of leaders. The old one may be at work.
#[test]
pub fn a_deleted_lease_makes_no_second_leader() {
    virtually(1, async {
        let cluster = cluster(2);
        let smithy = Smithy::with_stroke_of(secs(12));
        let one = Replica::start(&cluster, &smithy, "forge", 0);
        let two = Replica::start(&cluster, &smithy, "other", 0);
        let (leader, follower) = sorted(one, two).await;
        tokio::time::sleep(secs(30)).await;
        // It neither renews nor learns that the lease is gone.
        cluster.inject(Fault::new().resource("leases").user(&leader.user).hang());
        cluster.delete_raw("leases", "forge", "forge").unwrap();
        tokio::time::sleep(secs(60)).await;
        assert!(follower.leads());
        assert_eq!(smithy.together(), 0);
        assert_no_interleaving(&cluster, &leader, &follower);
    });
}

#[test]
pub fn who_takes_the_lease_by_hand_ends_the_leader() {
    virtually(1, async {
        let cluster = cluster(1);
        let smithy = Smithy::with_stroke_of(secs(1));
        let (leader, _) = (Replica::start(&cluster, &smithy, "forge", 0), ());
        tokio::time::sleep(secs(30)).await;
        assert!(leader.leads());
        let stolen = json!({"spec": {"holderIdentity": "somebody"}});
        cluster
            .patch_raw("leases", "forge", "forge", "", &stolen)
            .unwrap();
        let stolen_at = Instant::now();
        let ended = leader.task.await.unwrap();
        assert!(matches!(ended, Err(OperatorError::LostLease(why)) if why.contains("somebody")));
        assert!(stolen_at.elapsed() < secs(3));
    });
}
