//! Where the opgen crates of a generated project come from: the registry, a checkout, or copies of one.

use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item};

use crate::answers::Source;
use crate::error::{Failure, Place, Problem, Result};
use crate::model::Crates;

/// The crates a project needs, by folder, with what they are called. Everything they need of ours is among them.
pub(crate) const FOLDERS: &[(&str, &str)] = &[
    ("apiserver", "opgen-apiserver"),
    ("macros", "opgen-macros"),
    ("phase-model", "opgen-phase-model"),
    ("runtime", "opgen-runtime"),
    ("testkit", "opgen-testkit"),
];

/// Where copies go, below the project.
pub(crate) const VENDOR: &str = "vendor/opgen";

/// Decides where the crates come from.
///
/// # Errors
/// If a folder that was named is no checkout, or copies are wanted and there is nothing to copy.
pub fn resolve(source: &Source) -> Result<Crates> {
    match source {
        Source::Registry => Ok(Crates::Registry),
        Source::Fitting => Ok(built_from().map_or(Crates::Registry, Crates::Path)),
        Source::Path(path) => checkout(&path.value, &path.place).map(Crates::Path),
        Source::Vendor(Some(path)) => {
            checkout(&path.value, &path.place).map(|from| Crates::Vendored { from })
        }
        Source::Vendor(None) => match built_from() {
            Some(from) => Ok(Crates::Vendored { from }),
            None => Err(Problem::new("there is nothing to copy: this program was installed from a package, not built from a checkout")
                .at(Place::Flag("--vendor"))
                .mend("name a checkout too: `--vendor --opgen-path DIR`")
                .input()),
        },
    }
}

/// The checkout that this program was built from, if it is still there.
pub(crate) fn built_from() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    is_checkout(folder).then(|| folder.to_path_buf())
}

fn is_checkout(folder: &Path) -> bool {
    FOLDERS
        .iter()
        .all(|(inside, _)| folder.join(inside).join("Cargo.toml").is_file())
}

fn checkout(path: &Path, place: &Place) -> Result<PathBuf> {
    let wrong = |why: &str| {
        Problem::new(format!("`{}` {why}", path.display()))
            .at(place.clone())
            .mend("name the top folder of a checkout of opgen, the one with `runtime/Cargo.toml` in it")
            .input()
    };
    let folder = std::fs::canonicalize(path).map_err(|_| wrong("cannot be opened"))?;
    if is_checkout(&folder) {
        Ok(folder)
    } else {
        Err(wrong("is not a checkout of opgen"))
    }
}

/// The part of a dependency line in the generated `Cargo.toml` that says where the crate comes from.
pub(crate) fn requirement(crates: &Crates, folder: &str) -> String {
    let quoted =
        |path: String| format!("path = {}", toml_edit::Value::from(path).to_string().trim());
    match crates {
        Crates::Registry => format!("version = \"{}\"", env!("CARGO_PKG_VERSION")),
        Crates::Path(checkout) => quoted(checkout.join(folder).to_string_lossy().into_owned()),
        Crates::Vendored { .. } => quoted(format!("{VENDOR}/{folder}")),
    }
}

/// The lock file of the checkout that the crates come from: a project that begins with it resolves nothing anew.
pub(crate) fn lock_file(crates: &Crates) -> Option<Vec<u8>> {
    let (Crates::Path(checkout) | Crates::Vendored { from: checkout }) = crates else {
        return None;
    };
    std::fs::read(checkout.join("Cargo.lock")).ok()
}

/// The copies, each with its path in the project; none where the crates come from elsewhere.
///
/// # Errors
/// If the checkout cannot be read.
pub fn copies(crates: &Crates) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let Crates::Vendored { from } = crates else {
        return Ok(Vec::new());
    };
    let vendor = Path::new(VENDOR);
    let mut files = vec![(
        vendor.join("Cargo.toml"),
        workspace_manifest(from)?.into_bytes(),
    )];
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        if let Ok(text) = std::fs::read(from.join(name)) {
            files.push((vendor.join(name), text));
        }
    }
    for (folder, _) in FOLDERS {
        copy(&from.join(folder), &vendor.join(folder), &mut files)?;
    }
    Ok(files)
}

