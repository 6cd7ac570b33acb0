//! The only place that prints.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is the report"
)]

use std::process::ExitCode;

use serde::Serialize;

use crate::{case::Side, measure::Figure};

/// For programs.
pub fn print_json(figures: &impl Serialize) -> ExitCode {
    match serde_json::to_string(figures) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error.to_string()),
    }
}

/// For people.
pub fn print_table(figures: &[Figure]) -> ExitCode {
    println!(
        "| objects | operator | seconds | objects/s | CPU ms/object | requests/object | peak MB |"
    );
    println!("|---:|---|---:|---:|---:|---:|---:|");
    for figure in figures {
        let objects = figure.objects as f64;
        println!(
            "| {} | {} | {:.2} | {:.0} | {:.3} | {:.2} | {:.0} |",
            figure.objects,
            name(figure.side),
            figure.seconds,
            objects / figure.seconds,
            figure.cpu_seconds * 1000.0 / objects,
            figure.requests as f64 / objects,
            figure.peak_bytes as f64 / 1e6,
        );
    }
    ExitCode::SUCCESS
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Opgen => "opgen",
        Side::Tuned => "kube `Controller`, tuned",
        Side::Documented => "kube `Controller`, as documented",
    }
}

/// Says why there is no report.
pub fn fail(error: &str) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::FAILURE
}
