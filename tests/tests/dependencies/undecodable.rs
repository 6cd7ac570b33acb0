use opgen_runtime::secs;
use opgen_testkit::World;
use serde_json::{Value, json};

use crate::account::{Vault, account, condition, events, scenario, secret};

/// The schema served for Buckets is laxer than the operator's type.
fn be_lax(world: &World<Vault>) {
    let lax = json!({"spec": {"versions": [{
        "name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
    }]}});
    let (kind, name) = ("CustomResourceDefinition", "buckets.bank.example.com");
    world.cluster.patch_raw(kind, "", name, "", &lax).unwrap();
}

fn buckets(world: &World<Vault>) -> Vec<Value> {
    world.cluster.list_raw("buckets", "default").unwrap()
}

fn with_bucket() -> Value {
    let mut object = account("a", "eu");
    object["spec"]["bucket"] = json!(true);
    object
}

#[test]
pub fn a_child_that_does_not_decode_is_told_and_not_taken_for_absent() {
    let one = with_bucket();
    scenario(256).run(async |world| {
        be_lax(&world);
        world.cluster.create_raw(secret("a", "red")).unwrap();
        world.cluster.create_raw(one.clone()).unwrap();
        world.ready(&one).await;
        let found = buckets(&world);
        assert_eq!(found.len(), 1, "{found:?}");
        let name = found[0]["metadata"]["name"].as_str().unwrap().to_owned();
        let change = |size: Value| {
            let patch = json!({"spec": {"size": size}});
            let patched = world
                .cluster
                .patch_raw("buckets", "default", &name, "", &patch);
            patched.unwrap();
        };
        change(json!("large"));
        world.advance(secs(30)).await;
        let told = events(&world, "Undecodable");
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0]["regarding"]["kind"], "Bucket");
        let metrics = world.metrics.encode();
        let line = "opgen_undecodable_objects{kind=\"Account/Bucket\"} 1";
        assert!(metrics.contains(line), "{metrics}");
        let blocked = condition(&world, &one, "ChildBlocked");
        assert_eq!(blocked["reason"], "ChildUndecodable", "{blocked}");
        let object = world.get(&one).unwrap();
        assert_eq!(object["status"]["buckets"], 1, "not taken for absent");
        // The watch begins anew, with a list: still there, still told once.
        world.advance(secs(1800)).await;
        assert_eq!(events(&world, "Undecodable").len(), 1);
        assert_eq!(buckets(&world).len(), 1);
        change(json!(1));
        world.ready(&one).await;
        world.advance(secs(60)).await;
        assert_eq!(condition(&world, &one, "ChildBlocked"), Value::Null);
        let metrics = world.metrics.encode();
        assert!(metrics.contains("opgen_undecodable_objects{kind=\"Account/Bucket\"} 0"));
    });
}
