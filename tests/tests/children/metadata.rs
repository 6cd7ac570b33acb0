use opgen_runtime::secs;
use serde_json::json;

use crate::site::{requests, scenario, site};

#[test]
pub fn metadata_of_the_owner_is_written_once() {
    let object = site("a", json!({"label": "gold"}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        assert_eq!(
            world.get(&object).unwrap()["metadata"]["labels"]["example.com/tier"],
            "gold"
        );
        let patches = requests(&world, "patch", "sites");
        world.advance(secs(3600)).await;
        assert_eq!(requests(&world, "patch", "sites"), patches);
    });
}

#[test]
pub fn a_concurrent_write_is_not_lost() {
    let object = site("a", json!({}));
    scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        // The view of the next run is older than what it writes onto.
        let lag = opgen_testkit::Fault::new()
            .verb("watch")
            .resource("sites")
            .lag_events(secs(2));
        let lag = world.cluster.inject(lag);
        // A fault takes hold of a watch as it opens.
        world.cluster.cut_watches();
        let disturbed = world.until(|| lag.fired() > 0).await;
        assert!(disturbed.is_some(), "nothing was disturbed");
        world.patch(&object, &json!({"spec": {"label": "gold"}}));
        world.patch(
            &object,
            &json!({"metadata": {"labels": {"theirs": "kept"}}}),
        );
        world.ready(&object).await;
        world.advance(secs(10)).await;
        let labels = world.get(&object).unwrap()["metadata"]["labels"].clone();
        assert_eq!(
            labels,
            json!({"theirs": "kept", "example.com/tier": "gold"})
        );
    });
}
