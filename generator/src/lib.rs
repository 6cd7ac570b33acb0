//! `cargo opgen`: scaffolds Kubernetes operators that cannot go wrong in the ways operators go wrong.
//!
//! ```text
//! argv -> Cli -> Answers (flag > opgen.toml > prompt > default) -> Operator (validated) -> values + layers -> Plan -> apply
//! ```
//!
//! Each arrow is a module. [`answers`] is the only merge, [`model`] the last place where input can fail, [`plan`] a pure
//! function of the model, and [`apply`] the only one that writes a project. Only [`shell`] and [`prompt`] print, only
//! [`prompt`] reads standard input, only `render` knows Tera.
//!
//! Exit codes: see [`error::Exit`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod adoption;
pub mod answers;
pub mod apply;
pub mod assemble;
mod cargo;
pub mod cli;
mod command;
pub mod conversation;
pub mod crates;
pub mod crd;
pub mod error;
mod format;
mod fragments;
mod git;
mod identifiers;
mod layers;
pub mod model;
pub mod plan;
mod preview;
pub mod prompt;
pub mod render;
pub mod settings;
pub mod shell;
mod uses;
mod values;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Cli, Command, Format, Output};
use crate::error::{Exit, Problem};
use crate::shell::Shell;

/// Runs the program on its arguments, the program's name first. Works as `cargo opgen ..`, where cargo passes `opgen`
/// as the first argument, and as `cargo-opgen ..`.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|first| first == "opgen") {
        arguments.remove(1);
    }
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&arguments, &error),
    };
    let shell = Shell::new(cli.output);
    let result = match &cli.command {
        Command::New(flags) => command::new::run(flags, shell),
        Command::Demo(flags) => command::demo::run(flags, shell),
        Command::Dev(flags) => command::dev::run(flags, shell),
        Command::Init(flags) => command::init::run(flags, shell),
        Command::Graph(flags) => command::graph::run(flags, shell),
        Command::Completions(flags) => command::completions::run(flags, shell),
        Command::Man(flags) => command::man::run(flags, shell),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            shell.failure(&failure);
            ExitCode::from(failure.exit as u8)
        }
    }
}

/// The flags could not be read, or help was asked for. Machines get an error in their own form even so.
fn usage(arguments: &[OsString], error: &clap::Error) -> ExitCode {
    let json = arguments
        .windows(2)
        .any(|pair| pair[0] == "--format" && pair[1] == "json")
        || arguments.iter().any(|argument| argument == "--format=json");
    let format = if json { Format::Json } else { Format::Human };
    let shell = Shell::new(Output {
        format,
        ..Output::default()
    });
    if !error.use_stderr() {
        shell.usage(error);
        return ExitCode::SUCCESS;
    }
    if json {
        let text = error.to_string();
        let what = text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_owned();
        shell.failure(
            &Problem::new(what)
                .mend("`cargo opgen --help` shows the commands and their flags")
                .input(),
        );
    } else {
        shell.usage(error);
    }
    ExitCode::from(Exit::Input as u8)
}
