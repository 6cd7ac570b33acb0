use opgen_runtime::{LeaderElection, OperatorError, Placement, RunOptions, clients::Clients, secs};
use opgen_testkit::Cluster;
use tokio::time::Instant;

use crate::{
    forge::{Smithy, context, operator},
    replicas::{Replica, assert_no_interleaving, cluster, sorted, virtually},
};

#[test]
pub fn a_clean_end_drains_and_hands_over_at_once() {
    virtually(1, async {
        let cluster = cluster(3);
        let smithy = Smithy::with_stroke_of(secs(8));
        let one = Replica::start(&cluster, &smithy, "forge", 0);
        let two = Replica::start(&cluster, &smithy, "other", 0);
        let (mut leader, follower) = sorted(one, two).await;
        // In the middle of a stroke.
        tokio::time::sleep(secs(4)).await;
        leader.stop();
        let ended = (&mut leader.task).await.unwrap();
        assert!(ended.is_ok(), "{ended:?}");
        assert!(
            smithy.of(leader.name).iter().all(|stroke| stroke.is_whole),
            "what was under way may end"
        );
        let lease = cluster.get_raw("leases", "forge", "forge").unwrap();
        assert_eq!(lease["spec"]["holderIdentity"], "");
        let free_at = Instant::now();
        while !follower.leads() {
            tokio::time::sleep(secs(1)).await;
        }
        assert!(free_at.elapsed() <= secs(4), "{:?}", free_at.elapsed());
        tokio::time::sleep(secs(30)).await;
        assert_eq!(smithy.together(), 0);
        assert_no_interleaving(&cluster, &leader, &follower);
    });
}

#[test]
pub fn a_follower_touches_nothing_and_takes_over_from_a_dead_leader() {
    virtually(1, async {
        let cluster = cluster(2);
        let smithy = Smithy::with_stroke_of(secs(2));
        let one = Replica::start(&cluster, &smithy, "forge", 0);
        let two = Replica::start(&cluster, &smithy, "other", 0);
        let (leader, follower) = sorted(one, two).await;
        tokio::time::sleep(secs(600)).await;
        assert!(leader.leads());
        let touched = cluster.log().count(|entry| {
            entry.user == follower.user && (entry.committed || entry.verb == "watch")
        });
        assert_eq!(touched, 0);
        let died_at = Instant::now();
        leader.task.abort();
        while !follower.leads() {
            tokio::time::sleep(secs(1)).await;
        }
        let took = died_at.elapsed();
        assert!((secs(12)..=secs(21)).contains(&took), "{took:?}");
    });
}

async fn start(cluster: &Cluster, user: &str) -> Result<(), OperatorError> {
    let clients = Clients::in_process(cluster.client_as(user));
    let options = RunOptions {
        placement: Placement::Inline,
        leader_election: Some(LeaderElection::default()),
        shutdown: Box::pin(tokio::time::sleep(secs(3600))),
        ..RunOptions::default()
    };
    operator()
        .run(clients, context(&Smithy::default(), "one"), options)
        .await
}

#[test]
pub fn a_missing_right_is_said_at_once() {
    virtually(1, async {
        let cluster = cluster(0);
        let user = "system:serviceaccount:forge:forge";
        for verb in ["get", "create"] {
            let role = cluster.get_raw("roles", "forge", "forge-lease").unwrap();
            let mut without = role["rules"].clone();
            for rule in without.as_array_mut().unwrap() {
                for one in rule["verbs"].as_array_mut().unwrap() {
                    if *one == verb {
                        *one = "deletecollection".into();
                    }
                }
            }
            let set = |rules| {
                let patch = serde_json::json!({ "rules": rules });
                cluster
                    .patch_raw("roles", "forge", "forge-lease", "", &patch)
                    .unwrap();
            };
            set(without);
            let ended = start(&cluster, user).await;
            let Err(OperatorError::Preflight(reasons)) = ended else {
                panic!("without {verb}: {ended:?}")
            };
            assert!(reasons[0].contains("manifests"), "{reasons:?}");
            set(role["rules"].clone());
        }
    });
}

#[test]
pub fn a_missing_namespace_is_said_at_once() {
    virtually(1, async {
        let cluster = Cluster::new();
        cluster
            .apply_manifests(&operator().manifests()[..1])
            .unwrap();
        let ended = start(&cluster, "admin").await;
        let Err(OperatorError::Preflight(reasons)) = ended else {
            panic!("{ended:?}")
        };
        assert!(reasons[0].contains("--home"), "{reasons:?}");
    });
}
