//! `cargo run --release -p opgen-bench -- all`: the same operator on opgen's runtime and on kube-runtime's
//! `Controller`, each case in a process of its own.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the output of a program"
)]

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};
use opgen_bench::{
    case::Case,
    plan::{self, Plan, Results},
    report,
};

/// Compares opgen's runtime with kube-runtime's Controller.
#[derive(Parser, Debug)]
#[command(
    after_help = "Examples:\n  cargo run --release -p opgen-bench -- all\n  cargo run --release -p opgen-bench -- all --quick --out target/bench\n  cargo run --release -p opgen-bench -- case '{\"side\":\"opgen\",\"objects\":1000,\"provider_ms\":100,\"in_flight\":256,\"trouble\":\"none\"}'"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Measures everything and writes RESULTS.md, results.svg and results.json.
    All {
        /// A small run, to see that everything works; its figures mean little.
        #[arg(long)]
        quick: bool,
        /// Where the files go. Default: this package's folder, or target/bench of the workspace with --quick.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Runs one case, given as JSON, in this process; prints its figures as JSON.
    Case {
        /// Side (opgen, tuned, documented), objects, provider_ms, in_flight, trouble (none, hang, conflict, cut).
        case: String,
    },
    /// Writes the page and the plot again, from results.json.
    Render {
        /// The folder that holds it.
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::All { quick, out } => all(quick, out),
        Command::Case { case } => one(&case),
        Command::Render { folder } => render(&folder),
    };
    match done {
        Ok(words) => {
            println!("{words}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn all(quick: bool, out: Option<PathBuf>) -> Result<String, String> {
    let home = env!("CARGO_MANIFEST_DIR");
    let (plan, default) = if quick {
        (Plan::quick(), format!("{home}/../target/bench"))
    } else {
        (Plan::full(), home.to_owned())
    };
    let folder = out.unwrap_or_else(|| default.into());
    let results = plan::run(&plan, |words| eprintln!("{words}"))?;
    report::write(&results, &folder)
        .map_err(|error| format!("{} cannot be written: {error}", folder.display()))?;
    Ok(format!(
        "{} after {:.0} s",
        folder.join("RESULTS.md").display(),
        results.took_seconds
    ))
}

fn one(case: &str) -> Result<String, String> {
    let figure = Case::read(case)?.run()?;
    serde_json::to_string(&figure).map_err(|error| error.to_string())
}

fn render(folder: &std::path::Path) -> Result<String, String> {
    let file = folder.join("results.json");
    let text = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let results: Results =
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    report::write(&results, folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(file.display().to_string())
}
