//! Writing into a folder that has other files, so that even a kill leaves nothing half-written for long.
//!
//! Everything happens below `.opgen-write` first: the new files in `new/`, copies of what they replace in `old/`. Then
//! `journal` is put there in one step, and only then the files are moved. Whoever finds a journal that nobody holds any
//! longer undoes it; every step of that may be done twice. The end of a write is the removal of its journal.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lock;
use crate::error::{Failure, Place, Problem, Result};

/// The folder of a write that goes on, or was cut.
pub(super) const FOLDER: &str = ".opgen-write";

const JOURNAL: &str = "journal";
const LOCK: &str = "lock";

/// What is about to be done: paths below the target.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Journal {
    created: Vec<PathBuf>,
    replaced: Vec<PathBuf>,
    /// Folders that have to be made, outermost first.
    folders: Vec<PathBuf>,
}

/// A write that is prepared.
#[derive(Debug)]
pub(super) struct Write<'a> {
    target: &'a Path,
    journal: Journal,
    /// Held until the end: whoever can take it knows that this process is gone.
    _lock: File,
}

impl<'a> Write<'a> {
    /// Puts everything beside its place. Nothing in the target changes but for the hidden folder.
    pub(super) fn prepare<'f>(
        target: &'a Path,
        files: impl Iterator<Item = (&'f Path, &'f [u8])>,
        replaced: &[PathBuf],
    ) -> Result<Self> {
        let folder = target.join(FOLDER);
        fs::create_dir(&folder).map_err(|error| Failure::io("making a folder", &folder, &error))?;
        let prepared = Self::fill(target, files, replaced);
        if prepared.is_err() {
            let _ = fs::remove_dir_all(&folder);
        }
        prepared
    }

    fn fill<'f>(
        target: &'a Path,
        files: impl Iterator<Item = (&'f Path, &'f [u8])>,
        replaced: &[PathBuf],
    ) -> Result<Self> {
        let folder = target.join(FOLDER);
        let lock = take_lock(&folder)?;
        let mut journal = Journal::default();
        for (path, bytes) in files {
            super::write_file(&folder.join("new").join(path), bytes)?;
            missing_folders(target, path, &mut journal.folders);
            if replaced.iter().any(|replaced| replaced == path) {
                keep(target, path)?;
                journal.replaced.push(path.to_path_buf());
            } else {
                journal.created.push(path.to_path_buf());
            }
        }
        Ok(Self {
            target,
            journal,
            _lock: lock,
        })
    }

    /// Moves everything into place; undoes it if a step fails.
    pub(super) fn commit(self) -> Result<()> {
        let folder = self.target.join(FOLDER);
        self.announce()?;
        for path in self.paths() {
            if let Err(error) = self.step(path) {
                undo(self.target)?;
                return Err(Failure::io(
                    "moving a file into place",
                    &self.target.join(path),
                    &error,
                ));
            }
        }
        // With the journal the write ends; what is left of the folder is in nobody's way.
        let journal = folder.join(JOURNAL);
        fs::remove_file(&journal)
            .map_err(|error| Failure::io("removing a journal", &journal, &error))?;
        let _ = fs::remove_dir_all(&folder);
        Ok(())
    }

    fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.journal.created.iter().chain(&self.journal.replaced)
    }

    /// From here on a cut write is undone.
    fn announce(&self) -> Result<()> {
        let folder = self.target.join(FOLDER);
        let (draft, journal) = (folder.join("draft"), folder.join(JOURNAL));
        let write = || -> io::Result<()> {
            let mut file = File::create(&draft)?;
            file.write_all(&serde_json::to_vec(&self.journal)?)?;
            file.sync_all()?;
            fs::rename(&draft, &journal)
        };
        write().map_err(|error| {
            let _ = fs::remove_dir_all(&folder);
            Failure::io("writing a journal", &journal, &error)
        })
    }

    /// Moves one file, after its folders.
    fn step(&self, path: &Path) -> io::Result<()> {
        for folder in self
            .journal
            .folders
            .iter()
            .filter(|folder| path.starts_with(folder))
        {
            match fs::create_dir(self.target.join(folder)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        let new = self.target.join(FOLDER).join("new").join(path);
        fs::rename(new, self.target.join(path))
    }
}

/// A copy of a file that will be replaced.
fn keep(target: &Path, path: &Path) -> Result<()> {
    let (place, old) = (
        target.join(path),
        target.join(FOLDER).join("old").join(path),
    );
    let copy = || {
        if let Some(parent) = old.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(&place, &old)
    };
    copy()
        .map(drop)
        .map_err(|error| Failure::io("keeping a file that is replaced", &place, &error))
}

fn missing_folders(target: &Path, path: &Path, folders: &mut Vec<PathBuf>) {
    let above: Vec<&Path> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| !target.join(folder).exists())
        .collect();
    for folder in above.into_iter().rev() {
        if !folders.iter().any(|known| known == folder) {
            folders.push(folder.to_path_buf());
        }
    }
}

fn take_lock(folder: &Path) -> Result<File> {
    let taken = Problem::new("another `cargo opgen` is writing here")
        .at(Place::Path(folder.to_path_buf()))
        .mend("wait until it has ended");
    lock::take(&folder.join(LOCK), taken)
}

