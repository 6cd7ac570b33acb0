//! `opgen-apiserver`: the in-memory API server as a process.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use opgen_apiserver::Cluster;

const EXAMPLES: &str = "Examples:
  opgen-apiserver
      listens on 127.0.0.1:8001; whoever connects is admin
  opgen-apiserver --listen 127.0.0.1:0 --kubeconfig ./kubeconfig
      takes a free port and writes a kubeconfig for kubectl
  opgen-apiserver --stand-in 2 --collect
      workloads become ready after two seconds; what lost its owner is deleted
  opgen-apiserver --rbac --token-auth-file tokens.csv
      enforces roles; each line of the file is: token,user,uid,\"group1,group2\"";

/// An in-memory Kubernetes API server. Nothing is written to disk; all is lost when it ends.
#[derive(Parser, Debug)]
#[command(version, after_help = EXAMPLES)]
struct Args {
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:8001", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// Allow an address that other machines can reach
    #[arg(long)]
    allow_remote: bool,
    /// Enforce roles and bindings
    #[arg(long)]
    rbac: bool,
    /// Turn on the admission plugin `OwnerReferencesPermissionEnforcement`; takes `--rbac`
    #[arg(long, requires = "rbac")]
    owner_permissions: bool,
    /// Static tokens, one per line: token,user,uid,"group1,group2"
    #[arg(long, value_name = "FILE")]
    token_auth_file: Option<PathBuf>,
    /// Write a kubeconfig (with the first token, if there are tokens)
    #[arg(long, value_name = "OUT")]
    kubeconfig: Option<PathBuf>,
    /// Mark workloads ready this many seconds after they change, and end terminating pods (there is no kubelet)
    #[arg(long, value_name = "SECONDS")]
    stand_in: Option<f64>,
    /// Collect garbage and end terminating namespaces, as the controllers of a real cluster do
    #[arg(long)]
    collect: bool,
    /// Seed of uids and generated names
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Revisions per resource that watches can resume from
    #[arg(long, default_value_t = 1_000)]
    history: usize,
}

fn main() -> ExitCode {
    let args = Args::parse();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("cannot start the runtime: {error}")),
    };
    match runtime.block_on(run(args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn fail(error: &str) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::FAILURE
}

async fn run(args: Args) -> Result<(), String> {
    let cluster = Cluster::builder()
        .seed(args.seed)
        .epoch(jiff::Timestamp::now())
        .rbac(args.rbac)
        .owner_permissions(args.owner_permissions)
        .history(args.history)
        .build();
    let mut first_token = None;
    if let Some(path) = &args.token_auth_file {
        for line in read_tokens(path)? {
            let groups: Vec<&str> = line.groups.iter().map(String::as_str).collect();
            cluster.add_token(&line.token, &line.user, &line.uid, &groups);
            first_token.get_or_insert(line.token);
        }
    }
    let served = if args.allow_remote {
        cluster.serve_anywhere(args.listen).await
    } else {
        cluster.serve(args.listen).await
    };
    let mut served = served.map_err(|error| error.to_string())?;
    if let Some(token) = &first_token {
        served = served.with_token(token);
    }
    if let Some(path) = &args.kubeconfig {
        std::fs::write(path, served.kubeconfig())
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    let _stand_in = args
        .stand_in
        .map(|seconds| Duration::try_from_secs_f64(seconds).map(|delay| cluster.stand_in(delay)))
        .transpose()
        .map_err(|error| format!("--stand-in: {error}"))?;
    let _collector = args
        .collect
        .then(|| cluster.collect_in_background(Duration::from_millis(200)));
    println!("listening on http://{}", served.addr);
    tokio::signal::ctrl_c()
        .await
        .map_err(|error| format!("cannot wait for ctrl-c: {error}"))?;
    served.shutdown();
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct TokenLine {
    token: String,
    user: String,
    uid: String,
    groups: Vec<String>,
}

fn read_tokens(path: &Path) -> Result<Vec<TokenLine>, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .map(|(index, line)| {
            token_line(line).ok_or_else(|| {
                format!(
                    "{}:{}: a line is token,user,uid and, in quotes, groups: t0ken,jane,u1,\"people,devs\"",
                    path.display(),
                    index + 1
                )
            })
        })
        .collect()
}

fn token_line(line: &str) -> Option<TokenLine> {
    let mut parts = line.splitn(4, ',').map(str::trim);
    let (token, user, uid) = (parts.next()?, parts.next()?, parts.next()?);
    if token.is_empty() || user.is_empty() {
        return None;
    }
    let groups = parts
        .next()
        .unwrap_or_default()
        .trim_matches('"')
        .split(',')
        .map(|group| group.trim().to_owned())
        .filter(|group| !group.is_empty())
        .collect();
    Some(TokenLine {
        token: token.to_owned(),
        user: user.to_owned(),
        uid: uid.to_owned(),
        groups,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_groups_in_quotes() {
        let line = token_line("t,jane,u1,\"people,devs\"").expect("valid");
        assert_eq!(line.user, "jane");
        assert_eq!(line.groups, ["people", "devs"]);
        assert_eq!(token_line("only-a-token"), None);
    }
}
