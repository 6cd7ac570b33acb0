//! What people are told of an object that cannot go on.

use opgen_runtime::secs;
use opgen_testkit::World;
use serde_json::{Value, json};

use crate::gadget::{Fake, condition, gadget, scenario};

fn condition_of(world: &World<Fake>, object: &Value, kind: &str) -> Value {
    condition(&world.get(object).unwrap_or_default(), kind)
}

fn events(world: &World<Fake>, reason: &str) -> Vec<Value> {
    let mut all = world
        .cluster
        .list_raw("events.events.k8s.io", "default")
        .unwrap();
    all.retain(|event| event["reason"] == reason);
    all
}

#[test]
pub fn what_cannot_be_observed_is_said_and_taken_back() {
    scenario(|| Fake::default().with_build_time(secs(600)))
        .object(gadget("a"))
        .run(async |world| {
            world.advance(secs(60)).await;
            assert_eq!(world.phase(&gadget("a")), "Building");
            assert_eq!(
                condition_of(&world, &gadget("a"), "Unobserved"),
                Value::Null,
                "it is seen"
            );
            world.provider.fail();
            world.advance(secs(60)).await;
            let unobserved = condition_of(&world, &gadget("a"), "Unobserved");
            assert_eq!(unobserved["status"], "True", "{unobserved}");
            assert_eq!(unobserved["reason"], "Unknown");
            // Either of what the looks find in turns.
            let why = unobserved["message"].as_str().unwrap();
            assert!(
                why.contains("out of order") || why.contains("the breaker is open"),
                "{why}"
            );
            let writes = world.object_writes();
            world.advance(secs(300)).await;
            let written = world.object_writes() - writes;
            assert!(
                written < 8,
                "flapping words are written once a minute: {written} times"
            );
            world.provider.recover();
            world.ready(&gadget("a")).await;
            assert_eq!(
                condition_of(&world, &gadget("a"), "Unobserved"),
                Value::Null
            );
            assert_eq!(world.provider.created(), 1, "unknown was not absence");
        });
}

#[test]
pub fn a_clean_up_without_credentials_says_so() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            world.provider.deny();
            world.delete(&gadget("a"));
            world.advance(secs(60)).await;
            let blocked = condition_of(&world, &gadget("a"), "CleanupBlocked");
            assert_eq!(blocked["reason"], "CredentialsRefused", "{blocked}");
            let message = blocked["message"].as_str().unwrap();
            assert!(message.contains("workshop") && message.contains("the token is not valid"));
            assert!(
                message.contains("orphan-external"),
                "how to mend it: {message}"
            );
            world.advance(secs(600)).await;
            let told = events(&world, "CredentialsRefused");
            assert_eq!(told.len(), 1, "{told:?}");
            assert!(told[0]["series"].is_null(), "told once: {told:?}");
            world.provider.recover();
            world.gone(&gadget("a")).await;
            assert_eq!(world.provider.live(), 0);
        });
}

#[test]
pub fn a_clean_up_that_goes_on_is_not_blocked() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            world.provider.deny();
            world.delete(&gadget("a"));
            world.advance(secs(60)).await;
            world.provider.recover();
            world.provider.fail();
            world.advance(secs(120)).await;
            let object = world.get(&gadget("a")).unwrap();
            assert_eq!(
                condition(&object, "CleanupBlocked"),
                Value::Null,
                "{object:#}"
            );
            assert_eq!(condition(&object, "Unobserved")["status"], "True");
        });
}

/// Fails once for good, and is made in the second attempt.
async fn in_its_second_attempt(world: &World<Fake>) -> Value {
    let a = gadget("a");
    world.ready(&a).await;
    for invalid in [true, false] {
        let phase = json!({"status": {"phase": "Pending"}});
        let (kind, name) = ("gadgets", "a");
        if invalid {
            let patched = world
                .cluster
                .patch_raw(kind, "default", name, "status", &phase);
            patched.unwrap();
        }
        world.patch(&a, &json!({"spec": {"isInvalid": invalid}}));
        world.advance(secs(60)).await;
    }
    world.ready(&a).await;
    world.get(&a).unwrap()
}

