//! The incidents that take operators down, as tests: an in-memory API server, virtual time, no cluster.

use std::time::Duration;

use database_operator::{
    context::Context, controllers::database::provider::SimulatedProvider, operator,
};
use opgen_testkit::{Fault, Outside, Scenario, Trouble, WriteFault};
use serde_json::{Value, json};

fn database(name: &str) -> Value {
    json!({
        "apiVersion": "db.example.com/v1alpha1",
        "kind": "Database",
        "metadata": { "name": name },
        "spec": { "size": 1 },
    })
}

fn scenario() -> Scenario<Context, SimulatedProvider> {
    let context = |provider: &SimulatedProvider| Context::new(provider.clone());
    Scenario::new(operator, SimulatedProvider::default, context).outside(|provider| Outside {
        created: provider.created(),
        live: provider.instances().len(),
    })
}

/// Created, Ready, three quiet hours, deleted, nothing left: the whole life, under the role that `manifests` prints.
#[test]
fn lives_and_goes() {
    let lived = scenario().object(database("a")).check();
    assert_eq!(lived, Ok(()));
}

/// The operator dies before and after each of its writes and comes back: one instance, nothing leaked.
#[test]
fn survives_a_crash_at_every_write() {
    let explored = scenario().object(database("a")).explore_crashes();
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
        let lived = scenario().object(database("a")).check_under(&trouble);
        assert_eq!(lived, Ok(()), "{trouble}");
    }
}

/// The role that `manifests` prints is the least one: whichever verb is taken out of it, something fails.
#[test]
fn every_verb_of_the_role_is_needed() {
    let role = scenario()
        .object(database("a"))
        .change(json!({ "spec": { "size": 2 } }))
        .check_role();
    assert!(role.is_least(), "{role}");
}

/// A provider call that never returns holds up its own object and no other.
#[test]
fn one_hung_call_delays_no_other_object() {
    scenario().object(database("hung")).run(async |world| {
        let uid = world.get(&database("hung")).expect("created")["metadata"]["uid"].clone();
        world.provider.hang_on(uid.as_str().expect("a uid"));
        let other = database("other");
        world.cluster.create_raw(other.clone()).expect("accepted");
        assert!(world.ready(&other).await < Duration::from_secs(30));
        assert!(!world.is_ready(&database("hung")));
        world.provider.recover();
        world.ready(&database("hung")).await;
    });
}

/// Watch events arrive late: no decision is made on a view older than our own last write.
#[test]
fn a_lagging_watch_makes_no_second_instance() {
    scenario().object(database("a")).run(async |world| {
        world.cluster.inject(
            Fault::new()
                .verb("watch")
                .lag_events(Duration::from_secs(3)),
        );
        world.ready(&database("a")).await;
        assert_eq!(world.provider.created(), 1);
    });
}

/// A changed spec reaches the provider; the instance is changed, not replaced.
#[test]
fn a_changed_spec_changes_the_instance() {
    scenario().object(database("a")).run(async |world| {
        world.ready(&database("a")).await;
        world.patch(&database("a"), &json!({ "spec": { "size": 2 } }));
        world.ready(&database("a")).await;
        assert_eq!(world.provider.created(), 1);
    });
}
