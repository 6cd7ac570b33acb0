//! The in-memory server: access for people and for the operator, and what a cluster has besides an API server.

use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use opgen_apiserver::{ApiError, Cluster, Collector, Served, StandIn};
use serde_json::{Value, json};
use tokio::process::Command;

use super::project::Project;
use super::site::AppliedSamples;
use crate::apply::lock;
use crate::cli::Dev;
use crate::command::program::{Needs, namespace_of, refused, set_namespace};
use crate::error::{Failure, Place, Problem, Result};
use crate::shell::Board;

/// How often garbage is collected, and how long a workload takes to be ready.
const COLLECT: Duration = Duration::from_millis(200);
const READY: Duration = Duration::from_secs(1);

/// A running server.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) cluster: Cluster,
    pub(super) namespace: Option<String>,
    pub(super) samples: bool,
    pub(super) applied: AppliedSamples,
    served: Served,
    place: PathBuf,
    token: String,
    user: String,
    probes: SocketAddr,
    _collector: Collector,
    _stand_in: StandIn,
    /// Held as long as the server runs: a second one would take the kubeconfig away from this.
    _lock: File,
}

impl Memory {
    pub(super) async fn open(flags: &Dev, project: &Project, board: &Board) -> Result<Self> {
        let lock = lock(&project.place)?;
        let cluster = Cluster::builder()
            .rbac(true)
            .epoch(jiff::Timestamp::now())
            .build();
        // kubectl sends no token to a server without TLS, so who comes without one is the person at this machine.
        cluster.add_token("", "kubernetes-admin", "", &["system:masters"]);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, flags.port.unwrap_or(0)));
        let served = cluster.serve(address).await.map_err(|error| {
            Problem::new(error.to_string())
                .at(Place::Flag("--port"))
                .mend("choose another port, or leave --port out to have a free one")
                .environment()
        })?;
        let namespace = flags.namespace.clone();
        let kubeconfig = project.place.join("kubeconfig");
        let first = namespace.as_deref().unwrap_or("default");
        write_private(&kubeconfig, &served.kubeconfig_for(None, first))?;
        board.status(
            "Serving",
            &format!("Kubernetes on http://{}, in memory", served.addr),
        );
        board.status("Kubeconfig", &kubeconfig.display().to_string());
        board.text(&format!("\n  export KUBECONFIG={}\n", quoted(&kubeconfig)));
        let probes = probe_address()?;
        board.status("Debug", &format!("http://{probes}/debug/reconciles"));
        board.data(&json!({
            "event": "serving",
            "server": format!("http://{}", served.addr),
            "kubeconfig": kubeconfig,
            "debug": format!("http://{probes}/debug/reconciles"),
        }));
        Ok(Self {
            _collector: cluster.collect_in_background(COLLECT),
            _stand_in: cluster.stand_in(READY),
            _lock: lock,
            samples: flags.samples.unwrap_or(true),
            applied: AppliedSamples::new(),
            place: project.place.clone(),
            token: token(),
            user: String::new(),
            namespace,
            probes,
            served,
            cluster,
        })
    }

    /// Namespaces, definitions, service account and role; the account's token begins to be good.
    pub(super) fn install(&mut self, needs: &Needs) -> Result<()> {
        let (home, account) = needs.account()?;
        let namespaces = [Some(home.as_str()), self.namespace.as_deref()];
        let manifests = needs.within(namespaces.into_iter().flatten());
        self.cluster
            .apply_manifests(&manifests)
            .map_err(|error| tried_again("a manifest of the operator", &error))?;
        let user = format!("system:serviceaccount:{home}:{account}");
        if user != self.user {
            self.cluster.add_token(&self.token, &user, "", &[]);
            self.user = user;
        }
        let text = self.served.kubeconfig_for(Some(&self.token), &home);
        write_private(&self.operators_kubeconfig(), &text)
    }

    /// Applies objects; the namespaces they want are made.
    pub(super) fn apply(&self, objects: &[Value]) -> Result<()> {
        let namespaces: Vec<Value> = objects
            .iter()
            .filter_map(|object| object["metadata"]["namespace"].as_str())
            .filter(|name| self.cluster.get_raw("namespaces", "", name).is_err())
            .map(namespace_of)
            .collect();
        self.cluster
            .apply_manifests(&namespaces)
            .and_then(|()| self.cluster.apply_manifests(objects))
            .map_err(|error| tried_again("the sample", &error))
    }

    fn operators_kubeconfig(&self) -> PathBuf {
        self.place.join("operator.kubeconfig")
    }

    pub(super) fn environment(&self, command: &mut Command, project: &Project) {
        command.env("KUBECONFIG", self.operators_kubeconfig());
        set_namespace(command, self.namespace.as_deref());
        let mut unless_set = |name: &str, value: &str| {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        };
        unless_set("OPGEN_PROBE_ADDR", &self.probes.to_string());
        // Nobody else is here, and a restart must not wait for the lease of a process that was killed.
        unless_set("OPGEN_LEADER_ELECT", "false");
        for variable in &project.variables {
            unless_set(variable, "simulated");
        }
    }

    pub(super) fn identity(&self) -> String {
        format!("as {}", self.user)
    }
}

/// One server per target folder at a time.
fn lock(place: &Path) -> Result<File> {
    std::fs::create_dir_all(place)
        .map_err(|error| Failure::io("making a folder", place, &error))?;
    let taken = Problem::new("another `cargo opgen dev` runs for this target folder")
        .at(Place::Path(place.to_path_buf()))
        .mend("end it with Ctrl-C, or give this one its own CARGO_TARGET_DIR");
    lock::take(&place.join("lock"), taken)
}

/// In one step, and readable by this user only: the file holds a token.
fn write_private(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error| Failure::io("writing a kubeconfig", path, &error))
}

/// A token that other users of this machine cannot guess. The seeds of hash maps are as random as the system has it.
fn token() -> String {
    (0..4)
        .map(|part: u64| format!("{:016x}", RandomState::new().hash_one(part)))
        .collect()
}

/// A free port for the operator's probes: the same one after each restart, so that a browser's page stays good.
fn probe_address() -> Result<SocketAddr> {
    std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map_err(|error| {
            Problem::new(format!("no free port for the probes: {error}")).environment()
        })
}

fn tried_again(what: &str, error: &ApiError) -> Failure {
    refused(what, error).mend("mend the source; it is tried again when a file changes")
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ() {
        assert_ne!(token(), token());
        assert_eq!(token().len(), 64);
    }

    #[test]
    fn a_shell_takes_the_path() {
        assert_eq!(quoted(Path::new("/a/b-c")), "/a/b-c");
        assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }

    #[test]
    fn a_second_server_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("opgen/dev");
        let first = lock(&place).expect("free");
        let failure = lock(&place).expect_err("taken");
        assert!(failure.to_string().contains("another"), "{failure}");
        drop(first);
        lock(&place).expect("free again");
    }
}
