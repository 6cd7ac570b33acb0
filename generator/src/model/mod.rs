//! The validated model of an operator: the last place where input can fail.
//!
//! Everything after it (context, layers, plan) is a pure function of an [`Operator`].

mod builtin;
mod k8s;
mod machine;
mod names;
mod operator;
mod related;
mod reserved;
mod scope;

pub(crate) use builtin::kinds as built_in_kinds;
pub use builtin::{BuiltIn, Progress, Take};
pub use k8s::K8sVersion;
pub(crate) use machine::{DEFAULT, DEFAULT_INSIDE, DEFAULT_RELATED};
pub use machine::{Deadline, Machine, Phase, Role, Span};
pub use names::{ApiGroup, ApiVersion, CrateName, Kind, PhaseName, Plural, ShortName};
pub(crate) use names::{dns_label, stem};
pub use operator::{Adopted, Crates, External, Operator, Resource};
pub use related::{Foreign, Related, Use};
pub use scope::Scope;

/// Whether a name is a keyword of Rust.
pub(crate) fn is_keyword(name: &str) -> bool {
    reserved::KEYWORDS.contains(&name)
}
