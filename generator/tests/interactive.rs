//! `new` in a terminal: asked, gone back, shown, and cancelled without a trace. The terminal is that of `script`; where
//! there is none, this is skipped, aloud.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

const ENTER: &str = "\r";
const ESCAPE: &str = "\u{1b}";
const BACKSPACE: &str = "\u{7f}";
const DOWN: &str = "\u{1b}[B";
const CTRL_C: &str = "\u{3}";

/// A program in a terminal of its own.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: Receiver<Vec<u8>>,
    shown: String,
}

impl Terminal {
    fn start(folder: &Path, arguments: &str) -> Option<Self> {
        let line = format!(
            "stty cols 100 rows 50; exec {} {arguments}",
            env!("CARGO_BIN_EXE_cargo-opgen")
        );
        let mut child = Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .current_dir(folder)
            .env("TERM", "xterm-256color")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let (keys, mut output) = (child.stdin.take()?, child.stdout.take()?);
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Some(Self {
            child,
            keys,
            screen,
            shown: String::new(),
        })
    }

    /// Waits until this stands on the screen, then types.
    fn when(&mut self, wanted: &str, keys: &str) -> &mut Self {
        while !self.shown.contains(wanted) {
            match self.screen.recv_timeout(Duration::from_secs(60)) {
                Ok(bytes) => self.shown.push_str(&String::from_utf8_lossy(&bytes)),
                Err(error) => panic!("{wanted:?} is not shown ({error}):\n{}", self.shown),
            }
        }
        // What was seen is not seen again: the next question has to be new.
        let seen = self.shown.find(wanted).unwrap() + wanted.len();
        self.shown.drain(..seen);
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self
    }

    /// The exit code, and what was shown last.
    fn end(&mut self) -> (Option<i32>, String) {
        loop {
            match self.screen.recv_timeout(Duration::from_secs(60)) {
                Ok(bytes) => self.shown.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end:\n{}", self.shown),
            }
        }
        (
            self.child.wait().unwrap().code(),
            std::mem::take(&mut self.shown),
        )
    }
}

/// A conversation that failed is not left waiting.
impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answers of these keys, in a fresh folder.
fn hold(
    conversation: impl FnOnce(&mut Terminal),
) -> Option<(Option<i32>, String, tempfile::TempDir)> {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut terminal) =
        Terminal::start(folder.path(), "new shop-operator --vcs none --published")
    else {
        let why = "there is no `script` here, so nothing was asked in a terminal";
        // Past the capture of the test harness.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
        return None;
    };
    conversation(&mut terminal);
    let (code, shown) = terminal.end();
    Some((code, shown, folder))
}

#[test]
fn asked_gone_back_shown_and_written() {
    let Some((code, shown, folder)) = hold(|terminal| {
        terminal
            .when("Kind", ENTER)
            .when("API group", ESCAPE)
            .when("Kind", "Store\r")
            .when("API group", ENTER)
            .when("Kinds it makes", "Gadget\r")
            .when(
                "is no kind that opgen knows",
                &format!("{}Deployment\r", BACKSPACE.repeat(6)),
            )
            .when("refers to", ENTER)
            .when("manage outside", &format!("{DOWN}{DOWN}{ENTER}"))
            .when("Write it?", &format!("{DOWN}{ENTER}"))
            .when("manage outside", &format!("{DOWN}{ENTER}"))
            .when("The life of a Store", "")
            .when("Write it?", ENTER);
    }) else {
        return;
    };
    assert_eq!(code, Some(0), "{shown}");
    let settings = fs::read_to_string(folder.path().join("shop-operator/opgen.toml")).unwrap();
    assert!(
        settings.contains("kind = \"Store\"")
            && settings.contains("external = \"http\"")
            && settings.contains("owns = [\"apps/v1/Deployment\"]"),
        "{settings}"
    );
}

#[test]
fn cancelled_and_interrupted_without_a_trace() {
    let cancelled = hold(|terminal| {
        terminal
            .when("Kind", ENTER)
            .when("API group", ENTER)
            .when("Kinds it makes", ENTER)
            .when("refers to", ENTER)
            .when("manage outside", ENTER)
            .when("handlers.rs", "")
            .when("Write it?", &format!("{DOWN}{DOWN}{ENTER}"));
    });
    let interrupted = hold(|terminal| {
        terminal.when("Kind", ENTER).when("API group", CTRL_C);
    });
    for (code, shown, folder) in [cancelled, interrupted].into_iter().flatten() {
        assert_eq!(code, Some(2), "{shown}");
        assert!(shown.contains("nothing was written"), "{shown}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_wrong_answer_is_asked_again() {
    let Some((code, shown, folder)) = hold(|terminal| {
        terminal
            .when("Kind", "store\r")
            .when("is not a kind", CTRL_C);
    }) else {
        return;
    };
    assert_eq!(code, Some(2), "{shown}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
