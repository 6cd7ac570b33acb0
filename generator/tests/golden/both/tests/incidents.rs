//! The incidents that take operators down, as tests: an in-memory API server, virtual time, no cluster.

use std::time::Duration;

use database_operator::{
    context::Context, controllers::database::provider::SimulatedProvider, operator,
};
use opgen_testkit::{Fault, Outside, Scenario, Trouble, World, WriteFault};
use serde_json::{Value, json};

fn database(name: &str) -> Value {
    json!({
        "apiVersion": "db.example.com/v1alpha1",
        "kind": "Database",
        "metadata": { "name": name, "namespace": "default" },
        "spec": { "size": 1, "image": "nginx:1.29", "replicas": 1, "port": 80 },
    })
}

fn scenario() -> Scenario<Context, SimulatedProvider> {
    let context = |provider: &SimulatedProvider| Context::new(provider.clone());
    Scenario::new(operator, SimulatedProvider::default, context)
        .outside(|provider| Outside {
            created: provider.created(),
            live: provider.instances().len(),
        })
        .workloads(Duration::from_secs(5))
        .given(certificate_definition())
}

/// As much of the definition of a `Certificate` as a test needs.
fn certificate_definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "certificates.cert-manager.io" },
        "spec": {
            "group": "cert-manager.io",
            "names": { "kind": "Certificate", "plural": "certificates" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    })
}

/// The kinds of its children.
const CHILDREN: [&str; 3] = ["Deployment", "Job", "certificates.cert-manager.io"];

/// The child of that kind, if there is one.
fn find_child<P>(world: &World<P>, kind: &str) -> Option<Value> {
    let mut all = world
        .cluster
        .list_raw(kind, "")
        .expect("a kind that is served");
    all.retain(|one| one["metadata"]["ownerReferences"][0]["kind"] == "Database");
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
        .change(json!({ "spec": { "image": "nginx:1.30" } }))
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

/// A changed spec reaches the children.
#[test]
fn a_changed_spec_reaches_the_children() {
    scenario().object(database("a")).run(async |world| {
        world.ready(&database("a")).await;
        let before = child_of(&world, "Deployment").await;
        world.patch(
            &database("a"),
            &json!({ "spec": { "image": "nginx:1.30" } }),
        );
        let has_changed =
            |now: Value| now["spec"] != before["spec"] || now["data"] != before["data"];
        within(60, &world, "Deployment", has_changed).await;
        world.ready(&database("a")).await;
    });
}

/// Somebody deletes a child: there is another one at once.
#[test]
fn a_deleted_child_is_made_anew() {
    scenario().object(database("a")).run(async |world| {
        world.ready(&database("a")).await;
        for kind in CHILDREN {
            let old = child_of(&world, kind).await;
            world.delete(&old);
            let is_another = |new: Value| new["metadata"]["uid"] != old["metadata"]["uid"];
            within(30, &world, kind, is_another).await;
        }
        world.ready(&database("a")).await;
    });
}

/// Somebody edits a child: it is brought back.
#[test]
fn an_edited_child_is_brought_back() {
    scenario().object(database("a")).run(async |world| {
        world.ready(&database("a")).await;
        let edits = [
            (
                "Deployment",
                json!({ "spec": { "replicas": 7 } }),
                "/spec/replicas",
            ),
            (
                "Job",
                json!({ "metadata": { "labels": { "app.kubernetes.io/managed-by": "somebody" } } }),
                "/metadata/labels",
            ),
            (
                "certificates.cert-manager.io",
                json!({ "metadata": { "labels": { "app.kubernetes.io/managed-by": "somebody" } } }),
                "/metadata/labels",
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
    scenario().object(database("a")).run(async |world| {
        world.ready(&database("a")).await;
        world.delete(&database("a"));
        world.gone(&database("a")).await;
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
    slow.object(database("a")).run(async |world| {
        world.advance(Duration::from_secs(20)).await;
        assert!(find_child(&world, "Deployment").is_some());
        assert!(!world.is_ready(&database("a")));
        world.ready(&database("a")).await;
    });
}

/// What it refers to may come later: it waits, and is woken without having asked the server once.
#[test]
fn a_missing_secret_is_waited_for() {
    let mut object = database("a");
    object["spec"]["secretRef"] = json!({ "name": "mine" });
    scenario().object(object.clone()).run(async |world| {
        world.advance(Duration::from_secs(600)).await;
        assert!(!world.is_ready(&object));
        let mine = json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": { "name": "mine", "namespace": "default" },
        });
        world.cluster.create_raw(mine).expect("accepted");
        assert!(world.ready(&object).await < Duration::from_secs(30));
        let log = world.cluster.log();
        let reads = log.count(|entry| entry.verb == "get" && entry.resource == "secrets");
        assert_eq!(reads, 0);
    });
}
