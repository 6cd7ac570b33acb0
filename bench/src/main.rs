//! `cargo run --release -p opgen-bench`: the same operator on opgen's runtime and on kube-runtime's `Controller`,
//! against the same in-memory server, each case in a process of its own.
#![allow(
    unreachable_pub,
    reason = "a program has no outside; `pub` marks what other modules use"
)]

mod case;
mod controller;
mod machine;
mod measure;
mod provider;
mod report;

use std::{process::ExitCode, time::Duration};

use clap::Parser;

use crate::case::{Case, Side};

/// Compares opgen's runtime with kube-runtime's Controller.
#[derive(Parser, Debug)]
#[command(
    after_help = "Examples:\n  cargo run --release -p opgen-bench\n  cargo run --release -p opgen-bench -- --objects 1000 --provider-ms 0\n  cargo run --release -p opgen-bench -- --format json > figures.json"
)]
struct Cli {
    /// How many objects, one column each.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000")]
    objects: Vec<usize>,
    /// How long one provider call takes, in milliseconds.
    #[arg(long, default_value_t = 100)]
    provider_ms: u64,
    /// Runs at a time, on both sides (the documented Controller has no limit).
    #[arg(long, default_value_t = 256)]
    in_flight: usize,
    /// How the figures are printed.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Runs one case in this process and prints its figures as JSON; how the program calls itself.
    #[arg(long, value_enum, hide = true)]
    only: Option<Side>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// For people, in Markdown.
    Table,
    /// For programs.
    Json,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let provider_time = Duration::from_millis(cli.provider_ms);
    if let Some(side) = cli.only {
        let case = Case {
            side,
            objects: cli.objects[0],
            provider_time,
            in_flight: cli.in_flight,
        };
        return report::print_json(&case.run());
    }
    let mut figures = Vec::new();
    for objects in &cli.objects {
        for side in [Side::Opgen, Side::Tuned, Side::Documented] {
            let case = Case {
                side,
                objects: *objects,
                provider_time,
                in_flight: cli.in_flight,
            };
            match measure::in_child(&case) {
                Ok(figure) => figures.push(figure),
                Err(error) => return report::fail(&error),
            }
        }
    }
    match cli.format {
        Format::Table => report::print_table(&figures),
        Format::Json => report::print_json(&figures),
    }
}
