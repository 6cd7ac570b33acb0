//! `new`: answers, model, plan, and only then the disk.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::answers::{Answers, Ask, Nobody};
use crate::apply::{self, Applied, Mode};
use crate::cli::{New, Vcs};
use crate::error::Result;
use crate::model::{Crates, Operator};
use crate::plan::Plan;
use crate::prompt::{self, Terminal};
use crate::settings::{self, Settings};
use crate::shell::Shell;
use crate::{assemble, crates, git};

pub(crate) fn run(flags: &New, shell: Shell) -> Result<()> {
    apply::check(&flags.path, flags.force)?;
    let operator = model(flags, shell)?;
    let plan = Plan::render(&operator, crates::copies(&operator.crates)?)?;
    let mode = if flags.dry_run {
        Mode::DryRun { force: flags.force }
    } else {
        let git = match flags.vcs {
            Some(vcs) => vcs == Vcs::Git,
            None => !git::inside_repository(&flags.path),
        };
        Mode::Write {
            force: flags.force,
            git,
        }
    };
    let applied = apply::apply(&plan, &flags.path, mode)?;
    tell(flags, &operator, &plan, &applied, shell);
    Ok(())
}

/// Everything that can be wrong with the input is found here.
pub(crate) fn model(flags: &New, shell: Shell) -> Result<Operator> {
    let settings = settings_file(flags)
        .map(|path| Settings::read(&path))
        .transpose()?;
    let ask: &mut dyn Ask = if flags.yes || !shell.is_human() || !prompt::somebody_is_there() {
        &mut Nobody
    } else {
        &mut Terminal
    };
    assemble::operator(&Answers::collect(flags, settings.as_ref(), ask)?)
}

fn settings_file(flags: &New) -> Option<PathBuf> {
    flags.config.clone().or_else(|| {
        let inside = flags.path.join(settings::FILE);
        inside.is_file().then_some(inside)
    })
}

fn tell(flags: &New, operator: &Operator, plan: &Plan, applied: &Applied, shell: Shell) {
    let files: Vec<&Path> = plan.files().map(|(path, _)| path).collect();
    shell.data(&json!({
        "status": "ok",
        "dry-run": flags.dry_run,
        "name": operator.name.as_str(),
        "path": flags.path,
        "files": files,
        "created": applied.created.len(),
        "replaced": applied.replaced,
        "notes": applied.notes,
    }));
    if flags.dry_run {
        shell.status(
            "Would write",
            &format!("{} files to `{}`", files.len(), flags.path.display()),
        );
        for (path, bytes) in plan.own_files() {
            shell.result(&format!("{:>8}  {}", bytes.len(), path.display()));
        }
        shell.note(&format!(
            "     and a copy of each in {}, the base of later merges",
            crate::plan::BASE
        ));
    } else {
        shell.status(
            "Created",
            &format!(
                "operator `{}` for kind `{}`",
                operator.name, operator.resources[0].kind
            ),
        );
    }
    for note in applied
        .notes
        .iter()
        .map(String::as_str)
        .chain(enclosing_workspace(&flags.path).as_deref())
    {
        shell.status("Note", note);
    }
    for addition in operator
        .resources
        .iter()
        .filter_map(|resource| resource.adopted.as_ref())
        .flat_map(|adopted| &adopted.additions)
    {
        shell.status("Added", &format!("to the CRD: {addition}"));
    }
    if matches!(operator.crates, Crates::Registry) && crates::built_from().is_some() {
        shell.status(
            "Note",
            "the project names published versions of the opgen crates",
        );
    }
    if !flags.dry_run {
        shell.note(&format!(
            "\n  cd {}\n  cargo test       # the incident suite: no cluster needed\n  cargo run -- manifests | kubectl apply -f -\n",
            flags.path.display()
        ));
    }
}

/// Cargo refuses a package inside a workspace that does not know it; say so before cargo does.
fn enclosing_workspace(target: &Path) -> Option<String> {
    let absolute = std::path::absolute(target).ok()?;
    let manifest = absolute
        .ancestors()
        .skip(1)
        .map(|folder| folder.join("Cargo.toml"))
        .find(|path| path.is_file())?;
    let parsed: toml_edit::DocumentMut = std::fs::read_to_string(&manifest).ok()?.parse().ok()?;
    let workspace = parsed.get("workspace")?;
    let folder = manifest.parent()?;
    let inside = absolute
        .strip_prefix(folder)
        .ok()?
        .to_string_lossy()
        .replace('\\', "/");
    let named = |key: &str| {
        workspace
            .get(key)
            .and_then(toml_edit::Item::as_array)
            .is_some_and(|entries| {
                entries
                    .iter()
                    .filter_map(toml_edit::Value::as_str)
                    .any(|entry| {
                        entry == inside
                            || entry.strip_suffix("/*").is_some_and(|above| {
                                Path::new(&inside).parent() == Some(Path::new(above))
                            })
                    })
            })
    };
    if named("members") || named("exclude") {
        return None;
    }
    Some(format!(
        "the project lies in the cargo workspace of {}: add \"{inside}\" to its `members` or to its `exclude`",
        manifest.display()
    ))
}
