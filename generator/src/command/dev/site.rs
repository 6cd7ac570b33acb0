//! Where the operator runs: the one interface to the in-memory server and to a real cluster.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::process::Command;

use super::memory::Memory;
use super::project::Project;
use super::real::Real;
use crate::cli::Dev;
use crate::command::program::{Needs, Shown, documents};
use crate::error::{Place, Result};
use crate::shell::Board;

/// What lists objects; a handle of its own, for the table.
#[derive(Clone, Debug)]
pub(super) enum View {
    /// The server of this process.
    Memory(opgen_apiserver::Cluster),
    /// kubectl.
    Real,
}

/// Where it runs.
#[derive(Debug)]
pub(super) enum Site {
    /// A server of our own.
    Memory(Box<Memory>),
    /// Somebody's cluster.
    Real(Real),
}

impl Site {
    pub(super) async fn open(flags: &Dev, project: &Project, board: &Board) -> Result<Self> {
        if flags.real {
            Real::open(flags, board).await.map(Self::Real)
        } else {
            let memory = Memory::open(flags, project, board).await?;
            Ok(Self::Memory(Box::new(memory)))
        }
    }

    /// Applies what the program says it needs; the kinds it defines.
    pub(super) async fn install(&mut self, program: &Path) -> Result<Vec<Shown>> {
        let namespace = match self {
            Self::Memory(memory) => memory.namespace.clone(),
            Self::Real(real) => real.namespace.clone(),
        };
        let needs = Needs::of(program, namespace.as_deref()).await?;
        match self {
            Self::Memory(memory) => memory.install(&needs)?,
            Self::Real(real) => real.install(&needs).await?,
        }
        Ok(needs.shown())
    }

    /// Applies each sample whose text is new. What was changed or deleted by hand since stays so.
    pub(super) async fn apply_samples(
        &mut self,
        project: &Project,
        shown: &[Shown],
        board: &Board,
    ) -> Result<()> {
        let (applied, namespace) = match self {
            Self::Memory(memory) if memory.samples => (&mut memory.applied, &memory.namespace),
            Self::Real(real) if real.samples => (&mut real.applied, &real.namespace),
            _ => return Ok(()),
        };
        let mut new = Vec::new();
        for (path, text) in project.samples()? {
            if applied.get(&path) != Some(&text) {
                let mut objects = documents(&text, &Place::Path(path.clone()))?;
                for object in &mut objects {
                    move_into(object, namespace.as_deref(), shown);
                }
                applied.insert(path.clone(), text);
                new.push((path, objects));
            }
        }
        for (path, objects) in new {
            match self {
                Self::Memory(memory) => memory.apply(&objects),
                Self::Real(real) => real.apply(&objects).await,
            }
            .map_err(|mut failure| {
                for problem in &mut failure.problems {
                    problem.place = Some(Box::new(Place::Path(path.clone())));
                }
                failure
            })?;
            let name = path.strip_prefix(&project.folder).unwrap_or(&path);
            board.status("Applied", &name.display().to_string());
        }
        Ok(())
    }

    pub(super) fn view(&self) -> View {
        match self {
            Self::Memory(memory) => View::Memory(memory.cluster.clone()),
            Self::Real(_) => View::Real,
        }
    }

    /// Sets what the operator finds in its environment. Variables that the user has set are left alone.
    pub(super) fn environment(&self, command: &mut Command, project: &Project) {
        match self {
            Self::Memory(memory) => memory.environment(command, project),
            Self::Real(real) => real.environment(command),
        }
    }

    /// As whom it runs, against what.
    pub(super) fn identity(&self) -> String {
        match self {
            Self::Memory(memory) => memory.identity(),
            Self::Real(real) => real.identity(),
        }
    }

    pub(super) fn farewell(&self) -> &'static str {
        match self {
            Self::Memory(_) => "the operator and the in-memory server, with all that was in it",
            Self::Real(_) => "the operator; everything in the cluster stays as it is",
        }
    }
}

/// Samples that were applied, with the text they had.
pub(super) type AppliedSamples = BTreeMap<PathBuf, String>;

/// Puts a sample into the namespace that is worked in. Kinds that are not ours are namespaced if they say so.
fn move_into(object: &mut Value, namespace: Option<&str>, shown: &[Shown]) {
    let known = shown
        .iter()
        .find(|shown| object["kind"] == shown.kind.as_str());
    let namespaced = match known {
        Some(shown) => shown.namespaced,
        None => object["metadata"]["namespace"].is_string(),
    };
    if !namespaced || !object["metadata"].is_object() {
        return;
    }
    match namespace {
        Some(namespace) => object["metadata"]["namespace"] = namespace.into(),
        None if object["metadata"]["namespace"].is_null() => {
            object["metadata"]["namespace"] = "default".into();
        }
        None => {}
    }
}
