//! The incidents that take operators down, as tests: an in-memory API server, virtual time, no cluster.

use std::time::Duration;

use opgen_testkit::{Fault, Scenario, Trouble, World, WriteFault};
use serde_json::{Value, json};
use web_operator::{context::Context, operator};

fn web(name: &str) -> Value {
    json!({
        "apiVersion": "web.example.com/v1alpha1",
        "kind": "Web",
        "metadata": { "name": name, "namespace": "default" },
        "spec": { "image": "nginx:1.29", "replicas": 1, "port": 80 },
    })
}

fn scenario() -> Scenario<Context, ()> {
    Scenario::new(operator, || (), |()| Context {}).workloads(Duration::from_secs(5))
}

/// The kinds of its children.
const CHILDREN: [&str; 2] = ["Service", "Deployment"];

/// The child of that kind, if there is one.
fn find_child<P>(world: &World<P>, kind: &str) -> Option<Value> {
    let mut all = world
        .cluster
        .list_raw(kind, "")
        .expect("a kind that is served");
    all.retain(|one| one["metadata"]["ownerReferences"][0]["kind"] == "Web");
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
    let lived = scenario().object(web("a")).check();
    assert_eq!(lived, Ok(()));
}

/// The operator dies before and after each of its writes and comes back: it carries on where it was.
#[test]
fn survives_a_crash_at_every_write() {
    let explored = scenario().object(web("a")).explore_crashes();
    assert!(explored.crashes >= 2, "{explored}");
}

/// For two minutes no write is answered, though each is made; for two minutes each watch breaks at its first event.
#[test]
fn survives_lost_answers_and_broken_watches() {
    let lost = Trouble::EveryWrite {
        each: 1,
        fault: WriteFault::After(504),
    };
    for trouble in [lost, Trouble::ExpiredWatches] {
        let lived = scenario().object(web("a")).check_under(&trouble);
        assert_eq!(lived, Ok(()), "{trouble}");
    }
}

/// The role that `manifests` prints is the least one: whichever verb is taken out of it, something fails.
#[test]
fn every_verb_of_the_role_is_needed() {
    let role = scenario()
        .object(web("a"))
        .change(json!({ "spec": { "image": "nginx:1.30" } }))
        .check_role();
    assert!(role.is_least(), "{role}");
}

/// Watch events arrive late: no decision is made on a view older than our own last write.
#[test]
fn a_lagging_watch_confuses_nobody() {
    scenario().object(web("a")).run(async |world| {
        world.cluster.inject(
            Fault::new()
                .verb("watch")
                .lag_events(Duration::from_secs(3)),
        );
        world.ready(&web("a")).await;
    });
}

/// A changed spec reaches the children.
#[test]
fn a_changed_spec_reaches_the_children() {
    scenario().object(web("a")).run(async |world| {
        world.ready(&web("a")).await;
        let before = child_of(&world, "Deployment").await;
        world.patch(&web("a"), &json!({ "spec": { "image": "nginx:1.30" } }));
        let has_changed =
            |now: Value| now["spec"] != before["spec"] || now["data"] != before["data"];
        within(60, &world, "Deployment", has_changed).await;
        world.ready(&web("a")).await;
    });
}

/// Somebody deletes a child: there is another one at once.
#[test]
fn a_deleted_child_is_made_anew() {
    scenario().object(web("a")).run(async |world| {
        world.ready(&web("a")).await;
        for kind in CHILDREN {
            let old = child_of(&world, kind).await;
            world.delete(&old);
            let is_another = |new: Value| new["metadata"]["uid"] != old["metadata"]["uid"];
            within(30, &world, kind, is_another).await;
        }
        world.ready(&web("a")).await;
    });
}

/// Somebody edits a child: it is brought back.
#[test]
fn an_edited_child_is_brought_back() {
    scenario().object(web("a")).run(async |world| {
        world.ready(&web("a")).await;
        let edits = [
            (
                "Service",
                json!({ "metadata": { "labels": { "app.kubernetes.io/managed-by": "somebody" } } }),
                "/metadata/labels",
            ),
            (
                "Deployment",
                json!({ "spec": { "replicas": 7 } }),
                "/spec/replicas",
            ),
        ];
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
    scenario().object(web("a")).run(async |world| {
        world.ready(&web("a")).await;
        world.delete(&web("a"));
        world.gone(&web("a")).await;
        for kind in CHILDREN {
            let took = world.until(|| find_child(&world, kind).is_none()).await;
            assert!(took.is_some(), "{kind} is left");
        }
    });
}

/// It is not Ready because it wrote something, but because its children are.
#[test]
fn it_is_not_ready_before_its_children() {
    let slow = scenario().workloads(Duration::from_secs(30));
    slow.object(web("a")).run(async |world| {
        world.advance(Duration::from_secs(20)).await;
        assert!(find_child(&world, "Deployment").is_some());
        assert!(!world.is_ready(&web("a")));
        world.ready(&web("a")).await;
    });
}