/// Tests, benches and build products stay behind: a vendored crate is built, never tested.
fn copy(from: &Path, to: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<()> {
    let failed = |error: std::io::Error| Failure::io("copying the opgen crates", from, &error);
    let mut entries: Vec<_> = std::fs::read_dir(from)
        .map_err(failed)?
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let (source, target) = (entry.path(), to.join(&name));
        let kind = entry.file_type().map_err(failed)?;
        let skipped = ["tests", "benches", "examples", "target"]
            .iter()
            .any(|skipped| name == *skipped)
            || name.to_string_lossy().starts_with('.');
        if skipped {
            continue;
        } else if kind.is_dir() {
            copy(&source, &target, files)?;
        } else if name == "Cargo.toml" {
            files.push((target, package_manifest(&source)?.into_bytes()));
        } else if kind.is_file() {
            let bytes = std::fs::read(&source)
                .map_err(|error| Failure::io("copying the opgen crates", &source, &error))?;
            files.push((target, bytes));
        }
    }
    Ok(())
}

/// The checkout's own workspace, cut down to what is copied: the crates inherit from it.
fn workspace_manifest(checkout: &Path) -> Result<String> {
    let mut manifest = parsed(&checkout.join("Cargo.toml"))?;
    manifest.retain(|key, _| key == "workspace");
    if let Some(workspace) = manifest.get_mut("workspace").and_then(Item::as_table_mut) {
        let members: toml_edit::Array = FOLDERS.iter().map(|(folder, _)| *folder).collect();
        workspace["members"] = toml_edit::value(members);
        workspace.remove("exclude");
        workspace.remove("default-members");
        if let Some(dependencies) = workspace
            .get_mut("dependencies")
            .and_then(Item::as_table_like_mut)
        {
            let left_behind: Vec<String> = dependencies
                .iter()
                .filter(|(name, item)| {
                    item.get("path").is_some() && !FOLDERS.iter().any(|(_, ours)| ours == name)
                })
                .map(|(name, _)| name.to_owned())
                .collect();
            for name in left_behind {
                dependencies.remove(&name);
            }
        }
    }
    Ok(manifest.to_string())
}

/// A crate's manifest without what stayed behind.
fn package_manifest(path: &Path) -> Result<String> {
    let mut manifest = parsed(path)?;
    for key in ["dev-dependencies", "test", "bench", "example"] {
        manifest.remove(key);
    }
    Ok(manifest.to_string())
}

fn parsed(path: &Path) -> Result<DocumentMut> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::io("reading a manifest", path, &error))?;
    text.parse().map_err(|error: toml_edit::TomlError| {
        Problem::new(format!(
            "the manifest does not parse: {}",
            error.message().replace('\n', ", ")
        ))
        .at(Place::Path(path.to_path_buf()))
        .environment()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_is_recognised() {
        let here = built_from().expect("tests run in a checkout");
        assert_eq!(
            requirement(&Crates::Path("/opt/opgen".into()), "runtime"),
            "path = \"/opt/opgen/runtime\""
        );
        assert!(is_checkout(&here));
    }

    #[test]
    fn copies_are_whole_crates_in_a_small_workspace() {
        let from = built_from().expect("tests run in a checkout");
        let files = copies(&Crates::Vendored { from }).expect("copied");
        let text = |path: &str| {
            let (_, bytes) = files
                .iter()
                .find(|(file, _)| file == Path::new(path))
                .unwrap_or_else(|| panic!("{path} is missing"));
            String::from_utf8(bytes.clone()).expect("text")
        };
        let root = text("vendor/opgen/Cargo.toml");
        assert!(root.contains("\"runtime\""), "{root}");
        assert!(!root.contains("opgen-templates"), "{root}");
        assert!(!root.contains("[patch"), "{root}");
        assert!(text("vendor/opgen/runtime/Cargo.toml").contains("opgen-runtime"));
        text("vendor/opgen/macros/src/lib.rs");
    }

    #[test]
    fn a_folder_that_is_no_checkout_is_refused() {
        let place = Place::Flag("--opgen-path");
        let failure = checkout(Path::new("/nowhere/at/all"), &place).expect_err("not there");
        assert!(failure.problems[0].what.contains("cannot be opened"));
        assert_eq!(failure.problems[0].place.as_deref(), Some(&place));
    }
}
