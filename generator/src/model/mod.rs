//! The validated model of an operator: the last place where input can fail.
//!
//! Everything after it (context, layers, plan) is a pure function of an [`Operator`].

mod machine;
mod names;
mod operator;
mod reserved;

pub(crate) use machine::{DEFAULT, DEFAULT_INSIDE};
pub use machine::{Deadline, Machine, Phase, Role, Span};
pub(crate) use names::stem;
pub use names::{
    ApiGroup, ApiVersion, CrateName, K8sVersion, Kind, PhaseName, Plural, Scope, ShortName,
};
pub use operator::{Adopted, Crates, External, Operator, Resource};
