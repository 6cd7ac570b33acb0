//! The command line of a generated operator: `run`, `manifests`, `graph`, `uninstall`. Every flag has an environment variable of
//! the same name.

mod log;

use std::{
    io::{ErrorKind, Write as _},
    net::SocketAddr,
    process::ExitCode,
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::{
    LeaderElection, Operator, RunOptions,
    clients::Clients,
    error::{Error, Result},
    operator::{OutsidePolicy, UninstallOptions},
};

/// Exit code of an operator that could not start or stopped by itself.
const FAILED: u8 = 1;

/// Parses the command line and does what it says. `context` is made only if the operator runs.
pub fn main<C: Send + Sync + 'static>(
    operator: Operator<C>,
    context: impl FnOnce(&Clients) -> Result<C>,
) -> ExitCode {
    let matches = command(operator.name()).get_matches();
    let operator = match matches.get_one::<String>("namespace") {
        Some(namespace) => operator.only_in(namespace),
        None => operator,
    };
    let operator = match matches.get_one::<String>("home") {
        Some(namespace) => operator.at_home_in(namespace),
        None => operator,
    };
    let done = match matches.subcommand() {
        Some(("manifests", own)) if own.get_flag("uninstall") => {
            print(&yaml(&operator.uninstall_manifests()))
        }
        Some(("manifests", _)) => print(&yaml(&operator.manifests())),
        Some(("graph", _)) => print(&Ok(graph(&operator))),
        Some(("uninstall", own)) => uninstall(operator, &matches, own, context),
        _ => run(operator, &matches, context),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(FAILED)
        }
    }
}

pub(crate) fn command(name: &str) -> Command {
    let flag = |id: &'static str, env: &'static str, help: &'static str| {
        Arg::new(id).long(id).env(env).help(help).global(true)
    };
    Command::new("operator")
        .override_usage(format!("{name} [OPTIONS] [run|manifests|graph|uninstall]"))
        .about("A Kubernetes operator")
        .arg(flag(
            "namespace",
            "OPGEN_NAMESPACE",
            "Only objects of this namespace, with a Role instead of a ClusterRole",
        ))
        .arg(flag(
            "home",
            "OPGEN_HOME",
            "The namespace the operator itself lives in [default: its name]",
        ))
        .arg(
            flag(
                "probe-addr",
                "OPGEN_PROBE_ADDR",
                "Where /livez, /readyz, /metrics and /debug are served",
            )
            .default_value("0.0.0.0:8080")
            .value_parser(value_parser!(SocketAddr)),
        )
        .arg(
            flag(
                "leader-elect",
                "OPGEN_LEADER_ELECT",
                "Work only as the holder of a lease in the operator's own namespace",
            )
            .default_value("true")
            .value_parser(value_parser!(bool))
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        )
        .arg(
            flag("log-format", "OPGEN_LOG_FORMAT", "How log lines look")
                .default_value("pretty")
                .value_parser(["pretty", "json"]),
        )
        .arg(
            flag(
                "log-level",
                "OPGEN_LOG_LEVEL",
                "What is logged: a level, or `target=level,..`",
            )
            .default_value("info"),
        )
        .args(log::otlp_flag())
        .arg(
            switch(
                "end-with-stdin",
                "OPGEN_END_WITH_STDIN",
                "End when standard input does: whoever started it is gone, as `cargo opgen dev` may be",
            )
            .global(true),
        )
        .subcommand(Command::new("run").about(
            "Run against the cluster of the kubeconfig, or the one this pod is in (default)",
        ))
        .subcommand(
            Command::new("manifests")
                .about("Print CRDs, service account, role and binding as YAML, for `kubectl apply -f -`")
                .arg(
                    switch(
                        "uninstall",
                        "OPGEN_MANIFESTS_UNINSTALL",
                        "Print what `uninstall` needs beside that instead",
                    ),
                ),
        )
        .subcommand(Command::new("graph").about("Print the phase graph of every kind as Mermaid"))
        .subcommand(uninstall_command())
}

fn uninstall_command() -> Command {
    Command::new("uninstall")
        .about("Delete every object and wait until all are gone: before the operator itself is taken away")
        .arg(switch(
            "yes",
            "OPGEN_UNINSTALL_YES",
            "Do it; without this it only says how many objects there are",
        ))
        .arg(
            Arg::new("outside")
                .long("outside")
                .env("OPGEN_UNINSTALL_OUTSIDE")
                .help("What becomes of what the objects made outside")
                .default_value("delete")
                .value_parser(["delete", "retain"]),
        )
        .arg(
            Arg::new("patience")
                .long("patience")
                .env("OPGEN_UNINSTALL_PATIENCE")
                .help("How many seconds it may take")
                .default_value("600")
                .value_parser(value_parser!(u64)),
        )
}

