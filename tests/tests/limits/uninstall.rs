//! The orderly end: the objects go before the operator does.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use opgen_runtime::{
    LeaderElection, Placement, RunOptions,
    clients::Clients,
    operator::{OutsidePolicy, UninstallError, UninstallOptions},
    secs,
};
use opgen_testkit::{Cluster, Fault};
use serde_json::json;

use crate::ticket::{Fake, context, operator, ticket};

const USER: &str = "system:serviceaccount:desk:desk";

/// With the operator's role, and what uninstalling needs beside it if `may`.
fn cluster(objects: usize, may: bool) -> Cluster {
    let cluster = Cluster::builder().rbac(true).build();
    let home = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "desk"}});
    cluster.apply_manifests(&[home]).unwrap();
    let operator = operator(|kind| kind);
    cluster.apply_manifests(&operator.manifests()).unwrap();
    if may {
        let more = operator.uninstall_manifests();
        cluster.apply_manifests(&more).unwrap();
    }
    for number in 0..objects {
        let object = ticket(&format!("t{number}"), "work");
        cluster.create_raw(object).unwrap();
    }
    cluster
}

fn run(cluster: &Cluster, identity: Option<&str>) -> RunOptions {
    let clock = cluster.clock();
    RunOptions {
        placement: Placement::Inline,
        clock: Arc::new(move || clock.now()),
        leader_election: identity.map(|identity| LeaderElection {
            identity: identity.to_owned(),
            ..LeaderElection::default()
        }),
        ..RunOptions::default()
    }
}

/// Runs the operator for a while, so that every object has its finalizer.
async fn adopted(cluster: &Cluster, fake: &Fake) {
    let clients = Clients::in_process(cluster.client_as(USER));
    let work = operator(|kind| kind).run(clients, context(fake), run(cluster, None));
    assert!(tokio::time::timeout(secs(60), work).await.is_err());
}

async fn uninstalled(
    cluster: &Cluster,
    fake: &Fake,
    options: UninstallOptions,
) -> Result<(), UninstallError> {
    adopted(cluster, fake).await;
    let clients = Clients::in_process(cluster.client_as(USER));
    operator(|kind| kind)
        .uninstall(clients, context(fake), run(cluster, None), options)
        .await
}

fn within(patience: Duration) -> UninstallOptions {
    UninstallOptions {
        patience,
        ..UninstallOptions::default()
    }
}

fn left(cluster: &Cluster) -> usize {
    cluster.list_raw("tickets", "default").unwrap().len()
}

#[tokio::test(start_paused = true)]
pub async fn every_object_goes_and_what_it_made_with_it() {
    let (cluster, fake) = (cluster(60, true), Fake::default());
    let looks = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&looks);
    let options = UninstallOptions {
        progress: Box::new(move |gone, left| told.lock().unwrap().push((gone, left))),
        // The brake on mass deletions would take longer.
        ..within(secs(60))
    };
    uninstalled(&cluster, &fake, options).await.unwrap();
    assert_eq!(left(&cluster), 0);
    assert_eq!(fake.calls("destroy").len(), 60);
    let looks = looks.lock().unwrap();
    assert_eq!(looks.first(), Some(&(0, 60)));
    assert_eq!(looks.last(), Some(&(60, 0)));
}

#[tokio::test(start_paused = true)]
pub async fn the_outside_stays_if_told() {
    let (cluster, fake) = (cluster(5, true), Fake::default());
    let options = UninstallOptions {
        outside: OutsidePolicy::Retain,
        ..within(secs(60))
    };
    uninstalled(&cluster, &fake, options).await.unwrap();
    assert_eq!(left(&cluster), 0);
    assert!(fake.calls("destroy").is_empty());
}

