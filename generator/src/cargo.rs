//! Cargo as a program: which one is run, with which of its own flags, and what a build of it makes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::Command;

use crate::cli::CargoFlags;
use crate::command::process;
use crate::error::{Problem, Result};
use crate::shell::Shell;

/// The cargo that called us, or the one on the path.
fn program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}

/// A cargo command with the flags that were passed on, as colourful as we are.
pub(crate) fn command(subcommand: &str, flags: &CargoFlags, shell: Shell) -> Command {
    let mut command = Command::new(program());
    command
        .arg(subcommand)
        .args(["--color", shell.color_word()]);
    for (flag, given) in [
        ("--offline", flags.offline),
        ("--locked", flags.locked),
        ("--frozen", flags.frozen),
    ] {
        if given {
            command.arg(flag);
        }
    }
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// How a build ended.
#[derive(Debug)]
pub(crate) enum Build {
    /// The program that was asked for, and how many crates were compiled for it.
    Done {
        /// Where it is.
        program: PathBuf,
        /// Crates compiled.
        crates: usize,
    },
    /// It does not compile: what cargo and the compiler said.
    Failed(String),
}

/// Builds one program; `crate_begun` hears of every crate that is compiled.
///
/// # Errors
/// If cargo does not run at all.
pub(crate) async fn build(
    mut command: Command,
    bin: &str,
    crate_begun: &(dyn Fn(usize, &str) + Sync),
) -> Result<Build> {
    command
        .args(["--message-format", "json-render-diagnostics", "--bin", bin])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|error| process::missing(&command, &error))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let messages = async {
        let mut text = String::new();
        if let Some(mut stdout) = stdout {
            let _ = stdout.read_to_string(&mut text).await;
        }
        text
    };
    let said = async {
        let (mut said, mut crates) = (String::new(), 0);
        if let Some(stderr) = stderr {
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                match compiling(&line) {
                    Some(what) => {
                        crates += 1;
                        crate_begun(crates, &what);
                    }
                    None => {
                        said.push_str(&line);
                        said.push('\n');
                    }
                }
            }
        }
        (said, crates)
    };
    let (messages, (said, crates)) = tokio::join!(messages, said);
    let status = child.wait().await.map_err(|error| {
        Problem::new(format!("cargo cannot be waited for: {error}")).environment()
    })?;
    if !status.success() {
        return Ok(Build::Failed(said));
    }
    match executable(&messages, bin) {
        Some(program) => Ok(Build::Done { program, crates }),
        None => Err(Problem::new(format!("cargo built no program `{bin}`")).environment()),
    }
}

/// The crate of a `Compiling` line, in colours or not.
fn compiling(line: &str) -> Option<String> {
    let plain = plain(line);
    plain
        .trim_start()
        .strip_prefix("Compiling ")
        .map(str::to_owned)
}

/// A line without escape sequences.
pub(crate) fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        if char == '\u{1b}' {
            // `ESC [ .. letter`, which is all that cargo and tracing write.
            chars.find(char::is_ascii_alphabetic);
        } else {
            text.push(char);
        }
    }
    text
}

/// The path that cargo's messages give for a program.
fn executable(messages: &str, bin: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| {
            message["reason"] == "compiler-artifact"
                && message["target"]["name"] == bin
                && message["target"]["kind"]
                    .as_array()
                    .is_some_and(|kinds| kinds.iter().any(|kind| kind == "bin"))
        })
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// `cargo metadata` of a manifest, without its dependencies.
///
/// # Errors
/// If cargo does not run, or does not like the manifest: bad input.
pub(crate) async fn metadata(manifest: &Path, flags: &CargoFlags, shell: Shell) -> Result<Value> {
    let mut command = command("metadata", flags, shell);
    command
        .args(["--no-deps", "--format-version", "1", "--manifest-path"])
        .arg(manifest);
    let output = command
        .output()
        .await
        .map_err(|error| process::missing(&command, &error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let mut failure = process::failed("cargo cannot read the project", plain(&said).trim());
        failure.exit = crate::error::Exit::Input;
        return Err(failure);
    }
    serde_json::from_slice(&output.stdout).map_err(|error| {
        Problem::new(format!("`cargo metadata` says no JSON: {error}")).environment()
    })
}

/// The manifest that a command is about: the one named, or the nearest one above the current folder.
///
/// # Errors
/// If there is none: bad input.
pub(crate) fn manifest(given: Option<&Path>) -> Result<PathBuf> {
    use crate::error::Place;
    if let Some(path) = given {
        let named = path.file_name().is_some_and(|name| name == "Cargo.toml");
        let problem = match (named, path.is_file()) {
            (true, true) => {
                return Ok(std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()));
            }
            (false, _) => "the path does not lead to a file `Cargo.toml`",
            (true, false) => "the manifest is not there",
        };
        return Err(Problem::new(problem)
            .at(Place::Path(path.to_path_buf()))
            .mend("give --manifest-path the path of a project's Cargo.toml")
            .input());
    }
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    here.ancestors()
        .map(|folder| folder.join("Cargo.toml"))
        .find(|path| path.is_file())
        .ok_or_else(|| {
            Problem::new("there is no Cargo.toml here, nor in a folder above")
                .at(Place::Path(here.clone()))
                .mend("go into the project, or name it: --manifest-path path/to/Cargo.toml")
                .input()
        })
}

/// The folder that a command is about: that of the manifest, if one is named.
///
/// # Errors
/// If the manifest is not there: bad input.
pub(crate) fn folder(named: Option<&Path>, otherwise: &Path) -> Result<PathBuf> {
    let Some(path) = named else {
        return Ok(otherwise.to_path_buf());
    };
    manifest(named)?;
    // As it was written, so that what is said about it can be found again; `Cargo.toml` alone is here.
    Ok(match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_do_not_hide_a_crate() {
        let line = "\u{1b}[1m\u{1b}[92m   Compiling\u{1b}[0m serde v1.0.0";
        assert_eq!(compiling(line).as_deref(), Some("serde v1.0.0"));
        assert_eq!(compiling("error: it does not"), None);
    }

    #[test]
    fn the_program_is_the_one_asked_for() {
        let messages = r#"
            {"reason":"compiler-artifact","target":{"name":"x","kind":["lib"]},"executable":null}
            {"reason":"compiler-artifact","target":{"name":"y","kind":["bin"]},"executable":"/t/y"}
            {"reason":"compiler-artifact","target":{"name":"x","kind":["bin"]},"executable":"/t/x"}
            {"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages, "x"), Some(PathBuf::from("/t/x")));
        assert_eq!(executable(messages, "z"), None);
    }
}
