//! A running `cargo opgen dev`, listened to line by line.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

/// For a build on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(600);
/// For what takes no build.
pub(crate) const SHORT: Duration = Duration::from_secs(60);

/// One `dev` at a time: they share a target folder.
static TURN: Mutex<()> = Mutex::new(());

pub(crate) fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The target folder of the compile tests.
pub(crate) fn target() -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_cargo-opgen"));
    let target = binary.parent().and_then(Path::parent).unwrap();
    target.join("opgen-compile")
}

/// A fresh project, with the checkout's lock file so that nothing is resolved anew.
pub(crate) fn project(name: &str) -> PathBuf {
    let projects = target().join("live");
    let project = projects.join(name);
    let _ = fs::remove_dir_all(&project);
    fs::create_dir_all(&projects).unwrap();
    let made = Command::new(env!("CARGO_BIN_EXE_cargo-opgen"))
        .args(["new", name, "-y", "-q", "--vcs", "none"])
        .args([
            "--kind",
            "Database",
            "--group",
            "db.example.com",
            "--short",
            "db",
        ])
        .current_dir(&projects)
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    fs::copy(checkout.join("Cargo.lock"), project.join("Cargo.lock")).unwrap();
    project
}

/// Changes a file of a project.
pub(crate) fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{} has no {from:?}", path.display());
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

pub(crate) fn command(project: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-opgen"));
    command
        .args(["opgen", "dev"])
        .args(arguments)
        .current_dir(project)
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_TERM_COLOR")
        .env_remove("DATABASE_API_URL");
    command
}

#[derive(Default)]
struct Heard {
    lines: Mutex<Vec<String>>,
    news: Condvar,
}

/// A running `dev`; killed with its operator if a test fails.
pub(crate) struct Session {
    child: Child,
    heard: Arc<Heard>,
}

impl Session {
    pub(crate) fn start(project: &Path, arguments: &[&str]) -> Self {
        Self::of(&mut command(project, arguments))
    }

    pub(crate) fn of(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let heard = Arc::new(Heard::default());
        listen(child.stdout.take().unwrap(), &heard);
        listen(child.stderr.take().unwrap(), &heard);
        Self { child, heard }
    }

    /// How many lines were said so far.
    pub(crate) fn mark(&self) -> usize {
        self.heard.lines.lock().unwrap().len()
    }

    /// Waits for a line with this part, said after the mark.
    pub(crate) fn waits_for(&self, part: &str, since: usize, patience: Duration) -> String {
        let end = Instant::now() + patience;
        let mut lines = self.heard.lines.lock().unwrap();
        loop {
            if let Some(line) = lines[since..].iter().find(|line| line.contains(part)) {
                return line.clone();
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "{part:?} was not said within {patience:?}:\n{}",
                lines.join("\n")
            );
            lines = self.heard.news.wait_timeout(lines, left).unwrap().0;
        }
    }

    /// The number of the operator's process, said in a `Running` line after the mark.
    pub(crate) fn operator(&self, since: usize) -> String {
        let line = self.waits_for(" Running ", since, LONG);
        line.rsplit(' ').next().unwrap().to_owned()
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        let line = self.waits_for("Kubeconfig ", 0, LONG);
        line.trim().strip_prefix("Kubeconfig ").unwrap().into()
    }

    /// Ctrl-C, as a terminal would send it to `dev` alone.
    pub(crate) fn interrupt(mut self) -> (ExitStatus, String) {
        signal("-INT", &self.child.id().to_string());
        let end = Instant::now() + SHORT;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "it does not end");
            std::thread::sleep(Duration::from_millis(50));
        };
        std::thread::sleep(Duration::from_millis(200));
        let said = self.heard.lines.lock().unwrap().join("\n");
        (status, said)
    }
}

impl Session {
    /// As the kernel does it where memory is short: nothing can be tidied up.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Asked first, so that it ends its operator too.
        signal("-INT", &self.child.id().to_string());
        std::thread::sleep(Duration::from_millis(300));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(stream: impl Read + Send + 'static, heard: &Arc<Heard>) {
    let heard = Arc::clone(heard);
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            heard.lines.lock().unwrap().push(line);
            heard.news.notify_all();
        }
    });
}

/// Sends a signal; whether the process is there.
pub(crate) fn signal(which: &str, process: &str) -> bool {
    Command::new("kill")
        .args([which, process])
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
}

pub(crate) fn is_alive(process: &str) -> bool {
    signal("-0", process)
}

/// One GET with the rights of a kubeconfig.
pub(crate) fn get(kubeconfig: &Path, path: &str) -> Value {
    let text = fs::read_to_string(kubeconfig).unwrap();
    let field = |name: &str| {
        let (_, rest) = text.split_once(name)?;
        Some(
            rest.lines()
                .next()?
                .trim_matches([' ', '"', '}'])
                .to_owned(),
        )
    };
    let address = field("server: http://").unwrap();
    let token = field("token: ")
        .map(|token| format!("Authorization: Bearer {token}\r\n"))
        .unwrap_or_default();
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\n{token}Connection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    // Chunks or not: the object is what stands between the outer braces.
    let body = &body[body.find('{').unwrap()..=body.rfind('}').unwrap()];
    serde_json::from_str(body).unwrap()
}
