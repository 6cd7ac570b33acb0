//! A phase enum, read and checked.

mod check;
mod parse;

use std::time::Duration;

use proc_macro2::{Ident, Span};

use crate::Errors;

/// The budget of a machine that names none.
pub const DEFAULT_BUDGET: Duration = Duration::from_secs(60);

/// A phase enum.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The enum's name.
    pub name: Ident,
    /// The custom resource it drives; `None` only where the attribute is missing, which is an error.
    pub resource: Option<syn::Type>,
    /// What its handlers may use; `None` only where the attribute is missing, which is an error.
    pub context: Option<syn::Type>,
    /// The longest one run may take.
    pub budget: Duration,
    /// The CRD file that is the truth, relative to the source file.
    pub crd: Option<syn::LitStr>,
    /// Its phases, in the order of the enum.
    pub phases: Vec<Phase>,
}

/// One variant.
#[derive(Clone, Debug)]
pub struct Phase {
    /// The variant's name.
    pub name: Ident,
    /// Where the variant stands.
    pub span: Span,
    /// The first paragraph of its doc comment, on one line.
    pub doc: String,
    /// The arrows the enum declares; the implicit ones are in [`Machine::targets`] only.
    pub to: Vec<Arrow>,
    /// Where new objects start: `#[default]`.
    pub initial: bool,
    /// The object is as wanted.
    pub steady: bool,
    /// Where permanent errors lead.
    pub failed: bool,
    /// Entered on deletion.
    pub finalizer: bool,
    /// How long an object may stay.
    pub deadline: Option<Timer>,
    /// Where an expired deadline leads.
    pub on_deadline: Option<Arrow>,
    /// How often a settled object is looked at.
    pub resync: Option<Timer>,
    /// The variant has fields, which is an error.
    pub has_fields: bool,
    /// Something in its attributes could not be read, so what is missing in it proves nothing.
    pub(crate) damaged: bool,
}

/// A move to another phase.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// The phase it leads to.
    pub name: Ident,
    /// Where it is written.
    pub span: Span,
}

/// A duration and where it is written.
#[derive(Clone, Copy, Debug)]
pub struct Timer {
    /// How long.
    pub duration: Duration,
    /// Where it is written.
    pub span: Span,
}

impl Machine {
    /// Reads an enum and checks its graph.
    ///
    /// # Errors
    /// Everything that is wrong with it, as one combined error.
    pub fn from_enum(item: &syn::ItemEnum) -> syn::Result<Self> {
        let (machine, errors) = Self::read(item);
        errors.finish(machine)
    }

    /// Reads an enum as far as it can be read, and says what is wrong. The derive uses what is there to spare the
    /// author the errors that would follow from the first.
    pub fn read(item: &syn::ItemEnum) -> (Self, Errors) {
        let (machine, mut errors) = parse::machine(item);
        check::graph(&machine, &mut errors);
        (machine, errors)
    }

    /// Every enum of the file that derives `PhaseMachine`, inline modules included.
    ///
    /// # Errors
    /// Everything that is wrong with them, as one combined error.
    pub fn find_in_file(file: &syn::File) -> syn::Result<Vec<Self>> {
        let mut found = Vec::new();
        let mut errors = Errors::new();
        for item in parse::phase_enums(&file.items) {
            let (machine, wrong) = Self::read(item);
            errors.append(wrong);
            found.push(machine);
        }
        errors.finish(found)
    }

    /// The phase of that name.
    #[must_use]
    pub fn phase(&self, name: &Ident) -> Option<&Phase> {
        self.phases.iter().find(|phase| phase.name == *name)
    }

    /// The phase that permanent errors lead to.
    #[must_use]
    pub fn failed(&self) -> Option<&Phase> {
        self.phases.iter().find(|phase| phase.failed)
    }

    /// The phase entered on deletion.
    #[must_use]
    pub fn finalizer(&self) -> Option<&Phase> {
        self.phases.iter().find(|phase| phase.finalizer)
    }

    /// Where new objects start.
    #[must_use]
    pub fn initial(&self) -> Option<&Phase> {
        self.phases.iter().find(|phase| phase.initial)
    }

    /// Where `phase` may move to: its arrows, then the implicit one to the failed phase. No phase twice.
    #[must_use]
    pub fn targets<'a>(&'a self, phase: &'a Phase) -> Vec<&'a Ident> {
        let mut targets: Vec<&Ident> = Vec::new();
        let implicit = self
            .failed()
            .filter(|failed| !phase.finalizer && failed.name != phase.name)
            .map(|failed| &failed.name);
        for target in phase.to.iter().map(|arrow| &arrow.name).chain(implicit) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        targets
    }

    /// Whether a type of that name stands beside the enum already, as far as its attributes tell.
    #[must_use]
    pub fn is_taken(&self, name: &Ident) -> bool {
        let single = |ty: &syn::Type| match ty {
            syn::Type::Path(path) if path.qself.is_none() => path.path.get_ident().cloned(),
            _ => None,
        };
        *name == self.name
            || [&self.resource, &self.context]
                .into_iter()
                .flatten()
                .any(|ty| single(ty).as_ref() == Some(name))
    }
}
