//! Builds the scaffolded project, in a folder that the next demo finds again.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use super::{NAME, process};
use crate::cli::Demo;
use crate::crates;
use crate::error::{Problem, Result};
use crate::shell::{Progress, Shell};

/// What a build made.
#[derive(Debug)]
pub(super) struct Built {
    /// The operator's program.
    pub(super) program: PathBuf,
}

pub(super) async fn build(flags: &Demo, project: &Path, shell: Shell) -> Result<Built> {
    let target = target(flags);
    let progress = Progress::start(shell, "building it; the first time takes a minute or two");
    let mut child = Command::new(process::cargo())
        .args(["build", "--bins"])
        .current_dir(project)
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_TERM_COLOR", "never")
        // Debug information is of no use here, and half of the disk space.
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| {
            Problem::new(format!("cargo does not run: {error}"))
                .mend("install Rust with its cargo from https://rustup.rs")
                .environment()
        })?;
    let mut said = String::new();
    let mut compiled = 0;
    if let Some(stderr) = child.stderr.take() {
        let mut lines = BufReader::new(stderr).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if let Some(what) = line.trim_start().strip_prefix("Compiling ") {
                compiled += 1;
                progress.now(&format!("building it: crate {compiled}, {what}"));
            }
            said.push_str(&line);
            said.push('\n');
        }
    }
    let status = child.wait().await.map_err(|error| {
        Problem::new(format!("cargo cannot be waited for: {error}")).environment()
    })?;
    if !status.success() {
        return Err(process::failed("the project does not build", &said));
    }
    drop(progress);
    shell.status(
        "Built",
        &format!(
            "`{NAME}`, {compiled} crates compiled, in {}",
            target.display()
        ),
    );
    let program = target
        .join("debug")
        .join(format!("{NAME}{}", std::env::consts::EXE_SUFFIX));
    Ok(Built { program })
}

/// In the checkout's own `target`, where `cargo clean` finds it, or beside other temporary files.
fn target(flags: &Demo) -> PathBuf {
    if let Some(folder) = &flags.target_dir {
        return std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
    }
    let shared = std::env::var_os("CARGO_TARGET_DIR")
        .map(PathBuf::from)
        .or_else(|| crates::built_from().map(|checkout| checkout.join("target")))
        .unwrap_or_else(std::env::temp_dir);
    let folder = shared.join("opgen-demo");
    std::path::absolute(&folder).unwrap_or(folder)
}
