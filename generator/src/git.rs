//! A git repository for a new project, as `cargo new` makes one.

use std::path::Path;
use std::process::{Command, Stdio};

/// Whether the folder will lie in a repository already.
pub(crate) fn inside_repository(target: &Path) -> bool {
    let absolute = std::path::absolute(target).unwrap_or_else(|_| target.to_path_buf());
    absolute
        .ancestors()
        .any(|folder| folder.join(".git").exists() || folder.join(".hg").exists())
}

/// Makes a repository. A project is whole without one, so what goes wrong is a note, not an error.
pub(crate) fn init(folder: &Path) -> Option<String> {
    let output = Command::new("git")
        .args(["init", "--quiet"])
        .arg(folder)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(format!(
            "git init failed: {}; the project has no repository",
            String::from_utf8_lossy(&output.stderr)
                .trim()
                .replace('\n', ", ")
        )),
        Err(error) => Some(format!(
            "git does not run ({error}); the project has no repository"
        )),
    }
}
