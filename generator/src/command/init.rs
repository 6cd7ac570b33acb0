//! `init`: makes an operator of a crate that exists. Files and dependencies are added; none is overwritten or changed.

mod dependencies;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;
use toml_edit::DocumentMut;

use self::dependencies::Added;
use crate::apply::{self, Applied, Mode};
use crate::cli::{Init, New};
use crate::error::{Bag, Failure, Place, Problem, Result};
use crate::plan::{BASE, Plan};
use crate::shell::Shell;
use crate::{cargo, command, crates, settings};

const MANIFEST: &str = "Cargo.toml";
/// Where the author's own file takes ours in: the lines are printed.
const ROOTS: [&str; 2] = ["src/lib.rs", "src/main.rs"];

pub(crate) fn run(flags: &Init, shell: Shell) -> Result<()> {
    let flags = &New {
        path: cargo::folder(flags.manifest_path.as_deref(), &flags.new.path)?,
        ..flags.new.clone()
    };
    for (flag, given) in [("--vcs", flags.vcs.is_some()), ("--force", flags.force)] {
        if given {
            return Err(
                Problem::new("`init` never overwrites and leaves version control alone")
                    .at(Place::Flag(flag))
                    .mend("leave the flag out")
                    .input(),
            );
        }
    }
    if !flags.dry_run
        && let Some(note) = apply::recover(&flags.path)?
    {
        shell.status("Note", &note);
    }
    let package = Package::read(&flags.path)?;
    let operator = command::new::model(&package.answers(flags), shell)?;
    let rendered = Plan::render(&operator, crates::copies(&operator.crates)?)?;
    let fitted = Fitted::new(&rendered, &package)?;
    let mode = if flags.dry_run {
        Mode::DryRun { force: true }
    } else {
        Mode::Write {
            force: true,
            git: false,
        }
    };
    let applied = apply::apply(&fitted.plan, &package.folder, mode)?;
    tell(flags, &operator.name, &fitted, &applied, shell);
    Ok(())
}

/// The crate at hand.
struct Package {
    folder: PathBuf,
    name: String,
    manifest: DocumentMut,
}

impl Package {
    fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let wrong = |what: String, mend: &str| {
            Problem::new(what)
                .at(Place::Path(path.clone()))
                .mend(mend)
                .input()
        };
        if !path.is_file() {
            return Err(wrong(
                "there is no crate here".to_owned(),
                "go into the folder of its Cargo.toml, or make a new one: cargo opgen new NAME",
            ));
        }
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Failure::io("reading the manifest", &path, &error))?;
        let manifest: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            wrong(
                format!(
                    "the manifest is not TOML: {}",
                    error.message().replace('\n', ", ")
                ),
                "mend its syntax",
            )
        })?;
        let name = manifest
            .get("package")
            .and_then(|package| package.get("name"))
            .and_then(|name| name.as_str())
            .ok_or_else(|| {
                wrong(
                    "the manifest has no [package] with a name: it is a workspace, not a crate"
                        .to_owned(),
                    "name the folder of a member, or make a new one: cargo opgen new NAME",
                )
            })?
            .to_owned();
        Ok(Self {
            folder: folder.to_path_buf(),
            name,
            manifest,
        })
    }

    /// The flags as `new` would have got them: the name is the crate's, the settings are those in its folder.
    fn answers(&self, flags: &New) -> New {
        let inside = self.folder.join(settings::FILE);
        let absolute = std::path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone());
        New {
            from: flags
                .from
                .clone()
                .or_else(|| inside.is_file().then_some(inside)),
            path: absolute.with_file_name(&self.name),
            ..flags.clone()
        }
    }

    fn edition(&self) -> Option<&str> {
        self.manifest.get("package")?.get("edition")?.as_str()
    }
}

/// What is added to the crate, and what is left to its author.
struct Fitted {
    plan: Plan,
    /// Files of the author that stay as they are.
    kept: Vec<PathBuf>,
    /// What is to be added by hand: the file, and the lines.
    by_hand: Vec<(PathBuf, String)>,
    dependencies: Added,
    notes: Vec<String>,
}

