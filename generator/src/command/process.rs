//! Programs that commands start: what they say is kept for the case that they fail.

use std::process::Stdio;

use tokio::process::Command;

use crate::error::{Failure, Place, Problem, Result};

/// Lines of a failed program's output that are shown.
const TAIL: usize = 25;

/// A program's standard output, once it has ended well.
pub(crate) async fn output(command: &mut Command, what: &str) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|error| missing(command, &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(failed(what, &String::from_utf8_lossy(&output.stderr)))
}

/// A failure with the end of what the program said.
pub(crate) fn failed(what: &str, said: &str) -> Failure {
    Problem::new(format!("{what}:\n{}", tail(said))).environment()
}

/// The end of what a program said.
pub(crate) fn tail(said: &str) -> String {
    let lines: Vec<&str> = said.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}

/// A program that does not even start.
pub(crate) fn missing(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.as_std().get_program().to_owned();
    let mend = if program.to_string_lossy().contains("kubectl") {
        "install kubectl from https://kubernetes.io/docs/tasks/tools"
    } else {
        "install Rust with its cargo from https://rustup.rs"
    };
    Problem::new(format!("`{}` does not run: {error}", program.display()))
        .at(Place::Path(program.into()))
        .mend(mend)
        .environment()
}
