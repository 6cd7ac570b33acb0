//! Puts a plan on disk, or says what it would do. The only module that writes a project.
//!
//! A new project is written into a folder beside its target and renamed: a full disk or a kill in the middle leaves the
//! target as it was. With `--force` the files that are in the way are moved aside first and moved back on failure.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use crate::error::{Failure, Place, Problem, Result};
use crate::git;
use crate::plan::Plan;
use crate::settings;

/// What to do with a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Write it.
    Write {
        /// Into a folder that is not empty, too.
        force: bool,
        /// And make a git repository of it.
        git: bool,
    },
    /// Only say what would be written.
    DryRun {
        /// As if the folder were allowed not to be empty.
        force: bool,
    },
}

/// What was done, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Files that were not there.
    pub created: Vec<PathBuf>,
    /// Files that were there, with other content.
    pub replaced: Vec<PathBuf>,
    /// Files that were there, just so.
    pub unchanged: Vec<PathBuf>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// Applies a plan to a folder.
///
/// # Errors
/// If the folder is not empty and that is not allowed, or the disk refuses; the folder is then as it was.
pub fn apply(plan: &Plan, target: &Path, mode: Mode) -> Result<Applied> {
    let force = match mode {
        Mode::Write { force, .. } | Mode::DryRun { force } => force,
    };
    let state = State::of(target)?;
    if let (State::Full(example), false) = (&state, force) {
        return Err(Problem::new(format!("the folder is not empty: it holds `{}`", example.display()))
            .at(Place::Path(target.to_path_buf()))
            .mend("choose another name, or pass --force to write into it (files of the same name are replaced)")
            .input());
    }
    let mut applied = compare(plan, target)?;
    if let Mode::Write { git, .. } = mode {
        match state {
            State::Absent | State::Empty => write_new(plan, target, git, &mut applied)?,
            State::Full(_) => write_into(plan, target, &applied)?,
        }
    }
    Ok(applied)
}

/// What is at the target.
enum State {
    Absent,
    Empty,
    Full(PathBuf),
}

impl State {
    fn of(target: &Path) -> Result<Self> {
        let failed = |error: io::Error| Failure::io("looking at the target", target, &error);
        match fs::metadata(target) {
            Err(error)
                if error.kind() == io::ErrorKind::NotFound
                    && fs::symlink_metadata(target).is_err() =>
            {
                return Ok(Self::Absent);
            }
            Err(error) => return Err(failed(error)),
            Ok(data) if !data.is_dir() => {
                return Err(Problem::new("the target is a file")
                    .at(Place::Path(target.to_path_buf()))
                    .mend("choose another name")
                    .input());
            }
            Ok(_) => {}
        }
        for entry in fs::read_dir(target).map_err(failed)? {
            let name = PathBuf::from(entry.map_err(failed)?.file_name());
            // Settings alone are an order for a project, not one that is in the way.
            if name != Path::new(settings::FILE) {
                return Ok(Self::Full(name));
            }
        }
        Ok(Self::Empty)
    }
}

fn compare(plan: &Plan, target: &Path) -> Result<Applied> {
    let mut applied = Applied::default();
    for (path, bytes) in plan.files() {
        let list = match fs::read(target.join(path)) {
            Ok(present) if present == bytes => &mut applied.unchanged,
            Ok(_) => &mut applied.replaced,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                &mut applied.created
            }
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                return Err(in_the_way(
                    &target.join(path),
                    "a folder stands where a file belongs",
                ));
            }
            Err(error) => {
                return Err(Failure::io(
                    "reading a file of the target",
                    &target.join(path),
                    &error,
                ));
            }
        };
        list.push(path.to_path_buf());
    }
    Ok(applied)
}

/// Writes beside the target, then renames: all or nothing.
fn write_new(plan: &Plan, target: &Path, git: bool, applied: &mut Applied) -> Result<()> {
    let target = std::path::absolute(target)
        .map_err(|error| Failure::io("finding the target", target, &error))?;
    let parent = target.parent().unwrap_or(Path::new("/")).to_path_buf();
    let made = make_parents(&parent)?;
    let result = stage(&parent, plan).and_then(|staged| {
        if git {
            applied.notes.extend(git::init(staged.path()));
        }
        replace_folder(&staged, &target)
    });
    if result.is_err() {
        // Only folders that this run made, innermost first, and only while they are empty.
        for folder in made.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
    result
}

/// Makes the missing folders above the target and says which.
fn make_parents(parent: &Path) -> Result<Vec<PathBuf>> {
    let mut missing: Vec<PathBuf> = parent
        .ancestors()
        .take_while(|folder| !folder.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    for (index, folder) in missing.iter().enumerate() {
        if let Err(error) = fs::create_dir(folder) {
            for made in missing[..index].iter().rev() {
                let _ = fs::remove_dir(made);
            }
            return Err(Failure::io("making a folder", folder, &error));
        }
    }
    Ok(missing)
}

/// Every file of the plan in a fresh folder inside `parent`, removed again unless it is renamed.
fn stage(parent: &Path, plan: &Plan) -> Result<tempfile::TempDir> {
    let staged = tempfile::Builder::new()
        .prefix(".opgen-")
        .tempdir_in(parent)
        .map_err(|error| Failure::io("making a folder", parent, &error))?;
    for (path, bytes) in plan.files() {
        write_file(&staged.path().join(path), bytes)?;
    }
    open_permissions(staged.path())?;
    Ok(staged)
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut file = fs::File::create_new(path)?;
        file.write_all(bytes)?;
        file.flush()
    };
    write().map_err(|error| Failure::io("writing a file", path, &error))
}

/// Temporary folders are private; a project is as open as any other new folder.
#[cfg(unix)]
fn open_permissions(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    // The mode that the process gives new folders cannot be asked for without changing it, so a new one is looked at.
    let probe = folder.join(".mode");
    let open = || {
        fs::create_dir(&probe)?;
        let mode = fs::metadata(&probe)?.permissions().mode();
        fs::remove_dir(&probe)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(mode))
    };
    open().map_err(|error| Failure::io("setting permissions", folder, &error))
}

