//! The operator as a process, beside a cluster that it reaches over HTTP.

use std::{
    io::Read,
    process::{Child, Command, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use opgen_apiserver::{Cluster, Served};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::operator;

/// Set for the process that is the operator.
pub const ROLE: &str = "OPGEN_TEST_IS_OPERATOR";

const PATIENCE: Duration = Duration::from_secs(20);

pub struct Process {
    cluster: Cluster,
    child: Child,
    lines: Option<JoinHandle<String>>,
    _served: Served,
    _runtime: Runtime,
    _folder: tempfile::TempDir,
}

/// What there is to say of one that ended.
pub struct Ended {
    pub success: bool,
    /// What it logged.
    pub lines: String,
}

impl Process {
    /// Starts the operator in a cluster that has its definition.
    pub fn start(endpoint: Option<&str>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let cluster = Cluster::new();
        cluster.add_token("", "admin", "", &["system:masters"]);
        cluster
            .apply_manifests(&[json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": operator::NAME}})])
            .unwrap();
        cluster
            .apply_manifests(&operator::operator().manifests())
            .unwrap();
        let served = runtime
            .block_on(cluster.serve("127.0.0.1:0".parse().unwrap()))
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let kubeconfig = folder.path().join("kubeconfig");
        std::fs::write(&kubeconfig, served.kubeconfig()).unwrap();

        let mut command = Command::new(std::env::current_exe().unwrap());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("OTEL_") {
                command.env_remove(name);
            }
        }
        command
            .args(["--leader-elect=false", "--probe-addr", "127.0.0.1:0"])
            .env(ROLE, "yes")
            .env("KUBECONFIG", &kubeconfig)
            .env("OTEL_BSP_SCHEDULE_DELAY", "100")
            .stderr(Stdio::piped());
        if let Some(endpoint) = endpoint {
            command.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
        }
        let mut child = command.spawn().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let lines = thread::spawn(move || {
            let mut lines = String::new();
            stderr.read_to_string(&mut lines).unwrap();
            lines
        });
        Self {
            cluster,
            child,
            lines: Some(lines),
            _served: served,
            _runtime: runtime,
            _folder: folder,
        }
    }

    fn make(&self, name: &str, is_flaky: bool) {
        self.cluster
            .apply_manifests(&[json!({
                "apiVersion": "test.example.com/v1",
                "kind": "Widget",
                "metadata": {"name": name, "namespace": "default"},
                "spec": {"isFlaky": is_flaky},
            })])
            .unwrap();
    }

    /// Makes an object whose first run fails.
    pub fn fails_once(&self, name: &str) {
        self.make(name, true);
    }

    /// Waits until the object is Ready; makes it if it is not there.
    #[track_caller]
    pub fn becomes_ready(&mut self, name: &str) {
        let get = |cluster: &Cluster| cluster.get_raw("widgets.test.example.com", "default", name);
        if get(&self.cluster).is_err() {
            self.make(name, false);
        }
        let until = Instant::now() + PATIENCE;
        loop {
            let object = get(&self.cluster).unwrap();
            if object["status"]["phase"] == "Ready" {
                return;
            }
            if Instant::now() > until {
                let lines = self.kill();
                panic!("{name} does not become Ready: {object}\n{lines}");
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn kill(&mut self) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let lines = self.lines.take().map(|lines| lines.join().unwrap());
        lines.unwrap_or_default()
    }

    /// As the kubelet does.
    #[track_caller]
    pub fn terminate(mut self) -> Ended {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > until {
                panic!("it does not end: {}", self.kill());
            }
            thread::sleep(Duration::from_millis(20));
        };
        Ended {
            success: status.success(),
            lines: self.lines.take().unwrap().join().unwrap(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
