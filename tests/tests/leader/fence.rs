//! The fence closes by itself, also if nobody comes to close it.

use kube::Api;
use opgen_runtime::{
    clients::{ClientError, Clients},
    secs,
};
use opgen_testkit::{Cluster, Fault};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::replicas::virtually;

type ConfigMaps = Api<k8s_openapi::api::core::v1::ConfigMap>;

async fn write(api: &ConfigMaps, name: &str) -> Result<(), kube::Error> {
    let map: Value = json!({"metadata": {"name": name}});
    let map = serde_json::from_value(map).unwrap();
    api.create(&Default::default(), &map).await.map(|_| ())
}

fn is_fenced(result: &Result<(), kube::Error>) -> bool {
    let error = result.as_ref().err();
    matches!(
        error.and_then(ClientError::of),
        Some(ClientError::Fenced { .. })
    )
}

#[test]
pub fn nothing_is_written_once_the_time_is_over() {
    virtually(1, async {
        let cluster = Cluster::new();
        let clients = Clients::in_process(cluster.client());
        let api = ConfigMaps::namespaced(clients.call.clone(), "default");
        let fence = clients.fence_switch();
        fence.hold_until(Instant::now() + secs(10));
        write(&api, "a").await.unwrap();
        tokio::time::sleep(secs(8)).await;
        fence.hold_until(Instant::now() + secs(10));
        tokio::time::sleep(secs(8)).await;
        write(&api, "b").await.unwrap();
        // One that is under way then is given up then.
        cluster.inject(
            Fault::new()
                .resource("configmaps")
                .verb("create")
                .hang()
                .times(1),
        );
        let began = Instant::now();
        assert!(is_fenced(&write(&api, "c").await));
        assert_eq!(began.elapsed(), secs(2));
        assert!(is_fenced(&write(&api, "d").await));
        // A renewal that comes too late opens nothing.
        fence.hold_until(Instant::now() + secs(10));
        assert!(is_fenced(&write(&api, "e").await));
        assert!(clients.is_fenced());
        api.get("a").await.unwrap();
    });
}
