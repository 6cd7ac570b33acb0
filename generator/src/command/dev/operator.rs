//! The operator as a process: started, listened to, and asked to end.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::project::Project;
use super::site::Site;
use crate::command::program::Attended;
use crate::error::Result;
use crate::shell::{Board, Shell};

/// How long it may take to end when asked to. It drains runs in flight first.
const GRACE: Duration = Duration::from_secs(5);

/// A running operator.
#[derive(Debug)]
pub(super) struct Running {
    operator: Attended,
    id: u32,
    readers: [JoinHandle<()>; 2],
}

impl Running {
    pub(super) fn start(
        program: &Path,
        project: &Project,
        site: &Site,
        board: &Board,
        shell: Shell,
    ) -> Result<Self> {
        let mut command = Command::new(program);
        site.environment(&mut command, project);
        if shell.color_word() == "never" {
            command.env("NO_COLOR", "1");
        }
        command
            .current_dir(&project.folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut operator = Attended::start(&mut command)?;
        let child = &mut operator.child;
        let readers = [
            forward(child.stdout.take(), board),
            forward(child.stderr.take(), board),
        ];
        Ok(Self {
            id: child.id().unwrap_or_default(),
            operator,
            readers,
        })
    }

    /// The number of the process.
    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Returns when it has ended by itself: how.
    pub(super) async fn ended(&mut self) -> String {
        let how = match self.operator.child.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        for reader in &mut self.readers {
            let _ = timeout(GRACE, reader).await;
        }
        how
    }

    /// Asks it to end, and kills it if it does not.
    pub(super) async fn stop(mut self) {
        ask_to_end(&self.operator.child);
        if timeout(GRACE, self.operator.child.wait()).await.is_err() {
            let _ = self.operator.child.kill().await;
        }
        // What it said last is shown before the next one speaks. A grandchild may hold the pipe: not for ever.
        for reader in &mut self.readers {
            let _ = timeout(Duration::from_millis(200), reader).await;
        }
    }
}

/// Shows each line.
fn forward(
    stream: Option<impl AsyncRead + Send + Unpin + 'static>,
    board: &Board,
) -> JoinHandle<()> {
    let board = board.clone();
    tokio::spawn(async move {
        let Some(stream) = stream else { return };
        let mut lines = BufReader::new(stream).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            board.text(&line);
        }
    })
}

#[cfg(unix)]
fn ask_to_end(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = child
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(Pid::from_raw);
    if let Some(pid) = pid {
        let _ = kill_process(pid, Signal::TERM);
    }
}

/// There is no such request here; it is killed.
#[cfg(not(unix))]
fn ask_to_end(_child: &Child) {}