/// Undoes a write that was cut, if there is one; whether there was.
///
/// # Errors
/// If its process still runs, or the disk refuses.
pub(super) fn recover(target: &Path) -> Result<bool> {
    let folder = target.join(FOLDER);
    if !folder.is_dir() {
        return Ok(false);
    }
    let _lock = take_lock(&folder)?;
    let was_announced = folder.join(JOURNAL).exists();
    undo(target)?;
    Ok(was_announced)
}

/// Puts back what was there, as far as the journal got.
fn undo(target: &Path) -> Result<()> {
    let folder = target.join(FOLDER);
    let path = folder.join(JOURNAL);
    let failed = |error: io::Error| {
        Failure::io("undoing a write that was cut", target, &error)
            .mend("the former files are in `.opgen-write/old`: copy them back, then remove `.opgen-write`")
    };
    match fs::read(&path) {
        Ok(bytes) => {
            let journal: Journal =
                serde_json::from_slice(&bytes).map_err(|error| failed(error.into()))?;
            put_back(target, &journal).map_err(failed)?;
            fs::remove_file(&path).map_err(failed)?;
        }
        // It never began to move.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    fs::remove_dir_all(&folder).map_err(failed)
}

fn put_back(target: &Path, journal: &Journal) -> io::Result<()> {
    let (new, old) = (
        target.join(FOLDER).join("new"),
        target.join(FOLDER).join("old"),
    );
    // What is still in `new` was never moved, so its place holds what it held.
    let moved = |path: &&PathBuf| !new.join(path).exists();
    let gone = |result: io::Result<()>| match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    for path in journal.replaced.iter().filter(moved) {
        gone(fs::rename(old.join(path), target.join(path)))?;
    }
    for path in journal.created.iter().filter(moved) {
        gone(fs::remove_file(target.join(path)))?;
    }
    for folder in journal.folders.iter().rev() {
        // Somebody may have put something there meanwhile: then it stays.
        let _ = fs::remove_dir(target.join(folder));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const NEW: &[(&str, &str)] = &[("a", "new"), ("b/c/d", "new"), ("e", "new"), ("b/f", "new")];

    /// A folder with `a` and `e` that are to be replaced, and something of a person's own.
    fn target() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in [("a", "old"), ("e", "old too"), ("mine", "kept")] {
            fs::write(folder.path().join(path), text).expect("written");
        }
        folder
    }

    fn prepare(target: &Path) -> Write<'_> {
        let files = NEW
            .iter()
            .map(|(path, text)| (Path::new(*path), text.as_bytes()));
        Write::prepare(target, files, &["a".into(), "e".into()]).expect("prepared")
    }

    fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        fn walk(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in fs::read_dir(folder).expect("read") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    found.insert(path.clone(), Vec::new());
                    walk(&path, found);
                } else {
                    found.insert(path.clone(), fs::read(&path).expect("read"));
                }
            }
        }
        let mut found = BTreeMap::new();
        walk(folder, &mut found);
        found
    }

    /// The process is killed after each number of moves; whoever comes next finds the folder as it was.
    #[test]
    fn a_kill_at_any_move_is_undone() {
        for moves in 0..=NEW.len() {
            let folder = target();
            let before = content(folder.path());
            let write = prepare(folder.path());
            write.announce().expect("announced");
            for path in write.paths().take(moves) {
                write.step(path).expect("moved");
            }
            let failure = recover(folder.path()).expect_err("it still runs");
            assert!(failure.to_string().contains("is writing here"), "{failure}");
            drop(write);
            assert!(
                recover(folder.path()).expect("undone"),
                "after {moves} moves"
            );
            assert_eq!(content(folder.path()), before, "after {moves} moves");
            assert!(!recover(folder.path()).expect("nothing to do"));
        }
    }

    /// The undoing is killed too.
    #[test]
    fn an_undo_that_is_cut_is_done_again() {
        let folder = target();
        let before = content(folder.path());
        let write = prepare(folder.path());
        write.announce().expect("announced");
        for path in write.paths() {
            write.step(path).expect("moved");
        }
        fs::remove_file(folder.path().join("b/c/d")).expect("half undone");
        fs::rename(
            folder.path().join(FOLDER).join("old/a"),
            folder.path().join("a"),
        )
        .expect("half undone");
        drop(write);
        assert!(recover(folder.path()).expect("undone"));
        assert_eq!(content(folder.path()), before);
    }

    /// Killed before the journal was there, and after it went.
    #[test]
    fn what_never_began_or_was_done_is_cleaned_up_only() {
        let folder = target();
        let before = content(folder.path());
        drop(prepare(folder.path()));
        assert!(!recover(folder.path()).expect("cleaned"));
        assert_eq!(content(folder.path()), before);

        let write = prepare(folder.path());
        write.commit().expect("done");
        assert_eq!(
            fs::read(folder.path().join("b/c/d")).expect("there"),
            b"new"
        );
        assert_eq!(
            fs::read(folder.path().join("mine")).expect("there"),
            b"kept"
        );
        assert!(!folder.path().join(FOLDER).exists());
    }

    #[test]
    fn a_move_that_fails_undoes_the_others() {
        let folder = target();
        let before = content(folder.path());
        let write = prepare(folder.path());
        fs::remove_file(folder.path().join(FOLDER).join("new/e")).expect("removed");
        write.commit().expect_err("one is missing");
        assert_eq!(content(folder.path()), before);
    }
}
