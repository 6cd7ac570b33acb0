//! One object's life: created, Ready, quiet, deleted, its finalizer released.

use std::path::Path;
use std::time::Duration;

use opgen_apiserver::{Cluster, LogEntry, Served};
use serde_json::Value;
use tokio::process::Command;
use tokio::time::{Instant, sleep};

use super::build::Built;
use super::cost::{self, Cost};
use crate::command::process;
use crate::command::program::{Attended, Needs, condition, incomplete, refused};
use crate::error::{Failure, Problem, Result};
use crate::model::{Operator, Resource};
use crate::shell::Progress;

/// How often the object is looked at. Through the handle, not the API: the server's log shows the operator alone.
const LOOK: Duration = Duration::from_millis(50);

/// How long nothing may be written once the object is Ready.
const QUIET: Duration = Duration::from_secs(2);

/// The bearer token of the operator's service account.
const TOKEN: &str = "demo-service-account";

/// What was seen.
#[derive(Debug)]
pub(super) struct Life {
    /// Each phase, and when it was first seen.
    pub(super) seen: Vec<(String, Duration)>,
    /// When the object was Ready.
    pub(super) ready: Duration,
    /// When it was gone.
    pub(super) gone: Duration,
    /// What it cost.
    pub(super) cost: Cost,
}

/// Runs the operator and leads an object through its life.
pub(super) async fn live(
    operator: &Operator,
    built: &Built,
    project: &Path,
    patience: Duration,
    progress: &Progress,
) -> Result<Life> {
    let name = operator.name.dns();
    let user = format!("system:serviceaccount:{name}:{name}");
    let cluster = Cluster::builder()
        .rbac(true)
        .epoch(jiff::Timestamp::now())
        .build();
    let groups = [
        "system:serviceaccounts",
        &format!("system:serviceaccounts:{name}"),
        "system:authenticated",
    ];
    cluster.add_token(TOKEN, &user, "demo", &groups);
    install(&cluster, &name, built).await?;
    let served = cluster
        .serve(std::net::SocketAddr::from(([127, 0, 0, 1], 0)))
        .await
        .map_err(|error| Problem::new(error.to_string()).environment())?
        .with_token(TOKEN);
    // Beside the project, which stays as it was rendered.
    let beside = project.parent().unwrap_or(project);
    let log = beside.join("operator.log");
    let mut operator_process = run(built, beside, &served, &log)?;
    progress.tell(
        "Running",
        &format!("`{name}` as {user} against http://{}", served.addr),
    );

    let resource = &operator.resources[0];
    let plural = resource.plural.as_str();
    let sample = sample(&project.join(format!("deploy/{plural}.sample.yaml")))?;
    let mut watch = Watch::new(&cluster, &user, resource, &sample, progress);
    let life = tokio::time::timeout(patience, watch.whole(sample.clone()));
    let result = tokio::select! {
        life = life => match life {
            Ok(life) => life,
            Err(_) => Err(stopped(format!("after {} s the object is in phase `{}`", patience.as_secs(), watch.phase))),
        },
        status = operator_process.child.wait() => Err(stopped(match status {
            Ok(status) => format!("the operator ended, with {status}"),
            Err(error) => format!("the operator cannot be waited for: {error}"),
        })),
    };
    result.map_err(|mut failure| {
        let said = std::fs::read_to_string(&log).unwrap_or_default();
        for problem in &mut failure.problems {
            problem.what.push_str(&format!(
                "\nthe operator said last:\n{}",
                process::tail(&said)
            ));
        }
        failure
    })
}

/// What the operator's own `manifests` prints: CRD, service account, role, binding.
async fn install(cluster: &Cluster, namespace: &str, built: &Built) -> Result<()> {
    let needs = Needs::of(&built.program, None).await?;
    cluster
        .apply_manifests(&needs.within([namespace]))
        .map_err(|error| refused("the manifests", &error))
}

fn run(built: &Built, folder: &Path, served: &Served, log: &Path) -> Result<Attended> {
    let kubeconfig = folder.join("kubeconfig");
    std::fs::write(&kubeconfig, served.kubeconfig())
        .map_err(|error| Failure::io("writing a kubeconfig", &kubeconfig, &error))?;
    let mut command = Command::new(&built.program);
    command
        .env("KUBECONFIG", &kubeconfig)
        .env("DATABASE_API_URL", "simulated")
        .env("OPGEN_PROBE_ADDR", "127.0.0.1:0")
        .env("OPGEN_LOG_LEVEL", "info")
        .env("NO_COLOR", "1");
    start(&mut command, log)
}

/// A program that ends with the demo, its output going to a file.
fn start(command: &mut Command, log: &Path) -> Result<Attended> {
    let failed = |error: std::io::Error| Failure::io("writing a log", log, &error);
    let out = std::fs::File::create(log).map_err(failed)?;
    let err = out.try_clone().map_err(failed)?;
    Attended::start(command.stdout(out).stderr(err))
}

fn sample(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::io("reading the sample", path, &error))?;
    serde_saphyr::from_str(&text)
        .map_err(|error| Problem::new(format!("the sample is no YAML: {error}")).environment())
}

fn stopped(what: String) -> Failure {
    let mend = "run it again with --keep, and with a longer --patience if the machine is slow";
    incomplete(what, mend)
}

