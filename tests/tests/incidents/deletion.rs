//! Finalizers and the clean-up of the outside.

use opgen_runtime::secs;
use serde_json::json;

use crate::site::{condition, requests, scenario, site};

/// The namespace is being deleted while an object in it has yet to make its children.
#[test]
pub fn a_namespace_that_goes_away_ends_the_work_in_it() {
    let mut object = site("a", json!({"config": "plain"}));
    object["metadata"]["namespace"] = json!("team");
    object["metadata"]["finalizers"] = json!(["example.com/other"]);
    scenario().run(async |world| {
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}});
        world.cluster.create_raw(namespace).unwrap();
        // Created, and paused until the namespace goes.
        object["metadata"]["annotations"] = json!({"opgen.dev/paused": "true"});
        world.cluster.create_raw(object.clone()).unwrap();
        world.advance(secs(5)).await;
        world.cluster.delete_raw("Namespace", "", "team").unwrap();
        world.patch(
            &object,
            &json!({"metadata": {"annotations": {"opgen.dev/paused": "false"}}}),
        );
        world.advance(secs(3600)).await;
        let stalled = condition(&world, &object, "Stalled");
        assert_eq!(stalled["status"], "True", "{stalled}");
        let tries = requests(&world, "patch", "configmaps");
        assert!((1..=8).contains(&tries), "{tries} tries in an hour");
    });
}
