//! The hazards, by group: what is done about each, where, and what proves it.

use opgen_runtime::__mutants::Mutant;

/// One row.
pub struct Hazard {
    pub id: &'static str,
    pub title: &'static str,
    /// What the runtime and the generated project do without being asked.
    pub default: &'static str,
    /// Cases of `tests/ui/fail`: what does not compile.
    pub compile: &'static [&'static str],
    /// Ids reserved for the linter.
    pub lint: &'static [&'static str],
    pub signals: &'static [Signal],
    pub incidents: &'static [Incident],
}

/// By what a hazard is seen.
#[derive(Clone, Copy)]
pub enum Signal {
    Metric(&'static str),
    Condition(&'static str),
    Event(&'static str),
    Endpoint(&'static str),
    /// Something else, in words.
    Other(&'static str),
}

/// A test that reproduces a hazard, and the mutants on which it must fail.
pub struct Incident {
    pub name: &'static str,
    pub run: fn(),
    pub mutants: &'static [Mutant],
}

/// Declares rows; see `table/*.rs`.
macro_rules! hazards {
    ($($id:ident $title:literal {
        default: $default:literal,
        compile: [$($ui:literal),* $(,)?],
        lint: [$($lint:literal),* $(,)?],
        signals: [$($signal:ident($what:literal)),* $(,)?],
        incidents: [$($module:ident :: $test:ident kills [$($mutant:ident),* $(,)?]),* $(,)?],
    })*) => {
        pub(super) const HAZARDS: &[$crate::table::Hazard] = &[$(
            $crate::table::Hazard {
                id: stringify!($id),
                title: $title,
                default: $default,
                compile: &[$($ui),*],
                lint: &[$($lint),*],
                signals: &[$($crate::table::Signal::$signal($what)),*],
                incidents: &[$(
                    $crate::table::Incident {
                        name: concat!(stringify!($module), "::", stringify!($test)),
                        run: $crate::$module::$test,
                        mutants: &[$(opgen_runtime::__mutants::Mutant::$mutant),*],
                    },
                )*],
            },
        )*];
    };
}

mod cache;
mod children;
mod deletion;
mod hangs;
mod identity;
mod operation;
mod provider;
mod queue;
mod writes;

/// All rows, in the order of their ids.
pub fn hazards() -> Vec<&'static Hazard> {
    let groups = [
        cache::HAZARDS,
        children::HAZARDS,
        deletion::HAZARDS,
        hangs::HAZARDS,
        identity::HAZARDS,
        operation::HAZARDS,
        provider::HAZARDS,
        queue::HAZARDS,
        writes::HAZARDS,
    ];
    let mut all: Vec<_> = groups.into_iter().flatten().collect();
    all.sort_by_key(|hazard| hazard.id);
    all
}