/// Follows the object.
struct Watch<'a> {
    cluster: &'a Cluster,
    user: &'a str,
    plural: &'a str,
    namespace: String,
    name: String,
    begun: Instant,
    initial: String,
    phase: String,
    seen: Vec<(String, Duration)>,
    progress: &'a Progress,
}

impl<'a> Watch<'a> {
    fn new(
        cluster: &'a Cluster,
        user: &'a str,
        resource: &'a Resource,
        sample: &Value,
        progress: &'a Progress,
    ) -> Self {
        let plural = resource.plural.as_str();
        let initial = resource
            .machine
            .phases()
            .first()
            .map(|phase| phase.name.to_string())
            .unwrap_or_default();
        let meta = |key: &str| {
            sample["metadata"][key]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        Self {
            cluster,
            user,
            plural,
            namespace: meta("namespace"),
            name: meta("name"),
            begun: Instant::now(),
            initial,
            phase: String::new(),
            seen: Vec::new(),
            progress,
        }
    }

    async fn whole(&mut self, sample: Value) -> Result<Life> {
        self.begun = Instant::now();
        self.cluster
            .create_raw(sample)
            .map_err(|error| refused("the sample", &error))?;
        self.tell("Applied", format!("{}/{}", self.plural, self.name));
        // An object without a phase is in the initial one.
        self.phase = self.initial.clone();
        self.seen.push((self.phase.clone(), Duration::ZERO));
        self.tell("Phase", self.phase.clone());
        let ready = self.ready().await?;
        self.quiet().await?;
        self.cluster
            .delete_raw(self.plural, &self.namespace, &self.name)
            .map_err(|error| refused("the deletion", &error))?;
        self.tell("Deleted", "by the user".to_owned());
        let gone = self.gone().await?;
        Ok(Life {
            seen: std::mem::take(&mut self.seen),
            ready,
            gone,
            cost: Cost::of(&self.cluster.log().entries(), self.user),
        })
    }

    fn tell(&self, verb: &str, text: String) {
        self.progress.tell(
            verb,
            &format!("{:6.2} s  {text}", self.begun.elapsed().as_secs_f64()),
        );
    }

    /// The object, with a word about its phase if that is new; `None` once it is gone.
    fn look(&mut self) -> Result<Option<Value>> {
        let object = match self
            .cluster
            .get_raw(self.plural, &self.namespace, &self.name)
        {
            Ok(object) => object,
            Err(error) if error.reason() == "NotFound" => return Ok(None),
            Err(error) => return Err(refused("to show the object", &error)),
        };
        let phase = object["status"]["phase"].as_str().unwrap_or_default();
        if !phase.is_empty() && phase != self.phase {
            phase.clone_into(&mut self.phase);
            self.seen.push((phase.to_owned(), self.begun.elapsed()));
            self.tell("Phase", format!("{phase:<14} {}", conditions(&object)));
            self.progress
                .now(&format!("waiting for what comes after {phase}"));
        }
        Ok(Some(object))
    }

    async fn ready(&mut self) -> Result<Duration> {
        loop {
            let object = self
                .look()?
                .ok_or_else(|| stopped("the object vanished before it was Ready".to_owned()))?;
            let is_ready = state(&object, "Ready").is_some_and(|status| status == "True");
            if is_ready {
                let finalizers = list(&object["metadata"]["finalizers"]);
                self.tell("Ready", format!("held by finalizer {finalizers}"));
                return Ok(self.begun.elapsed());
            }
            sleep(LOOK).await;
        }
    }

    /// A steady object costs nothing.
    async fn quiet(&mut self) -> Result<()> {
        let before = self.cluster.log().last();
        sleep(QUIET).await;
        let writes = self
            .cluster
            .log()
            .since(before)
            .iter()
            .filter(|entry| {
                entry.user == self.user
                    && LogEntry::is_write_verb(entry)
                    && !cost::is_housekeeping(&entry.resource)
            })
            .count();
        if writes > 0 {
            return Err(stopped(format!(
                "the steady object was written {writes} times in {} s",
                QUIET.as_secs()
            )));
        }
        self.tell("Quiet", format!("no write in {} s", QUIET.as_secs()));
        Ok(())
    }

    async fn gone(&mut self) -> Result<Duration> {
        let mut told = false;
        loop {
            let Some(object) = self.look()? else {
                self.tell(
                    "Gone",
                    "the outside is proven gone, the finalizer released".to_owned(),
                );
                return Ok(self.begun.elapsed());
            };
            if !told && object["metadata"]["deletionTimestamp"].is_string() {
                told = true;
                self.tell(
                    "Held",
                    format!(
                        "by finalizer {} until the outside is gone",
                        list(&object["metadata"]["finalizers"])
                    ),
                );
            }
            sleep(LOOK).await;
        }
    }
}

fn state<'a>(object: &'a Value, kind: &str) -> Option<&'a str> {
    condition(object, kind)?["status"].as_str()
}

fn conditions(object: &Value) -> String {
    ["Ready", "Reconciling", "Stalled"]
        .iter()
        .filter_map(|kind| state(object, kind).map(|status| format!("{kind}={status}")))
        .collect::<Vec<_>>()
        .join(" ")
}

fn list(value: &Value) -> String {
    value
        .as_array()
        .map(|entries| {
            entries
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        })
        .unwrap_or_default()
}
