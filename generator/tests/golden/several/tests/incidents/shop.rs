//! The incidents of a `Shop`. The other kinds of the operator are there, and have nothing to do.

use std::time::Duration;

use opgen_testkit::{Fault, Outside, RoleCheck, Scenario, Trouble, World, WriteFault};
use serde_json::{Value, json};
use shop_operator::{context::Context, controllers::shop::provider::SimulatedProvider, operator};

fn shop(name: &str) -> Value {
    json!({
        "apiVersion": "shop.example.com/v1alpha1",
        "kind": "Shop",
        "metadata": { "name": name, "namespace": "default" },
        "spec": { "size": 1, "config": {"greeting": "hello"} },
    })
}

fn scenario() -> Scenario<Context, SimulatedProvider> {
    let context = |provider: &SimulatedProvider| {
        Context::new(
            provider.clone(),
            shop_operator::controllers::till::provider::SimulatedProvider::default(),
        )
    };
    Scenario::new(operator, SimulatedProvider::default, context)
        .outside(|provider| Outside {
            created: provider.created(),
            live: provider.instances().len(),
        })
        .workloads(Duration::from_secs(5))
}

/// The kinds of its children.
const CHILDREN: [&str; 1] = ["ConfigMap"];

/// The child of that kind, if there is one.
fn find_child<P>(world: &World<P>, kind: &str) -> Option<Value> {
    let mut all = world
        .cluster
        .list_raw(kind, "")
        .expect("a kind that is served");
    all.retain(|one| one["metadata"]["ownerReferences"][0]["kind"] == "Shop");
    let mut found = all.pop()?;
    // What a list shows does not say its kind.
    found["kind"] = json!(kind);
    Some(found)
}

/// The child of that kind, as soon as there is one.
async fn child_of<P>(world: &World<P>, kind: &str) -> Value {
    world.until(|| find_child(world, kind).is_some()).await;
    find_child(world, kind).unwrap_or_else(|| panic!("no {kind} is made"))
}

/// Waits so many seconds at most until the child of that kind is as wanted.
async fn within<P>(seconds: u64, world: &World<P>, kind: &str, wanted: impl Fn(Value) -> bool) {
    let took = world
        .until(|| find_child(world, kind).is_some_and(&wanted))
        .await;
    let limit = Duration::from_secs(seconds);
    assert!(took.is_some_and(|took| took < limit), "{kind}: {took:?}");
}

/// Created, Ready, three quiet hours, deleted, nothing left: the whole life, under the role that `manifests` prints.
#[test]
fn lives_and_goes() {
    let lived = scenario().object(shop("a")).check();
    assert_eq!(lived, Ok(()));
}

/// The operator dies before and after each of its writes and comes back: one instance, nothing leaked.
#[test]
fn survives_a_crash_at_every_write() {
    let explored = scenario().object(shop("a")).explore_crashes();
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
        let lived = scenario().object(shop("a")).check_under(&trouble);
        assert_eq!(lived, Ok(()), "{trouble}");
    }
}

/// What a `Shop` needs of the role that `manifests` prints, and what it does not.
pub fn check_role() -> RoleCheck {
    scenario()
        .object(shop("a"))
        .change(json!({ "spec": { "config": {"greeting": "good day"} } }))
        .check_role()
}

/// A provider call that never returns holds up its own object and no other.
#[test]
fn one_hung_call_delays_no_other_object() {
    scenario().object(shop("hung")).run(async |world| {
        let uid = world.get(&shop("hung")).expect("created")["metadata"]["uid"].clone();
        world.provider.hang_on(uid.as_str().expect("a uid"));
        let other = shop("other");
        world.cluster.create_raw(other.clone()).expect("accepted");
        assert!(world.ready(&other).await < Duration::from_secs(30));
        assert!(!world.is_ready(&shop("hung")));
        world.provider.recover();
        world.ready(&shop("hung")).await;
    });
}

/// Watch events arrive late: no decision is made on a view older than our own last write.
#[test]
fn a_lagging_watch_makes_no_second_instance() {
    scenario().object(shop("a")).run(async |world| {
        world.cluster.inject(
            Fault::new()
                .verb("watch")
                .lag_events(Duration::from_secs(3)),
        );
        world.ready(&shop("a")).await;
        assert_eq!(world.provider.created(), 1);
    });
}

/// A changed spec reaches the provider; the instance is changed, not replaced.
#[test]
fn a_changed_spec_changes_the_instance() {
    scenario().object(shop("a")).run(async |world| {
        world.ready(&shop("a")).await;
        world.patch(&shop("a"), &json!({ "spec": { "size": 2 } }));
        world.ready(&shop("a")).await;
        assert_eq!(world.provider.created(), 1);
    });
}

/// A changed spec reaches the children.
#[test]
fn a_changed_spec_reaches_the_children() {
    scenario().object(shop("a")).run(async |world| {
        world.ready(&shop("a")).await;
        let before = child_of(&world, "ConfigMap").await;
        world.patch(
            &shop("a"),
            &json!({ "spec": { "config": {"greeting": "good day"} } }),
        );
        let has_changed =
            |now: Value| now["spec"] != before["spec"] || now["data"] != before["data"];
        within(60, &world, "ConfigMap", has_changed).await;
        world.ready(&shop("a")).await;
    });
}

/// Somebody deletes a child: there is another one at once.
#[test]
fn a_deleted_child_is_made_anew() {
    scenario().object(shop("a")).run(async |world| {
        world.ready(&shop("a")).await;
        for kind in CHILDREN {
            let old = child_of(&world, kind).await;
            world.delete(&old);
            let is_another = |new: Value| new["metadata"]["uid"] != old["metadata"]["uid"];
            within(30, &world, kind, is_another).await;
        }
        world.ready(&shop("a")).await;
    });
}

/// Somebody edits a child: it is brought back.
#[test]
fn an_edited_child_is_brought_back() {
    scenario().object(shop("a")).run(async |world| {
        world.ready(&shop("a")).await;
        let edits = [(
            "ConfigMap",
            json!({ "metadata": { "labels": { "app.kubernetes.io/managed-by": "somebody" } } }),
            "/metadata/labels",
        )];
        for (kind, edit, field) in edits {
            let before = child_of(&world, kind).await;
            world.patch(&before, &edit);
            let is_back = |now: Value| now.pointer(field) == before.pointer(field);
            within(30, &world, kind, is_back).await;
        }
    });
}

/// It is the owner of its children: they go with it.
#[test]
fn children_go_with_their_owner() {
    scenario().object(shop("a")).run(async |world| {
        world.ready(&shop("a")).await;
        world.delete(&shop("a"));
        world.gone(&shop("a")).await;
        for kind in CHILDREN {
            let took = world.until(|| find_child(&world, kind).is_none()).await;
            assert!(took.is_some(), "{kind} is left");
        }
    });
}
