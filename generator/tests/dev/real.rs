//! `dev --real`: somebody's cluster. Here it is a server of our own, which knows what was asked of it.

use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;

use opgen_apiserver::Cluster;

use crate::session::{command, project, turn};

#[test]
fn a_real_cluster_is_used_and_nothing_in_it_deleted() {
    let found = Command::new("kubectl")
        .args(["version", "--client"])
        .output();
    if !found.is_ok_and(|output| output.status.success()) {
        let why = "there is no kubectl here, so `dev --real` was not tried";
        // Past the capture of the test harness.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
        return;
    }
    let _turn = turn();
    let project = project("real-operator");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let cluster = Cluster::builder().epoch(jiff::Timestamp::now()).build();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let served = runtime.block_on(cluster.serve(address)).unwrap();
    let kubeconfig = project.join("kubeconfig");
    fs::write(&kubeconfig, served.kubeconfig()).unwrap();

    let dev = |arguments: &[&str]| {
        let output = command(&project, arguments)
            .args(["--real", "--once", "--offline"])
            .env("KUBECONFIG", &kubeconfig)
            .env("HOME", &project)
            .env("DATABASE_API_URL", "simulated")
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    // Samples stay out unless asked for, so nothing gets Ready.
    let (code, said) = dev(&["--patience", "3"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(
        said.contains("Using context `opgen`") && said.contains(&served.addr.to_string()),
        "{said}"
    );
    assert!(
        cluster
            .list_raw("databases.db.example.com", "")
            .unwrap()
            .is_empty()
    );

    let (code, said) = dev(&["--samples", "--patience", "120"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("everything in the cluster stays as it is"),
        "{said}"
    );
    let sample = cluster
        .get_raw("databases.db.example.com", "default", "sample")
        .unwrap();
    assert_eq!(sample["status"]["phase"], "Ready");
    // The user's own rights are used; nobody else's are handed out.
    assert!(
        cluster
            .get_raw(
                "clusterroles.rbac.authorization.k8s.io",
                "",
                "real-operator"
            )
            .is_err()
    );
    let entries = cluster.log().entries();
    let deletions: Vec<_> = entries
        .iter()
        .filter(|entry| entry.verb.starts_with("delete"))
        .collect();
    assert!(deletions.is_empty(), "{deletions:?}");
}
