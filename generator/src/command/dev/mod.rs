//! `dev`: the operator beside an in-memory API server over HTTP, or a real cluster; built and started again whenever its
//! source changes. The server and its objects stay through that.

mod memory;
mod objects;
mod operator;
mod project;
mod real;
mod site;
mod sources;

use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use self::objects::Tally;
use self::operator::Running;
use self::project::Project;
use self::site::Site;
use self::sources::Sources;
use crate::cargo::{self, Build};
use crate::cli::Dev;
use crate::command::program::incomplete;
use crate::error::{Failure, Place, Problem, Result};
use crate::model;
use crate::shell::{Board, Shell};

/// How often the source is looked at.
const LOOK: Duration = Duration::from_millis(300);

pub(crate) fn run(flags: &Dev, shell: Shell) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Problem::new(format!("no event loop: {error}")).environment())?;
    let board = Board::start(shell);
    let result = runtime.block_on(session(flags, shell, &board));
    board.end();
    result
}

/// From the first build to Ctrl-C.
async fn session(flags: &Dev, shell: Shell, board: &Board) -> Result<()> {
    flags.namespace.as_deref().map_or(Ok(()), check_namespace)?;
    let project = Project::find(flags, shell).await?;
    let site = Site::open(flags, &project, board).await?;
    let (tally, mut tallied) = watch::channel(Tally::default());
    let table = objects::Table::new(board.clone(), tally);
    let mut dev = Session {
        flags,
        shell,
        board,
        project: &project,
        site,
        table,
        running: None,
    };
    let mut ended = std::pin::pin!(interrupted());
    let result = tokio::select! {
        result = dev.go(&mut tallied) => result,
        () = &mut ended => Ok(()),
    };
    if let Some(running) = dev.running.take() {
        running.stop().await;
    }
    // What the last steps changed is shown too.
    dev.table.refresh().await;
    if result.is_ok() {
        board.status("Stopped", dev.site.farewell());
        board.data(&json!({"event": "stopped"}));
    }
    result
}

struct Session<'a> {
    flags: &'a Dev,
    shell: Shell,
    board: &'a Board,
    project: &'a Project,
    site: Site,
    table: objects::Table,
    running: Option<Running>,
}

impl Session<'_> {
    async fn go(&mut self, tally: &mut watch::Receiver<Tally>) -> Result<()> {
        let mut sources = Sources::of(self.project);
        loop {
            let result = self.build_and_start().await;
            if let Err(failure) = result {
                if self.flags.once {
                    return Err(failure);
                }
                self.board.failure(&failure);
                self.board.data(&json!({"event": "failed"}));
                self.board.status(
                    "Waiting",
                    if self.running.is_some() {
                        "for a change; the operator of the last good build goes on, the objects stay"
                    } else {
                        "for a change; the server and its objects stay"
                    },
                );
            }
            let deadline = Instant::now() + Duration::from_secs(self.flags.patience);
            loop {
                tokio::select! {
                    () = sources.changed(LOOK) => break,
                    outcome = self.outcome(tally, deadline) => match outcome {
                        Outcome::Ready => return Ok(()),
                        Outcome::Late => return Err(late(format!("not every object is Ready after {} s", self.flags.patience))),
                        Outcome::Ended(how) if self.flags.once => return Err(late(format!("the operator ended: {how}"))),
                        Outcome::Ended(how) => {
                            self.running = None;
                            self.board.status("Ended", &format!("the operator, by itself: {how}"));
                            self.board.data(&json!({"event": "ended", "how": how}));
                            self.board.status("Waiting", "for a change; the server and its objects stay");
                        }
                    },
                }
            }
            self.board.status("Changed", &sources.what_changed());
        }
    }

    /// Builds; what runs goes on until the new program is there, and for good if there is none.
    async fn build_and_start(&mut self) -> Result<()> {
        let begun = Instant::now();
        let mut command = cargo::command("build", &self.flags.cargo, self.shell);
        command.arg("--manifest-path").arg(&self.project.manifest);
        if self.running.is_none() {
            self.board.status(
                "Building",
                &format!(
                    "`{}`: the first time takes minutes; its kinds are there afterwards",
                    self.project.bin
                ),
            );
        }
        self.table.now(&format!("building `{}`", self.project.bin));
        let table = &self.table;
        let said =
            |count: usize, what: &str| table.now(&format!("building: crate {count}, {what}"));
        let built = cargo::build(command, &self.project.bin, &said).await;
        self.table.now("");
        let program = match built? {
            Build::Done { program, .. } => program,
            Build::Failed(said) => {
                self.board.text(said.trim_end());
                return Err(Problem::new("the project does not build")
                    .mend("mend what the compiler names and save the file: the build begins again by itself")
                    .environment());
            }
        };
        let seconds = begun.elapsed().as_secs_f64();
        self.board.status(
            "Built",
            &format!("`{}` in {seconds:.1} s", self.project.bin),
        );
        self.board
            .data(&json!({"event": "built", "seconds": seconds}));
        let kinds = self.site.install(&program).await?;
        self.table.follow(self.site.view(), kinds.clone());
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
        let running = Running::start(&program, self.project, &self.site, self.board, self.shell)?;
        self.board.status(
            "Running",
            &format!(
                "`{}` {}, process {}",
                self.project.bin,
                self.site.identity(),
                running.id()
            ),
        );
        self.board
            .data(&json!({"event": "running", "process": running.id()}));
        self.running = Some(running);
        self.site
            .apply_samples(self.project, &kinds, self.board)
            .await
    }

    /// Returns when the operator has ended by itself and, for `--once`, when the objects are Ready or it is too late.
    async fn outcome(&mut self, tally: &mut watch::Receiver<Tally>, deadline: Instant) -> Outcome {
        let once = self.flags.once;
        let ended = async {
            match &mut self.running {
                Some(running) => running.ended().await,
                None => std::future::pending().await,
            }
        };
        let ready = tally.wait_for(|tally| tally.objects > 0 && tally.ready == tally.objects);
        tokio::select! {
            _ = ready, if once => Outcome::Ready,
            () = sleep_until(deadline), if once => Outcome::Late,
            how = ended => Outcome::Ended(how),
        }
    }
}

/// What may happen while the source stays as it is.
enum Outcome {
    Ready,
    Late,
    Ended(String),
}

fn late(what: String) -> Failure {
    let mend = "look at the log above; give a longer --patience if the machine is slow";
    incomplete(what, mend)
}

/// What the API server would refuse only after the build.
fn check_namespace(name: &str) -> Result<()> {
    model::dns_label(name).map_err(|why| {
        Problem::new(format!("`{name}` is not a namespace's name: {why}"))
            .at(Place::Flag("--namespace"))
            .mend("use 1 to 63 lowercase letters, digits and `-`, with neither end a `-`")
            .input()
    })
}

/// Ctrl-C, or being asked to end otherwise.
async fn interrupted() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let other = |kind| async move {
            match signal(kind) {
                Ok(mut signal) => {
                    signal.recv().await;
                }
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            () = interrupt => {}
            () = other(SignalKind::terminate()) => {}
            () = other(SignalKind::hangup()) => {}
        }
    }
    #[cfg(not(unix))]
    interrupt.await;
}