fn attempt(object: &Value) -> Value {
    let text = object["metadata"]["annotations"]["opgen.dev/identity"].as_str();
    let identity: Value = serde_json::from_str(text.unwrap_or("null")).unwrap();
    identity["attempt"].clone()
}

#[test]
pub fn a_replace_that_drops_the_identity_loses_no_attempt() {
    for deletes in [false, true] {
        scenario(Fake::default)
            .object(gadget("a"))
            .run(async move |world| {
                let object = in_its_second_attempt(&world).await;
                assert_eq!(attempt(&object), 2, "{object:#}");
                assert_eq!(world.provider.live(), 2, "one of each attempt");
                let kept = condition(&object, "Identity");
                assert!(
                    kept["message"]
                        .as_str()
                        .unwrap()
                        .starts_with("attempt 2 of ")
                );
                // What `kubectl replace` of the first manifest does; the finalizer is put back by whoever deletes.
                world.patch(
                    &gadget("a"),
                    &json!({"metadata": {"annotations": {"opgen.dev/identity": null}}}),
                );
                if !deletes {
                    world.advance(secs(1300)).await;
                    assert_eq!(
                        attempt(&world.get(&gadget("a")).unwrap()),
                        2,
                        "written anew"
                    );
                }
                world.delete(&gadget("a"));
                world.gone(&gadget("a")).await;
                assert_eq!(
                    world.provider.live(),
                    0,
                    "both are cleaned up: {:?}",
                    world.provider.keys()
                );
            });
    }
}

#[test]
pub fn an_older_identity_does_not_count_back() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            let first = world.ready(&gadget("a")).await;
            assert!(first < secs(60));
            let old = world.get(&gadget("a")).unwrap()["metadata"]["annotations"].clone();
            in_its_second_attempt(&world).await;
            world.patch(&gadget("a"), &json!({"metadata": {"annotations": old}}));
            world.delete(&gadget("a"));
            world.gone(&gadget("a")).await;
            assert_eq!(world.provider.live(), 0, "{:?}", world.provider.keys());
        });
}

#[test]
pub fn a_restored_object_says_whose_identity_it_has() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            let mut copy = world.get(&gadget("a")).unwrap();
            let first = copy["metadata"]["uid"].as_str().unwrap().to_owned();
            // The cluster is lost, the outside is not.
            world.patch(
                &gadget("a"),
                &json!({"metadata": {"annotations": {"opgen.dev/orphan-external": "true"}}}),
            );
            world.delete(&gadget("a"));
            world.gone(&gadget("a")).await;
            assert_eq!(world.provider.live(), 1);
            assert!(events(&world, "IdentityAdopted").is_empty());
            copy["metadata"] = json!({
                "name": "a", "namespace": "default",
                "annotations": copy["metadata"]["annotations"],
            });
            copy.as_object_mut().unwrap().remove("status");
            world.cluster.create_raw(copy).unwrap();
            world.ready(&gadget("a")).await;
            let told = events(&world, "IdentityAdopted");
            assert_eq!(told.len(), 1, "{told:?}");
            assert!(told[0]["note"].as_str().unwrap().contains(&first));
            assert_eq!(world.provider.created(), 1, "found again, not made again");
        });
}

/// H46: the API server would answer with an error that says little.
#[test]
pub fn a_status_that_is_too_large_is_said_and_not_sent() {
    scenario(|| {
        let fake = Fake::default();
        fake.ramble(true);
        fake
    })
    .object(gadget("a"))
    .run(async |world| {
        world.advance(secs(120)).await;
        let refused = condition_of(&world, &gadget("a"), "WriteRefused");
        assert_eq!(refused["status"], "True", "{refused}");
        assert!(!events(&world, "WriteRefused").is_empty());
        assert_eq!(world.provider.created(), 1);
        world.provider.ramble(false);
        world.ready(&gadget("a")).await;
        assert_eq!(world.provider.created(), 1, "the key is the same");
        assert_eq!(
            condition_of(&world, &gadget("a"), "WriteRefused"),
            Value::Null
        );
    });
}
