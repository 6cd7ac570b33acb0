//! What is owned or watched has to be there at start, too.

use std::sync::Arc;

use opgen_runtime::{OperatorError, Placement, RunOptions, clients::Clients, secs};
use opgen_testkit::Cluster;
use serde_json::{Value, json};

use crate::site::{Context, image, operator};

/// The reasons for which the operator does not start, if its role is changed like this.
async fn reasons(change: impl Fn(&mut Vec<Value>)) -> Vec<String> {
    let cluster = Cluster::builder().rbac(true).build();
    let home =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "site-operator"}});
    cluster.apply_manifests(&[home]).unwrap();
    let mut manifests = operator(|options| options).manifests();
    for role in &mut manifests {
        if role["kind"] == "ClusterRole" {
            change(role["rules"].as_array_mut().unwrap());
        }
    }
    cluster.apply_manifests(&manifests).unwrap();
    let user = "system:serviceaccount:site-operator:site-operator";
    let clock = cluster.clock();
    let options = RunOptions {
        placement: Placement::Inline,
        clock: Arc::new(move || clock.now()),
        ..RunOptions::default()
    };
    let clients = Clients::in_process(cluster.client_as(user));
    let run = operator(|options| options).run(clients, Context { image: image() }, options);
    match tokio::time::timeout(secs(60), run).await {
        Ok(Err(OperatorError::Preflight(reasons))) => reasons,
        Err(_) => Vec::new(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
pub async fn a_missing_right_on_what_is_owned_or_watched_is_a_loud_error() {
    for resource in ["deployments", "secrets"] {
        let found = reasons(|rules| {
            rules.retain(|rule| rule["resources"] != json!([resource]));
        })
        .await;
        assert!(
            found.len() == 1 && found[0].contains(resource) && found[0].contains("apply the role"),
            "{found:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
pub async fn with_the_whole_role_it_starts() {
    assert!(reasons(|_| {}).await.is_empty());
}