fn switch(id: &'static str, env: &'static str, help: &'static str) -> Arg {
    let arg = Arg::new(id).long(id).env(env).help(help);
    arg.action(ArgAction::SetTrue)
        .value_parser(clap::builder::FalseyValueParser::new())
}

fn yaml(manifests: &[serde_json::Value]) -> Result<String> {
    let documents: Result<Vec<_>> = manifests
        .iter()
        .map(|manifest| Ok(serde_saphyr::to_string(manifest)?))
        .collect();
    Ok(documents?.join("---\n"))
}

fn graph<C: Send + Sync + 'static>(operator: &Operator<C>) -> String {
    operator
        .graphs()
        .iter()
        .map(|graph| graph.mermaid)
        .collect::<Vec<_>>()
        .join("\n")
}

fn print(text: &Result<String>) -> Result<()> {
    let text = text
        .as_ref()
        .map_err(|error| Error::msg(error.to_string()))?;
    match writeln!(std::io::stdout(), "{}", text.trim_end()) {
        // Who reads has seen enough, as `head` has.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// On the standard error itself: the log may not have been set up. If nobody reads it, there is nobody to tell.
fn complain(error: &Error) {
    let _ = writeln!(std::io::stderr(), "error: {error}");
}

fn run<C: Send + Sync + 'static>(
    operator: Operator<C>,
    matches: &ArgMatches,
    context: impl FnOnce(&Clients) -> Result<C>,
) -> Result<()> {
    in_runtime(operator.name().to_owned(), matches, async {
        let clients = Clients::try_default().await?;
        let context = context(&clients)?;
        Ok(operator.run(clients, context, options(matches)).await?)
    })
}

fn uninstall<C: Send + Sync + 'static>(
    operator: Operator<C>,
    matches: &ArgMatches,
    own: &ArgMatches,
    context: impl FnOnce(&Clients) -> Result<C>,
) -> Result<()> {
    let retains = own
        .get_one::<String>("outside")
        .is_some_and(|outside| outside == "retain");
    let how = UninstallOptions {
        outside: if retains {
            OutsidePolicy::Retain
        } else {
            OutsidePolicy::Delete
        },
        patience: Duration::from_secs(own.get_one("patience").copied().unwrap_or(600)),
        progress: Box::new(|gone, left| {
            tracing::info!(gone, left, "uninstalling");
        }),
    };
    in_runtime(operator.name().to_owned(), matches, async {
        let clients = Clients::try_default().await?;
        if !own.get_flag("yes") {
            let count = operator.count_objects(&clients).await?;
            return Err(Error::msg(format!(
                "{count} objects would be deleted: say --yes to do it"
            )));
        }
        let context = context(&clients)?;
        // Beside the operator that is still there: its probes have the port.
        let options = RunOptions {
            probe_addr: None,
            ..options(matches)
        };
        Ok(operator.uninstall(clients, context, options, how).await?)
    })
}

fn options(matches: &ArgMatches) -> RunOptions {
    let elects = matches.get_one("leader-elect").copied().unwrap_or(true);
    RunOptions {
        probe_addr: matches.get_one("probe-addr").copied(),
        leader_election: elects.then(LeaderElection::default),
        shutdown: Box::pin(asked_to_end(matches.get_flag("end-with-stdin"))),
        ..RunOptions::default()
    }
}

fn in_runtime(
    name: String,
    matches: &ArgMatches,
    work: impl Future<Output = Result<()>>,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let log = log::begin(&name, matches, runtime.handle())?;
    let done = runtime.block_on(work);
    log.end();
    // Not waiting for blocking code: after the loss of the lease it must end too.
    runtime.shutdown_background();
    done
}

async fn asked_to_end(with_stdin: bool) {
    if with_stdin {
        tokio::select! {
            () = signal() => {}
            () = stdin_ends() => {}
        }
    } else {
        signal().await;
    }
}

/// The other end of a pipe is closed when its owner ends, however it does. Read on a thread of its own, which nothing has
/// to wait for.
async fn stdin_ends() {
    let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
    std::thread::spawn(move || {
        // What is said there is of no interest, and an error is an end, too.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        drop(sender);
    });
    let _ = receiver.await;
}

/// SIGTERM from the kubelet, or ctrl-c.
async fn signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => tokio::select! {
                () = interrupt => {}
                _ = terminate.recv() => {}
            },
            Err(_) => interrupt.await,
        }
    }
    #[cfg(not(unix))]
    interrupt.await;
}
