//! The files that the program is made of, looked at for changes by time and size, which any file system has: those of the
//! project's own folder and of the members of its workspace that it depends on. Path dependencies outside of the workspace
//! are not looked at.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tokio::time::sleep;

use super::project::Project;

type Stamp = (Option<SystemTime>, u64);

/// The files of a project as they were.
#[derive(Debug)]
pub(super) struct Sources {
    folders: Vec<PathBuf>,
    seen: BTreeMap<PathBuf, Stamp>,
    changed: Vec<PathBuf>,
}

impl Sources {
    pub(super) fn of(project: &Project) -> Self {
        Self {
            seen: stamps(&project.sources),
            folders: project.sources.clone(),
            changed: Vec::new(),
        }
    }

    /// Returns once something has changed and nothing has for as long as `look`: an editor may write several files.
    pub(super) async fn changed(&mut self, look: Duration) {
        let mut pending: Option<BTreeMap<PathBuf, Stamp>> = None;
        loop {
            sleep(look).await;
            let now = stamps(&self.folders);
            match pending {
                Some(before) if before == now => {
                    self.changed = differences(&self.seen, &now);
                    self.seen = now;
                    // Changed and changed back: nothing to build.
                    if !self.changed.is_empty() {
                        return;
                    }
                    pending = None;
                }
                None if now == self.seen => {}
                _ => pending = Some(now),
            }
        }
    }

    /// The files that changed last, in few words.
    pub(super) fn what_changed(&self) -> String {
        let names: Vec<String> = self
            .changed
            .iter()
            .map(|path| {
                // Below the project, or else in full: whose file it is has to be seen.
                let short = path.strip_prefix(&self.folders[0]).unwrap_or(path);
                short.display().to_string()
            })
            .collect();
        match &names[..] {
            [] => "nothing".to_owned(),
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        }
    }
}

fn differences(before: &BTreeMap<PathBuf, Stamp>, now: &BTreeMap<PathBuf, Stamp>) -> Vec<PathBuf> {
    let mut changed: Vec<PathBuf> = now
        .iter()
        .filter(|(path, stamp)| before.get(*path) != Some(stamp))
        .map(|(path, _)| path.clone())
        .collect();
    changed.extend(
        before
            .keys()
            .filter(|path| !now.contains_key(*path))
            .cloned(),
    );
    changed
}

fn stamps(folders: &[PathBuf]) -> BTreeMap<PathBuf, Stamp> {
    let mut found = BTreeMap::new();
    for folder in folders {
        walk(folder, &mut found);
    }
    found
}

fn walk(folder: &Path, found: &mut BTreeMap<PathBuf, Stamp>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // A link may lead back to where we came from; a hidden file is no source.
        if name.starts_with('.') {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                let built = path.join("CACHEDIR.TAG").exists() || name == "target";
                if !built {
                    walk(&path, found);
                }
            }
            Ok(kind) if kind.is_file() && is_source(&path) => {
                if let Ok(data) = entry.metadata() {
                    found.insert(path, (data.modified().ok(), data.len()));
                }
            }
            _ => {}
        }
    }
}

/// What cargo or the samples are made of. An editor's backup, a note or a log is neither.
fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        ["rs", "toml", "yaml", "yml", "json"]
            .iter()
            .any(|known| extension == *known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_count() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in [
            "src/a.rs",
            "Cargo.toml",
            "src/a.rs~",
            "target/b.rs",
            ".git/c.rs",
            "notes.txt",
        ] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            std::fs::write(path, "x").expect("written");
        }
        let folders = [folder.path().to_path_buf()];
        let before = stamps(&folders);
        assert_eq!(before.len(), 2, "{before:?}");
        std::fs::write(folder.path().join("src/a.rs"), "longer").expect("written");
        std::fs::remove_file(folder.path().join("Cargo.toml")).expect("removed");
        let changed = differences(&before, &stamps(&folders));
        assert_eq!(
            changed,
            [
                folder.path().join("src/a.rs"),
                folder.path().join("Cargo.toml")
            ]
        );
    }
}
