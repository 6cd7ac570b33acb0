//! The status of a machine's resource: where the runtime's own fields live, what counts as a change, and the patch.

mod bounds;
pub mod conditions;
mod diff;
mod merge;
mod normal;
mod patcher;
mod plan;
pub(crate) mod quantity;
mod rules;
mod sensitive;
mod state;
mod texts;

pub use bounds::{Limits, json_bytes};
pub use conditions::{Conditions, converged_generation, entered_at};
pub use merge::three_way;
pub use normal::{normalise, semantically_equal};
pub use patcher::{StatusPatcher, merge_patch};
pub(crate) use plan::plan_patch;
pub use plan::{MachineFields, PlanError, PlanInput, Planned, StatusWrite, only_condition, plan};
pub use rules::Rules;
pub use sensitive::Sensitive;
pub use state::{MachineState, PhaseField};

use serde::{Serialize, de::DeserializeOwned};

/// What the comparison must know of one field. `path` is a JSON pointer relative to the status; `*` is any list item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRule {
    /// Where.
    pub path: String,
    /// What.
    pub rule: Rule,
}

/// How a field compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Never a reason to write by itself.
    Volatile,
    /// A list whose items are told apart by these fields, in no order.
    ListMap(Vec<String>),
    /// A Kubernetes quantity: `1000m` equals `1`.
    Quantity,
    /// An RFC 3339 time: `…:00Z` equals `…:00.000Z`.
    Time,
    /// A list that keeps its newest items only.
    Bounded(usize),
}

/// What `#[derive(StatusDiff)]` knows of a status type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known as a status",
    note = "add `#[derive(StatusDiff)]` to it"
)]
pub trait StatusDiff: Sized {
    /// The rules of its fields and of those nested in it.
    fn rules() -> Vec<FieldRule>;
}

/// Where the runtime's own fields are in a status: JSON pointers relative to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachinePaths {
    /// The phase's name.
    pub phase: &'static str,
    /// When it was entered, in microseconds.
    pub phase_entered_at: &'static str,
    /// The generation that was last seen.
    pub observed_generation: &'static str,
    /// The conditions.
    pub conditions: &'static str,
}

impl Default for MachinePaths {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl MachinePaths {
    /// Where generated CRDs have them.
    pub const DEFAULT: Self = Self {
        phase: "/phase",
        phase_entered_at: "/phaseEnteredAt",
        observed_generation: "/observedGeneration",
        conditions: "/conditions",
    };
}

/// A status with room for a machine. Implemented by `#[derive(StatusDiff)]`.
pub trait MachineStatus:
    StatusDiff + Clone + Default + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// Where the runtime's own fields are.
    const PATHS: MachinePaths;
}
