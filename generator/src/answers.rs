//! The one place where flags, `opgen.toml`, prompts and defaults meet. Nothing is checked here.

mod merge;
mod questions;

use std::path::PathBuf;

use self::merge::Merge;
use crate::cli::New;
use crate::error::{Place, Problem, Result};
use crate::settings::Settings;

/// A value, and where it came from, so that a later complaint can point there.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// What was answered.
    pub value: T,
    /// By whom.
    pub place: Place,
}

/// Where the opgen crates come from, as answered.
#[derive(Clone, Debug)]
pub enum Source {
    /// Whatever fits this program: a checkout if it was built from one, the registry otherwise.
    Fitting,
    /// The registry.
    Registry,
    /// A checkout.
    Path(Answer<PathBuf>),
    /// Copies, from the checkout named or from the one this program was built from.
    Vendor(Option<Answer<PathBuf>>),
}

/// Everything `new` wants to know.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The package's name.
    pub name: Answer<String>,
    /// The kinds; at least one.
    pub kinds: Vec<KindAnswers>,
    /// The Kubernetes version.
    pub k8s: Option<Answer<String>>,
    /// Where the crates come from.
    pub source: Source,
}

/// What is asked of one kind.
#[derive(Clone, Debug)]
pub struct KindAnswers {
    /// The kind; empty leaves it to the CRD.
    pub kind: Answer<String>,
    /// The group.
    pub group: Answer<String>,
    /// The version; `None` takes the default, or the CRD's storage version.
    pub version: Option<Answer<String>>,
    /// The plural; `None` derives it from the kind.
    pub plural: Option<Answer<String>>,
    /// Short names, each with its place.
    pub short: Vec<Answer<String>>,
    /// The scope.
    pub scope: Option<Answer<String>>,
    /// The phases, each with its place; none leaves them to what is managed.
    pub phases: Vec<Answer<String>>,
    /// What is managed outside.
    pub external: Answer<String>,
    /// Kinds of children, each with its place.
    pub owns: Vec<Answer<String>>,
    /// Kinds of dependencies, each with its place.
    pub watches: Vec<Answer<String>>,
    /// The CRD to adopt.
    pub from_crd: Option<Answer<PathBuf>>,
}

/// Something that can be asked; answers `None` where nobody is there.
pub trait Ask {
    /// Asks for a line of text.
    ///
    /// # Errors
    /// If the conversation was broken off.
    fn text(
        &mut self,
        question: &str,
        default: &str,
        check: fn(&str) -> Result<(), Problem>,
    ) -> Result<Option<String>>;

    /// Asks for one of several.
    ///
    /// # Errors
    /// If the conversation was broken off.
    fn choice(
        &mut self,
        question: &str,
        choices: &[(&'static str, &'static str)],
    ) -> Result<Option<String>>;
}

/// Nobody to ask: every default is taken.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Ask for Nobody {
    fn text(
        &mut self,
        _: &str,
        _: &str,
        _: fn(&str) -> Result<(), Problem>,
    ) -> Result<Option<String>> {
        Ok(None)
    }

    fn choice(&mut self, _: &str, _: &[(&'static str, &'static str)]) -> Result<Option<String>> {
        Ok(None)
    }
}

impl Answers {
    /// Merges: a flag wins over the file, the file over a prompt, a prompt over the default.
    ///
    /// # Errors
    /// If the conversation was broken off, the target folder has no name, or a flag about a kind meets a file with
    /// several.
    pub fn collect(flags: &New, settings: Option<&Settings>, ask: &mut dyn Ask) -> Result<Self> {
        let written = settings.map_or(&[][..], |settings| &settings.fields.kind);
        if let (true, Some(flag)) = (written.len() > 1, flags.about_a_kind()) {
            return Err(Problem::new(format!(
                "`{flag}` is about one kind, and the settings have {}",
                written.len()
            ))
            .at(Place::Flag(flag))
            .mend("change the [[kind]] in the file that it is meant for")
            .input());
        }
        let merge = |index| Merge {
            settings,
            kind: written.get(index).cloned().unwrap_or_default(),
            is_written: index < written.len(),
            index,
        };
        let name = merge(0).name(&flags.path)?;
        let kinds = (0..written.len().max(1))
            .map(|index| merge(index).kind(flags, &name.value, ask))
            .collect::<Result<_>>()?;
        Ok(Self {
            k8s: merge(0).k8s(flags),
            source: merge(0).source(flags),
            kinds,
            name,
        })
    }
}
