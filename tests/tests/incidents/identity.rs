//! Who an object is to the outside.

use opgen_runtime::secs;
use opgen_testkit::Fault;
use serde_json::json;

use crate::{
    database::{Cloud, cluster, database, process},
    replicas::virtually,
    site::{self, only, site},
};

/// The operator restarts against an API server whose cache is old: its first list shows the former object of that name,
/// terminating. The watch then brings the present one.
#[test]
pub fn an_old_uid_replayed_after_a_restart_harms_no_namesake() {
    virtually(1, async {
        let (cluster, cloud) = (cluster(), Cloud::default());
        let object = || cluster.get_raw("Database", "default", "a").unwrap();
        let mut retained = database("a");
        // So that its clean-up is one write of its metadata.
        retained["metadata"]["annotations"] = json!({"opgen.dev/deletion-policy": "retain"});
        cluster.create_raw(retained).unwrap();
        let first = process(&cluster, &cloud);
        tokio::time::sleep(secs(60)).await;
        first.abort();
        tokio::time::sleep(secs(1)).await;
        cluster.delete_raw("Database", "default", "a").unwrap();
        let terminating = cluster.revision();
        let between = process(&cluster, &cloud);
        tokio::time::sleep(secs(60)).await;
        assert!(cluster.get_raw("Database", "default", "a").is_err());
        between.abort();
        cluster.create_raw(database("a")).unwrap();
        let second = process(&cluster, &cloud);
        tokio::time::sleep(secs(60)).await;
        assert_eq!(object()["status"]["phase"], "Ready");
        second.abort();
        tokio::time::sleep(secs(1)).await;
        let before = object();
        let old = Fault::new()
            .verb("list")
            .resource("databases")
            .times(2)
            .old_snapshot(terminating);
        let replayed = cluster.inject(old);
        // And the watch that would show the present one is late.
        cluster.inject(Fault::new().resource("databases").lag_events(secs(120)));
        let _third = process(&cluster, &cloud);
        tokio::time::sleep(secs(110)).await;
        assert!(replayed.fired() > 0);
        let after = object();
        assert_eq!(
            after["metadata"]["finalizers"],
            before["metadata"]["finalizers"]
        );
        assert_eq!(after["metadata"]["uid"], before["metadata"]["uid"]);
        assert_eq!(cloud.live(), 2);
    });
}

/// The watch of the children has missed it: what stands under the child's name by now is somebody else's.
#[test]
pub fn a_child_replaced_by_a_namesake_is_not_deleted() {
    let object = site("a", json!({"replicas": 1}));
    site::scenario().object(object.clone()).run(async |world| {
        world.ready(&object).await;
        world.advance(secs(30)).await;
        world
            .cluster
            .inject(Fault::new().resource("services").drop_events());
        // A fault takes hold of a watch as it opens.
        world.advance(secs(300)).await;
        let mut service = only(&world, "Service");
        let name = service["metadata"]["name"].as_str().unwrap().to_owned();
        world
            .cluster
            .delete_raw("Service", "default", &name)
            .unwrap();
        service["apiVersion"] = json!("v1");
        service["kind"] = json!("Service");
        service["metadata"] = json!({"name": name, "namespace": "default"});
        service["spec"] = json!({"ports": [{"port": 80}]});
        world.cluster.create_raw(service).unwrap();
        let theirs = only(&world, "Service")["metadata"]["uid"].clone();
        world.patch(&object, &json!({"spec": {"replicas": 0}}));
        world.advance(secs(30)).await;
        assert_eq!(only(&world, "Service")["metadata"]["uid"], theirs);
    });
}