#[tokio::test(start_paused = true)]
pub async fn what_is_left_is_named_with_its_reason() {
    let (cluster, fake) = (cluster(3, true), Fake::default());
    adopted(&cluster, &fake).await;
    let pause = json!({"metadata": {"annotations": {"opgen.dev/paused": "true"}}});
    cluster
        .patch_raw("tickets", "default", "t1", "", &pause)
        .unwrap();
    let ended = uninstalled(&cluster, &fake, within(secs(30))).await;
    let Err(UninstallError::Left(objects)) = &ended else {
        panic!("{ended:?}")
    };
    assert_eq!(objects.len(), 1);
    assert_eq!(objects[0].name, "Ticket default/t1");
    assert!(objects[0].why.starts_with("Paused: held by"), "{objects:?}");
    let message = ended.unwrap_err().to_string();
    assert!(message.contains("the operator must stay"), "{message}");
}

/// As a webhook may, whose own reasons the operator cannot know.
#[tokio::test(start_paused = true)]
pub async fn one_that_may_not_be_deleted_holds_up_no_other() {
    for code in [403, 422, 500] {
        let (cluster, fake) = (cluster(5, true), Fake::default());
        let refuses = Fault::new()
            .verb("delete")
            .resource("tickets")
            .name("t0")
            .fail_before_commit(code);
        cluster.inject(refuses);
        let ended = uninstalled(&cluster, &fake, within(secs(60))).await;
        let Err(UninstallError::Left(objects)) = &ended else {
            panic!("{code}: {ended:?}")
        };
        assert_eq!(objects.len(), 1, "{code}: {objects:?}");
        assert_eq!(objects[0].name, "Ticket default/t0");
        let why = &objects[0].why;
        assert!(why.starts_with("the server refuses to delete it"), "{why}");
        assert_eq!(left(&cluster), 1);
    }
}

#[tokio::test(start_paused = true)]
pub async fn without_the_right_nothing_is_touched_and_the_mend_is_named() {
    let (cluster, fake) = (cluster(3, false), Fake::default());
    let ended = uninstalled(&cluster, &fake, within(secs(30))).await;
    let message = ended.unwrap_err().to_string();
    assert!(
        message.contains("cannot delete resource \"tickets\"")
            && message.contains("manifests --uninstall"),
        "{message}"
    );
    assert_eq!(left(&cluster), 3);
}

#[tokio::test(start_paused = true)]
pub async fn it_works_beside_the_operator_that_is_still_there() {
    let (cluster, fake) = (cluster(10, true), Fake::default());
    let clients = Clients::in_process(cluster.client_as(USER));
    let deployed = operator(|kind| kind).run(clients, context(&fake), run(&cluster, Some("old")));
    let deployed = tokio::spawn(deployed);
    tokio::time::sleep(secs(60)).await;
    let clients = Clients::in_process(cluster.client_as(USER));
    let hook = operator(|kind| kind).uninstall(
        clients,
        context(&Fake::default()),
        run(&cluster, Some("hook")),
        within(secs(120)),
    );
    hook.await.unwrap();
    assert_eq!(left(&cluster), 0);
    assert_eq!(fake.calls("destroy").len(), 10, "the leader did it");
    assert!(!deployed.is_finished());
    deployed.abort();
}

#[tokio::test(start_paused = true)]
pub async fn told_to_end_early_it_says_that_it_is_not_done() {
    let (cluster, fake) = (cluster(3, true), Fake::default());
    fake.work_takes(secs(1));
    let clients = Clients::in_process(cluster.client_as(USER));
    let pause = json!({"metadata": {"finalizers": ["example.com/other"]}});
    cluster
        .patch_raw("tickets", "default", "t1", "", &pause)
        .unwrap();
    let options = RunOptions {
        shutdown: Box::pin(tokio::time::sleep(secs(20))),
        ..run(&cluster, None)
    };
    let ended = operator(|kind| kind)
        .uninstall(clients, context(&fake), options, within(secs(600)))
        .await;
    assert!(
        matches!(ended, Err(UninstallError::Interrupted)),
        "{ended:?}"
    );
}
