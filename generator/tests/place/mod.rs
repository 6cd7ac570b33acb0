//! A folder to run the program in, and what a refusal must look like.
#![allow(dead_code, reason = "not every test file uses all of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own, and the program run in it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-opgen"));
        command
            .arg("opgen")
            .args(arguments)
            .current_dir(self.path());
        command
    }

    /// Every path below the folder with its content; a folder's content is empty.
    pub(crate) fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        walk(self.path(), &mut found);
        found.sort();
        found
    }
}

fn walk(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((path.clone(), Vec::new()));
            walk(&path, found);
        } else {
            found.push((path.clone(), fs::read(&path).unwrap_or_default()));
        }
    }
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Runs a command, expects the code and every part of the message, and an untouched folder.
pub(crate) fn refused(place: &Place, arguments: &[&str], code: i32, parts: &[&str]) {
    let before = place.snapshot();
    let output = place.run(arguments);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    for part in parts {
        assert!(
            said.contains(part),
            "{arguments:?} does not say {part:?}:\n{said}"
        );
    }
    assert_eq!(place.snapshot(), before, "{arguments:?} wrote something");
}
