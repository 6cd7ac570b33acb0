//! `demo`: scaffold, build, run against the in-memory API server over HTTP with RBAC on, and watch one object from its
//! creation to the release of its finalizer.

mod build;
mod cost;
mod life;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use self::life::Life;
use crate::apply::{self, Mode};
use crate::cli::{Color, Demo, Format, New, Output};
use crate::error::{Failure, Place, Problem, Result};
use crate::model::Operator;
use crate::plan::Plan;
use crate::shell::{Progress, Shell};
use crate::{command, crates};

/// The operator of the demo.
const NAME: &str = "database-operator";

pub(crate) fn run(flags: &Demo, shell: Shell) -> Result<()> {
    let Some(file) = &flags.record else {
        return tell_a_life(flags, shell);
    };
    // Found out before the build, not after it.
    if let Some(folder) = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        && !folder.is_dir()
    {
        return Err(Problem::new("the folder of the picture is not there")
            .at(Place::Path(file.clone()))
            .mend("make it first, or name another file")
            .input());
    }
    let (shell, recorder) = shell.recorded();
    tell_a_life(flags, shell)?;
    let target = build::target(flags).display().to_string();
    let replaced = [(target, "target/opgen-demo")];
    let picture = recorder.picture("cargo opgen demo", &replaced);
    std::fs::write(file, picture)
        .map_err(|error| Failure::io("writing the picture", file, &error))?;
    shell.status("Recorded", &file.display().to_string());
    Ok(())
}

fn tell_a_life(flags: &Demo, shell: Shell) -> Result<()> {
    let begun = Instant::now();
    let folder = tempfile::Builder::new()
        .prefix("opgen-demo-")
        .tempdir()
        .map_err(|error| Failure::io("making a temporary folder", &std::env::temp_dir(), &error))?;
    let project = folder.path().join(NAME);
    // Kept from here on, so that a failure can be looked at.
    let folder = Folder::new(folder, flags.keep);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Problem::new(format!("no event loop: {error}")).environment())?;
    let result = runtime.block_on(async {
        tokio::select! {
            result = demo(flags, &project, shell) => result,
            _ = tokio::signal::ctrl_c() => Err(Problem::new("interrupted").environment()),
        }
    });
    if let Some(kept) = folder.kept() {
        shell.status("Kept", &kept.join(NAME).display().to_string());
    }
    let life = result?;
    tell(&life, shell);
    shell.status(
        "Finished",
        &format!("in {:.1} s", begun.elapsed().as_secs_f64()),
    );
    Ok(())
}

async fn demo(flags: &Demo, project: &Path, shell: Shell) -> Result<Life> {
    let operator = scaffold(flags, project)?;
    shell.status(
        "Created",
        &format!(
            "operator `{NAME}` for kind `{}`",
            operator.resources[0].kind
        ),
    );
    let built = build::build(flags, project, shell).await?;
    let progress = Progress::start(
        shell,
        "starting the operator against an in-memory API server, RBAC on",
    );
    let patience = Duration::from_secs(flags.patience);
    life::live(&operator, &built, project, patience, &progress).await
}

/// The project as `new` would make it, with the lock file of the checkout so that nothing new is resolved.
fn scaffold(flags: &Demo, project: &Path) -> Result<Operator> {
    let answers = New {
        path: project.to_path_buf(),
        kind: Some("Database".to_owned()),
        group: Some("db.example.com".to_owned()),
        short: Some(vec!["db".to_owned()]),
        external: Some("http".to_owned()),
        opgen_path: flags.opgen_path.clone(),
        yes: true,
        ..New::default()
    };
    let silent = Shell::new(Output {
        quiet: true,
        color: Color::Never,
        format: Format::Human,
    });
    let operator = command::new::model(&answers, silent)?;
    let mut copies = crates::copies(&operator.crates)?;
    if let Some(lock) = crates::lock_file(&operator.crates) {
        copies.push((PathBuf::from("Cargo.lock"), lock));
    }
    let plan = Plan::render(&operator, copies)?;
    apply::apply(
        &plan,
        project,
        Mode::Write {
            force: false,
            git: false,
        },
    )?;
    Ok(operator)
}

fn tell(life: &Life, shell: Shell) {
    shell.data(&json!({
        "status": "ok",
        "phases": life.seen.iter().map(|(phase, at)| json!({"phase": phase, "seconds": seconds(*at)})).collect::<Vec<_>>(),
        "ready": seconds(life.ready),
        "gone": seconds(life.gone),
        "calls": life.cost.to_json(),
    }));
    shell.result(&life.cost.to_text());
    shell.result("Ready, deleted, finalizer released.");
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

/// The temporary folder: removed at the end, or kept.
enum Folder {
    Kept(PathBuf),
    Temporary(#[expect(dead_code, reason = "its drop removes the folder")] tempfile::TempDir),
}

impl Folder {
    fn new(folder: tempfile::TempDir, keep: bool) -> Self {
        if keep {
            Self::Kept(folder.keep())
        } else {
            Self::Temporary(folder)
        }
    }

    fn kept(&self) -> Option<&Path> {
        match self {
            Self::Kept(path) => Some(path),
            Self::Temporary(_) => None,
        }
    }
}
