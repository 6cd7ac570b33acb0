//! What is written to the object itself.

use opgen_runtime::secs;
use serde_json::json;

use crate::database::{Cloud, Mood, database, database_with, operator, scenario};

/// Others label and annotate the object all the time, also between our look and our write.
#[test]
pub fn foreign_writes_cost_our_status_nothing() {
    scenario(|| Cloud::default().with_create_time(secs(3)))
        .object(database("a"))
        .run(async |world| {
            world
                .until(|| !world.provider.calls("create").is_empty())
                .await;
            let labels = json!({"metadata": {"labels": {"seen-by": "somebody"}}});
            world.patch(&database("a"), &labels);
            world.ready(&database("a")).await;
            let text = world.metrics.encode();
            assert!(
                !text.contains("code=\"409\"") && !text.contains("code=\"422\""),
                "{text}"
            );
            assert_eq!(world.object_writes(), 3);
        });
}

/// Each look finds the capacity in other words: `1Gi`, `1024Mi`.
#[test]
pub fn the_same_in_other_words_is_not_written() {
    let object = database_with("a", json!({"habit": "restless"}));
    scenario(Cloud::default)
        .object(object.clone())
        .run(async |world| {
            world.ready(&object).await;
            let (writes, looks) = (world.object_writes(), world.provider.calls("observe").len());
            for _ in 0..40 {
                world.advance(secs(5)).await;
            }
            assert!(world.provider.calls("observe").len() > looks + 30);
            assert_eq!(world.object_writes(), writes);
        });
}

/// A provider that fails in another way each time: the reason why we wait is never worded twice alike.
#[test]
pub fn words_that_change_with_every_look_are_written_rarely() {
    let object = database("a");
    scenario(|| Cloud::default().with_build_time(secs(800)))
        .object(object.clone())
        .run(async |world| {
            let words = |kind: &str| {
                let found = world.get(&object).unwrap();
                let message = &crate::gadget::condition(&found, kind)["message"];
                message.as_str().unwrap_or_default().to_owned()
            };
            world.until(|| world.phase(&object) == "Provisioning").await;
            let mut told = Vec::new();
            for status in [401, 403] {
                world.provider.is(Mood::Says(status));
                world.advance(secs(6)).await;
                told.push((words("Reconciling"), words("Unobserved")));
            }
            // The first few are said at once.
            for (status, (waits, unknown)) in ["401", "403"].iter().zip(&told) {
                assert!(
                    waits.contains(status) && unknown.contains(status),
                    "{told:?}"
                );
            }
            let (writes, looks) = (world.object_writes(), world.provider.calls("observe").len());
            for number in 0..120 {
                world.provider.is(Mood::Says([401, 403][number % 2]));
                world.advance(secs(5)).await;
            }
            assert!(world.provider.calls("observe").len() > looks + 100);
            let writes = world.object_writes() - writes;
            assert!((8..=16).contains(&writes), "{writes} writes in ten minutes");
            // The last ones come to be said, too.
            world.provider.is(Mood::Says(407));
            world.advance(secs(70)).await;
            assert!(words("Reconciling").contains("407"));
            assert!(words("Unobserved").contains("407"));
            world.provider.is(Mood::Well);
            world.ready(&object).await;
        });
}

#[test]
pub fn a_crd_without_the_status_subresource_is_refused() {
    crate::replicas::virtually(1, async {
        let cluster = opgen_testkit::Cluster::new();
        let mut crd = operator().manifests().remove(0);
        crd["spec"]["versions"][0]
            .as_object_mut()
            .unwrap()
            .remove("subresources");
        cluster.apply_manifests(&[crd]).unwrap();
        let reasons = crate::operation::refusal(&cluster).await;
        assert!(reasons.contains("has no status subresource"), "{reasons}");
    });
}

#[test]
pub fn a_history_in_the_status_stays_short() {
    let object = database_with("a", json!({"habit": "diarist"}));
    scenario(Cloud::default)
        .object(object.clone())
        .run(async |world| {
            world.ready(&object).await;
            world.advance(secs(600)).await;
            let found = world.get(&object).unwrap();
            let history = found["status"]["history"].as_array().unwrap();
            assert_eq!(history.len(), 10);
            let newest: jiff::Timestamp = history[9].as_str().unwrap().parse().unwrap();
            let now = world.cluster.clock().now();
            assert!(
                now.duration_since(newest).as_secs() < 10,
                "the oldest ones go"
            );
        });
}
