use std::time::Duration;

use opgen_runtime::secs;
use serde_json::json;

use crate::ticket::{Options, scenario, ticket};

/// How long a small tenant waits while a big one has forty objects of eight seconds each and eight places to run.
fn waits(options: impl Fn(Options) -> Options + Send + Sync + 'static) -> (Duration, usize) {
    scenario(options).run(async |world| {
        world.provider.work_takes(secs(8));
        world.advance(secs(1)).await;
        for number in 0..40 {
            let mut object = ticket(&format!("big-{number}"), "work");
            object["spec"]["tenant"] = json!("big");
            world.cluster.create_raw(object).unwrap();
        }
        world.advance(secs(1)).await;
        let mut small = ticket("small", "work");
        small["spec"]["tenant"] = json!("small");
        world.cluster.create_raw(small.clone()).unwrap();
        let took = world.ready(&small).await;
        for number in 0..40 {
            world.ready(&ticket(&format!("big-{number}"), "work")).await;
        }
        if world.metrics.encode().contains("group=\"big\"") {
            assert!(world.metrics.encode().contains("group=\"small\""));
        }
        assert!(
            world.metric("workqueue_depth") < 0.5,
            "nobody is forgotten in a line"
        );
        (took, world.provider.most_at_once("work", "big"))
    })
}

#[test]
pub fn one_tenant_does_not_take_every_place() {
    let by_tenant = |kind: Options| {
        kind.in_flight(8)
            .group_by(|ticket| ticket.spec.tenant.clone())
    };
    let (took, at_once) = waits(by_tenant);
    assert!(took < secs(10), "{took:?}");
    assert_eq!(at_once, 2, "a quarter of eight");
    let (took, at_once) = waits(move |kind| by_tenant(kind).group_share(0.5));
    assert!(took < secs(10), "{took:?}");
    assert_eq!(at_once, 4, "half of eight");
    let (took, at_once) = waits(|kind| kind.in_flight(8));
    assert!(took > secs(20), "without groups: {took:?}");
    assert_eq!(at_once, 8);
}

#[test]
pub fn who_waits_in_a_line_and_is_deleted_is_forgotten() {
    scenario(|kind| {
        kind.in_flight(4)
            .group_by(|ticket| ticket.spec.tenant.clone())
    })
    .run(async |world| {
        world.provider.work_takes(secs(8));
        for number in 0..10 {
            let object = ticket(&format!("t-{number}"), "work");
            world.cluster.create_raw(object).unwrap();
        }
        world.advance(secs(2)).await;
        for number in 3..10 {
            world.delete(&ticket(&format!("t-{number}"), "work"));
        }
        for number in 0..10 {
            let object = ticket(&format!("t-{number}"), "work");
            let over = || world.is_ready(&object) || world.get(&object).is_none();
            assert!(world.until(over).await.is_some());
        }
        world.advance(secs(60)).await;
        assert!(world.metric("workqueue_depth") < 0.5);
    });
}

#[test]
pub fn who_cannot_be_grouped_runs_without_a_group() {
    scenario(|kind| {
        kind.in_flight(8).group_by(|ticket| {
            assert_ne!(ticket.spec.tenant, "bad", "told to panic");
            ticket.spec.tenant.clone()
        })
    })
    .run(async |world| {
        for tenant in ["bad", "good"] {
            let mut object = ticket(tenant, "work");
            object["spec"]["tenant"] = json!(tenant);
            world.cluster.create_raw(object.clone()).unwrap();
            assert!(world.ready(&object).await < secs(10));
        }
    });
}
