//! Builds the scaffolded project, in a folder that the next demo finds again.

use std::path::{Path, PathBuf};

use super::NAME;
use crate::cargo::{self, Build};
use crate::cli::Demo;
use crate::command::process;
use crate::crates;
use crate::error::Result;
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
    let mut command = cargo::command("build", &flags.cargo, shell);
    command
        .current_dir(project)
        .env("CARGO_TARGET_DIR", &target)
        // Debug information is of no use here, and half of the disk space.
        .env("CARGO_PROFILE_DEV_DEBUG", "0");
    let begun = |count: usize, what: &str| {
        progress.now(&format!("building it: crate {count}, {what}"));
    };
    match cargo::build(command, NAME, &begun).await? {
        Build::Done { program, crates } => {
            drop(progress);
            shell.status(
                "Built",
                &format!(
                    "`{NAME}`, {crates} crates compiled, in {}",
                    target.display()
                ),
            );
            Ok(Built { program })
        }
        Build::Failed(said) => Err(process::failed("the project does not build", &said)
            .mend("run the demo with --keep and look at the project; this is a fault of opgen if the project is unchanged")),
    }
}

/// In the checkout's own `target`, where `cargo clean` finds it, or beside other temporary files.
pub(super) fn target(flags: &Demo) -> PathBuf {
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