#[cfg(not(unix))]
fn open_permissions(_folder: &Path) -> Result<()> {
    Ok(())
}

/// Puts the staged folder where the target is to be. An empty folder there gives way, and comes back on failure.
fn replace_folder(staged: &tempfile::TempDir, target: &Path) -> Result<()> {
    let failed = |error: io::Error| Failure::io("moving the project into place", target, &error);
    let settings = target.join(settings::FILE);
    let kept = fs::read(&settings).ok();
    if kept.is_some() {
        fs::remove_file(&settings).map_err(failed)?;
    }
    let renamed = fs::rename(staged.path(), target).or_else(|error| {
        // Some systems do not rename onto an empty folder.
        if target.is_dir() && fs::remove_dir(target).is_ok() {
            fs::rename(staged.path(), target).inspect_err(|_| {
                let _ = fs::create_dir(target);
            })
        } else {
            Err(error)
        }
    });
    if renamed.is_err()
        && let Some(bytes) = kept
    {
        let _ = fs::write(&settings, bytes);
    }
    renamed.map_err(failed)
}

/// Writes into a folder with other files: staged whole, then moved file by file, undone if one of them fails.
fn write_into(plan: &Plan, target: &Path, applied: &Applied) -> Result<()> {
    for (path, _) in plan.files() {
        check_path(target, path)?;
    }
    let staged = stage(target, plan)?;
    let aside = staged.path().join(".aside");
    let mut done: Vec<&Path> = Vec::new();
    for path in applied.created.iter().chain(&applied.replaced) {
        if let Err(error) = swap(staged.path(), &aside, target, path) {
            for path in done.iter().rev() {
                let _ = restore(&aside, target, path);
            }
            return Err(Failure::io(
                "moving a file into place",
                &target.join(path),
                &error,
            ));
        }
        done.push(path);
    }
    Ok(())
}

/// No part of a path may be a file or lead elsewhere.
fn check_path(target: &Path, path: &Path) -> Result<()> {
    let mut at = target.to_path_buf();
    let parts: Vec<Component<'_>> = path.components().collect();
    for (index, part) in parts.iter().enumerate() {
        at.push(part);
        let Ok(data) = fs::symlink_metadata(&at) else {
            return Ok(());
        };
        let last = index + 1 == parts.len();
        if data.is_symlink() {
            return Err(in_the_way(
                &at,
                "a symbolic link stands where the project has a file or a folder",
            ));
        }
        if data.is_dir() && last {
            return Err(in_the_way(&at, "a folder stands where a file belongs"));
        }
        if !data.is_dir() && !last {
            return Err(in_the_way(&at, "a file stands where a folder belongs"));
        }
    }
    Ok(())
}

fn in_the_way(path: &Path, what: &str) -> Failure {
    Problem::new(what)
        .at(Place::Path(path.to_path_buf()))
        .mend("move it away, or choose another name for the project")
        .input()
}

fn swap(staged: &Path, aside: &Path, target: &Path, path: &Path) -> io::Result<()> {
    let (new, place, old) = (staged.join(path), target.join(path), aside.join(path));
    if let Some(parent) = place.parent() {
        fs::create_dir_all(parent)?;
    }
    if place.exists() {
        if let Some(parent) = old.parent() {
            fs::create_dir_all(parent)?;
        }
        // A copy, so that the place is never empty: the rename below replaces it in one step.
        fs::copy(&place, &old)?;
    }
    fs::rename(&new, &place)
}

fn restore(aside: &Path, target: &Path, path: &Path) -> io::Result<()> {
    let (place, old) = (target.join(path), aside.join(path));
    if old.exists() {
        fs::rename(&old, &place)
    } else {
        fs::remove_file(&place)
    }
}
