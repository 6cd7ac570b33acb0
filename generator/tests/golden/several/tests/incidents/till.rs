//! The incidents of a `Till`. The other kinds of the operator are there, and have nothing to do.

use std::time::Duration;

use opgen_testkit::{Fault, Outside, RoleCheck, Scenario, Trouble, WriteFault};
use serde_json::{Value, json};
use shop_operator::{context::Context, controllers::till::provider::SimulatedProvider, operator};

fn till(name: &str) -> Value {
    json!({
        "apiVersion": "shop.example.com/v1alpha1",
        "kind": "Till",
        "metadata": { "name": name, "namespace": "default" },
        "spec": { "size": 1 },
    })
}

fn scenario() -> Scenario<Context, SimulatedProvider> {
    let context = |provider: &SimulatedProvider| {
        Context::new(
            shop_operator::controllers::shop::provider::SimulatedProvider::default(),
            provider.clone(),
        )
    };
    Scenario::new(operator, SimulatedProvider::default, context).outside(|provider| Outside {
        created: provider.created(),
        live: provider.instances().len(),
    })
}

/// Created, Ready, three quiet hours, deleted, nothing left: the whole life, under the role that `manifests` prints.
#[test]
fn lives_and_goes() {
    let lived = scenario().object(till("a")).check();
    assert_eq!(lived, Ok(()));
}

/// The operator dies before and after each of its writes and comes back: one instance, nothing leaked.
#[test]
fn survives_a_crash_at_every_write() {
    let explored = scenario().object(till("a")).explore_crashes();
    assert!(explored.crashes >= 8, "{explored}");
}

/// For two minutes no write is answered, though each is made; for two minutes each watch breaks at its first event.
#[test]
fn survives_lost_answers_and_broken_watches() {
    let lost = Trouble::EveryWrite {
        each: 1,
        fault: WriteFault::After(504),
    };
    for trouble in [lost, Trouble::ExpiredWatches] {
        let lived = scenario().object(till("a")).check_under(&trouble);
        assert_eq!(lived, Ok(()), "{trouble}");
    }
}

/// What a `Till` needs of the role that `manifests` prints, and what it does not.
pub fn check_role() -> RoleCheck {
    scenario()
        .object(till("a"))
        .change(json!({ "spec": { "size": 2 } }))
        .check_role()
}

/// A provider call that never returns holds up its own object and no other.
#[test]
fn one_hung_call_delays_no_other_object() {
    scenario().object(till("hung")).run(async |world| {
        let uid = world.get(&till("hung")).expect("created")["metadata"]["uid"].clone();
        world.provider.hang_on(uid.as_str().expect("a uid"));
        let other = till("other");
        world.cluster.create_raw(other.clone()).expect("accepted");
        assert!(world.ready(&other).await < Duration::from_secs(30));
        assert!(!world.is_ready(&till("hung")));
        world.provider.recover();
        world.ready(&till("hung")).await;
    });
}

/// Watch events arrive late: no decision is made on a view older than our own last write.
#[test]
fn a_lagging_watch_makes_no_second_instance() {
    scenario().object(till("a")).run(async |world| {
        world.cluster.inject(
            Fault::new()
                .verb("watch")
                .lag_events(Duration::from_secs(3)),
        );
        world.ready(&till("a")).await;
        assert_eq!(world.provider.created(), 1);
    });
}

/// A changed spec reaches the provider; the instance is changed, not replaced.
#[test]
fn a_changed_spec_changes_the_instance() {
    scenario().object(till("a")).run(async |world| {
        world.ready(&till("a")).await;
        world.patch(&till("a"), &json!({ "spec": { "size": 2 } }));
        world.ready(&till("a")).await;
        assert_eq!(world.provider.created(), 1);
    });
}