impl Fitted {
    fn new(rendered: &Plan, package: &Package) -> Result<Self> {
        let mut files = BTreeMap::new();
        let (mut kept, mut by_hand, mut bag) = (Vec::new(), Vec::new(), Bag::default());
        for (path, bytes) in rendered.files() {
            let present = std::fs::read(package.folder.join(path)).ok();
            let is_ours = path.starts_with(BASE) || path.starts_with(crates::VENDOR);
            match present {
                _ if path == Path::new(MANIFEST) => {}
                None => {
                    files.insert(path.to_path_buf(), bytes.to_vec());
                }
                Some(present) if present == bytes || is_ours => {}
                Some(_) if ROOTS.iter().any(|root| path == Path::new(root)) => {
                    by_hand.push((path.to_path_buf(), code(bytes)));
                }
                Some(_) if path.starts_with("src") || path.starts_with("tests") => bag.push(
                    Problem::new("the crate has a file where the operator needs its own")
                        .at(Place::Path(package.folder.join(path)))
                        .mend("move it to another module; nothing of yours is overwritten"),
                ),
                Some(_) => kept.push(path.to_path_buf()),
            }
        }
        bag.finish()?;
        let manifest = rendered
            .files()
            .find(|(path, _)| *path == Path::new(MANIFEST))
            .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
            .unwrap_or_default();
        let (text, dependencies) = dependencies::add(&package.manifest, &manifest)?;
        files.insert(MANIFEST.into(), text.into_bytes());
        let mut notes = dependencies.notes.clone();
        if package.edition() != Some("2024") {
            notes.push("the code that is added is written for edition 2024: set `edition = \"2024\"` in [package]".to_owned());
        }
        Ok(Self {
            plan: Plan::of(files),
            kept,
            by_hand,
            dependencies,
            notes,
        })
    }
}

/// The lines of a file without its own documentation, which is about a file that is ours alone.
fn code(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("//!"))
        .collect();
    lines.join("\n").trim().to_owned()
}

fn tell(
    flags: &New,
    name: &impl std::fmt::Display,
    fitted: &Fitted,
    applied: &Applied,
    shell: Shell,
) {
    shell.data(&json!({
        "status": "ok",
        "dry-run": flags.dry_run,
        "name": name.to_string(),
        "path": flags.path,
        "created": applied.created,
        "kept": fitted.kept,
        "dependencies": fitted.dependencies.names,
        "by-hand": fitted.by_hand.iter().map(|(path, lines)| json!({"path": path, "lines": lines})).collect::<Vec<_>>(),
        "notes": fitted.notes,
    }));
    let own = |path: &&PathBuf| !path.starts_with(".opgen") && !path.starts_with(crates::VENDOR);
    let verb = if flags.dry_run { "Would add" } else { "Added" };
    shell.status(
        verb,
        &format!(
            "{} files to `{name}`",
            applied.created.iter().filter(own).count()
        ),
    );
    for path in applied.created.iter().filter(own) {
        shell.result(&format!("    {}", path.display()));
    }
    if !fitted.dependencies.names.is_empty() {
        let names = fitted.dependencies.names.join(", ");
        shell.status(verb, &format!("dependencies: {names}"));
    }
    for path in &fitted.kept {
        shell.status("Kept", &format!("your own {}", path.display()));
    }
    for note in &fitted.notes {
        shell.status("Note", note);
    }
    for (path, lines) in &fitted.by_hand {
        shell.note(&format!("\nAdd to {}:\n", path.display()));
        shell.result(&indented(lines));
    }
    if !flags.dry_run {
        shell.note("\n  cargo test       # the incident suite: no cluster needed\n  cargo opgen dev  # the operator live\n");
    }
}

fn indented(lines: &str) -> String {
    let indented: Vec<String> = lines
        .lines()
        .map(|line| {
            if line.is_empty() {
                String::new()
            } else {
                format!("    {line}")
            }
        })
        .collect();
    indented.join("\n")
}
