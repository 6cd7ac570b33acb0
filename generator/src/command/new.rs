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
use crate::workspace::Joining;
use crate::{assemble, conversation, crates, git, preview};

pub(crate) fn run(flags: &New, shell: Shell) -> Result<()> {
    if !flags.dry_run
        && let Some(note) = apply::recover(&flags.path)?
    {
        shell.status("Note", &note);
    }
    apply::check(&flags.path, flags.force)?;
    let joining = Joining::of(&flags.path)?;
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
    // Written beside its place first: a full disk shows before the project is there.
    let manifest = match &joining {
        Joining::Joins { manifest, text, .. } if !flags.dry_run => {
            Some(apply::Pending::stage(manifest, text)?)
        }
        _ => None,
    };
    let mut applied = apply::apply(&plan, &flags.path, mode)?;
    match manifest.map(apply::Pending::commit) {
        Some(Err(failure)) => applied.notes.push(format!(
            "the project is not yet a member of the workspace around it: {failure}"
        )),
        _ => applied.notes.extend(joining.told(flags.dry_run)),
    }
    tell(flags, &operator, &plan, &applied, shell);
    Ok(())
}

/// Everything that can be wrong with the input is found here.
pub(crate) fn model(flags: &New, shell: Shell) -> Result<Operator> {
    let settings = settings_file(flags)
        .map(|path| Settings::read(&path))
        .transpose()?;
    let collect = |ask: &mut dyn Ask| Answers::collect(flags, settings.as_ref(), ask);
    if flags.yes || !shell.is_human() || !prompt::somebody_is_there() {
        return assemble::operator(&collect(&mut Nobody)?);
    }
    conversation::hold(&mut Terminal, &collect, &|answers| {
        let operator = assemble::operator(answers)?;
        let plan = Plan::render(&operator, Vec::new())?;
        let preview = preview::of(&operator, plan.own_files().map(|(path, _)| path));
        Ok((operator, preview))
    })
}

fn settings_file(flags: &New) -> Option<PathBuf> {
    flags.from.clone().or_else(|| {
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
            &format!("operator `{}` for {}", operator.name, kinds(operator)),
        );
    }
    for note in applied.notes.iter().map(String::as_str) {
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
            "\n  cd {}\n  cargo test       # the incident suite: no cluster needed\n  cargo opgen dev  # the operator live, on an in-memory API server\n  cargo run -- manifests | kubectl apply -f -\n",
            flags.path.display()
        ));
    }
}

/// `kind `A``, or `kinds `A` and `B``.
fn kinds(operator: &Operator) -> String {
    let names: Vec<String> = operator
        .resources
        .iter()
        .map(|resource| format!("`{}`", resource.kind))
        .collect();
    let word = if names.len() == 1 { "kind" } else { "kinds" };
    format!("{word} {}", names.join(" and "))
}
