//! The cluster of the current kubeconfig, through kubectl: it knows every way to log in, and it is what the user trusts
//! there. Nothing is ever deleted.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::site::AppliedSamples;
use crate::cli::Dev;
use crate::command::process;
use crate::command::program::{Needs, Shown, namespace_of, set_namespace};
use crate::error::{Problem, Result};
use crate::shell::Board;

/// The field manager of what is applied.
const MANAGER: &str = "cargo-opgen";

/// A cluster that was there before.
#[derive(Debug)]
pub(super) struct Real {
    pub(super) namespace: Option<String>,
    pub(super) samples: bool,
    pub(super) applied: AppliedSamples,
    context: String,
}

impl Real {
    pub(super) async fn open(flags: &Dev, board: &Board) -> Result<Self> {
        let ask = async |arguments: &[&str]| {
            let mut command = kubectl(arguments);
            let said = process::output(&mut command, "kubectl has no cluster to talk to").await;
            said.map(|said| said.trim().to_owned())
                .map_err(|failure| failure.mend("`kubectl config get-contexts` shows what there is; leave --real out to use the in-memory server"))
        };
        let context = ask(&["config", "current-context"]).await?;
        let server = ask(&[
            "config",
            "view",
            "--minify",
            "-o",
            "jsonpath={.clusters[0].cluster.server}",
        ])
        .await?;
        board.status(
            "Using",
            &format!("context `{context}`, {server}; nothing there is deleted"),
        );
        board.data(&json!({"event": "using", "context": context, "server": server}));
        Ok(Self {
            namespace: flags.namespace.clone(),
            samples: flags.samples.unwrap_or(false),
            applied: AppliedSamples::new(),
            context,
        })
    }

    /// The operator's namespace, for its lease, and its definitions. It runs with the user's rights, so no role is made.
    pub(super) async fn install(&self, needs: &Needs) -> Result<()> {
        let (home, _) = needs.account()?;
        let mut objects = vec![namespace_of(&home)];
        objects.extend(needs.definitions());
        self.apply(&objects).await
    }

    pub(super) async fn apply(&self, objects: &[Value]) -> Result<()> {
        // As documents: a `List` is validated in another way, which not every server answers.
        let documents: Vec<String> = objects.iter().map(Value::to_string).collect();
        let mut command = kubectl(&[
            "apply",
            "--server-side",
            "--field-manager",
            MANAGER,
            "-f",
            "-",
        ]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| process::missing(&command, &error))?;
        if let Some(mut stdin) = child.stdin.take() {
            // If kubectl does not read to the end, its own words say why.
            let _ = stdin.write_all(documents.join("\n").as_bytes()).await;
        }
        let output = child.wait_with_output().await.map_err(|error| {
            Problem::new(format!("kubectl cannot be waited for: {error}")).environment()
        })?;
        if output.status.success() {
            return Ok(());
        }
        Err(process::failed(
            "kubectl cannot apply",
            &String::from_utf8_lossy(&output.stderr),
        )
        .mend("mend what it names; it is tried again when a file changes"))
    }

    pub(super) fn environment(&self, command: &mut Command) {
        set_namespace(command, self.namespace.as_deref());
        if std::env::var_os("OPGEN_PROBE_ADDR").is_none() {
            command.env("OPGEN_PROBE_ADDR", "127.0.0.1:0");
        }
    }

    pub(super) fn identity(&self) -> String {
        format!("as you, in context `{}`", self.context)
    }
}

fn kubectl(arguments: &[&str]) -> Command {
    let mut command = Command::new("kubectl");
    command.args(arguments).kill_on_drop(true);
    command
}

/// Every object of these kinds.
pub(super) async fn list(shown: &[Shown]) -> Result<Vec<Value>> {
    if shown.is_empty() {
        return Ok(Vec::new());
    }
    let kinds: Vec<&str> = shown.iter().map(|shown| shown.resource.as_str()).collect();
    let kinds = kinds.join(",");
    let mut command = kubectl(&["get", &kinds, "--all-namespaces", "-o", "json"]);
    let text = process::output(&mut command, "kubectl cannot list the objects").await?;
    let mut list: Value = serde_json::from_str(&text).unwrap_or_default();
    Ok(match list["items"].take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    })
}
