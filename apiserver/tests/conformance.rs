//! The suite that was recorded from a real API server, if it is there: beside the workspace, or where OPGEN_SHARED says.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use opgen_apiserver::Cluster;

fn runner() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let shared = std::env::var_os("OPGEN_SHARED").map_or(beside, PathBuf::from);
    Some(shared.join("conformance/conformance.py")).filter(|path| path.exists())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_step_is_answered_as_recorded() {
    let Some(runner) = runner() else {
        // Past the capture of the test harness.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no conformance suite beside the workspace; OPGEN_SHARED says where it is"
        );
        return;
    };
    let cluster = Cluster::builder()
        .rbac(true)
        .epoch(jiff::Timestamp::now())
        .build();
    cluster.add_token("admin-token", "admin", "", &["system:masters"]);
    cluster.add_token("jane-token", "jane", "", &["people"]);
    let served = cluster
        .serve(SocketAddr::from(([127, 0, 0, 1], 0)))
        .await
        .unwrap();
    let server = format!("http://{}", served.addr);
    let run = tokio::task::spawn_blocking(move || {
        let arguments = [
            "run",
            "--server",
            &server,
            "--token",
            "admin-token",
            "--jane-token",
            "jane-token",
        ];
        Command::new("python3").arg(runner).args(arguments).output()
    });
    let output = match run.await.unwrap() {
        Ok(output) => output,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: python3 does not run: {error}");
            return;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
