//! Puts a plan on disk, or says what it would do. The only module that writes a project.
//!
//! A new project is written into a folder beside its target and renamed: a full disk or a kill in the middle leaves the
//! target as it was. A folder that is not empty (`--force`), or that the shell stands in, is filled in place, under a
//! journal (see `journal`): what fails is undone at once, and what a kill cut by the next command that writes there.

mod journal;
pub(crate) mod lock;

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
    let state = State::allowed(target, force)?;
    let mut applied = compare(plan, target)?;
    if let Mode::Write { git, .. } = mode {
        let in_place = matches!(state, State::Full(_)) || is_inside(target);
        if in_place {
            write_into(plan, target, &applied)?;
            if git {
                applied.notes.extend(git::init(target));
            }
        } else {
            write_new(plan, target, git, &mut applied)?;
        }
    }
    Ok(applied)
}

/// Whether a project may be put there. Asked before questions are, so that nobody answers them in vain.
///
/// # Errors
/// If the target is a file, cannot be looked at, or is not empty and `force` is not given.
pub fn check(target: &Path, force: bool) -> Result<()> {
    State::allowed(target, force).map(drop)
}

/// Undoes what a killed process left half-written in a folder; what a person is told about it, if there was something.
///
/// # Errors
/// If that process still runs, or the disk refuses.
pub fn recover(target: &Path) -> Result<Option<String>> {
    let was_cut = journal::recover(target)?;
    Ok(was_cut.then(|| {
        format!(
            "an earlier command was killed while it wrote to `{}`; its changes were undone first",
            target.display()
        )
    }))
}

/// One file that is to be replaced: written beside its place, moved there later in one step.
#[derive(Debug)]
pub struct Pending {
    file: tempfile::NamedTempFile,
    place: PathBuf,
}

impl Pending {
    /// Writes the new text beside the file. Where a link leads to, that is the file.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn stage(place: &Path, text: &str) -> Result<Self> {
        let write = || {
            let place = fs::canonicalize(place)?;
            let folder = place.parent().unwrap_or(Path::new("."));
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(text.as_bytes())?;
            fs::set_permissions(file.path(), fs::metadata(&place)?.permissions())?;
            Ok(Self { file, place })
        };
        write().map_err(|error| Failure::io("writing a file", place, &error))
    }

    /// Moves it into place.
    ///
    /// # Errors
    /// If the disk refuses; the file is then as it was.
    pub fn commit(self) -> Result<()> {
        let place = self.place;
        self.file
            .persist(&place)
            .map(drop)
            .map_err(|error| Failure::io("replacing a file", &place, &error.error))
    }
}

/// What is at the target.
enum State {
    Absent,
    Empty,
    Full(PathBuf),
}

impl State {
    fn allowed(target: &Path, force: bool) -> Result<Self> {
        match Self::of(target)? {
            Self::Full(example) if !force => Err(Problem::new(format!(
                "the folder is not empty: it holds `{}`",
                example.display()
            ))
            .at(Place::Path(target.to_path_buf()))
            .mend("choose another name, or pass --force to write into it (files of the same name are replaced)")
            .input()),
            state => Ok(state),
        }
    }

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
        replace_folder(&staged, &parent, &target)
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

/// Puts the staged folder where the target is to be. What is there (nothing, or settings that were read) is moved aside
/// in one step, comes back on failure, and is never written to.
fn replace_folder(staged: &tempfile::TempDir, parent: &Path, target: &Path) -> Result<()> {
    let failed = |error: io::Error| Failure::io("moving the project into place", target, &error);
    // Nothing there, or an empty folder: one step. Some systems do not replace even that.
    if fs::rename(staged.path(), target).is_ok() || exchange(staged.path(), target) {
        return Ok(());
    }
    if !target.exists() {
        return fs::rename(staged.path(), target).map_err(failed);
    }
    let aside = tempfile::Builder::new()
        .prefix(".opgen-")
        .tempdir_in(parent)
        .map_err(|error| Failure::io("making a folder", parent, &error))?;
    let old = aside.path().join("old");
    fs::rename(target, &old).map_err(failed)?;
    fs::rename(staged.path(), target).map_err(|error| {
        let _ = fs::rename(&old, target);
        failed(error)
    })
}

/// Swaps two folders in one step, where the system can.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    other.exists() && renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_one: &Path, _other: &Path) -> bool {
    false
}

/// Whether this process stands in the folder. A folder that is replaced would leave its shell in one that is gone.
fn is_inside(target: &Path) -> bool {
    let here = std::env::current_dir().and_then(fs::canonicalize);
    let target = fs::canonicalize(target);
    here.is_ok_and(|here| target.is_ok_and(|target| here.starts_with(target)))
}

/// Writes into a folder with other files: staged whole, then moved file by file, undone if one of them fails or the
/// process is killed.
fn write_into(plan: &Plan, target: &Path, applied: &Applied) -> Result<()> {
    for (path, _) in plan.files() {
        check_path(target, path)?;
    }
    let changed = |path: &Path| !applied.unchanged.iter().any(|same| same == path);
    let files = plan.files().filter(|(path, _)| changed(path));
    journal::Write::prepare(target, files, &applied.replaced)?.commit()
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
