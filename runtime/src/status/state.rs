//! The runtime's own fields, for status types that have them at the default paths.

use std::{borrow::Cow, fmt};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::conditions;
use crate::phase::PhaseMachine;

/// What the runtime keeps in a status: flatten it into yours. Handlers read it; only the runtime writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", bound = "M: PhaseMachine")]
#[schemars(bound = "M: PhaseMachine")]
pub struct MachineState<M: PhaseMachine> {
    /// The phase of the object's life; absent in a new object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phase: Option<PhaseField<M>>,
    /// When the phase was entered, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    phase_entered_at: Option<String>,
    /// The generation that was last seen by the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    observed_generation: Option<i64>,
    /// Ready, Reconciling and Stalled as kstatus reads them, and the operator's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    conditions: Vec<Condition>,
}

impl<M: PhaseMachine> Default for MachineState<M> {
    fn default() -> Self {
        Self {
            phase: None,
            phase_entered_at: None,
            observed_generation: None,
            conditions: Vec::new(),
        }
    }
}

impl<M: PhaseMachine> MachineState<M> {
    /// The phase, if this version knows it; a new object is in the initial one.
    #[must_use]
    pub fn phase(&self) -> Option<M> {
        match &self.phase {
            None => Some(M::default()),
            Some(PhaseField::Known(phase)) => Some(*phase),
            Some(PhaseField::Unknown(_)) => None,
        }
    }

    /// The generation last seen.
    #[must_use]
    pub fn observed_generation(&self) -> Option<i64> {
        self.observed_generation
    }

    /// All conditions.
    #[must_use]
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Sets a condition of the author's own. One whose status does not flip keeps its `lastTransitionTime`. Types that
    /// the runtime owns ([`conditions::OWNED`]) are left alone: it derives them from the phase.
    pub fn set_condition(&mut self, mut condition: Condition) {
        if conditions::is_owned(&condition.type_) {
            return;
        }
        let mut known = self.conditions.iter_mut();
        match known.find(|known| known.type_ == condition.type_) {
            None => self.conditions.push(condition),
            Some(known) => {
                if known.status == condition.status {
                    condition.last_transition_time = known.last_transition_time.clone();
                }
                *known = condition;
            }
        }
    }

    /// Removes a condition of the author's own.
    pub fn remove_condition(&mut self, kind: &str) {
        if !conditions::is_owned(kind) {
            self.conditions.retain(|condition| condition.type_ != kind);
        }
    }

    /// The condition of that type.
    #[must_use]
    pub fn condition(&self, kind: &str) -> Option<&Condition> {
        self.conditions
            .iter()
            .find(|condition| condition.type_ == kind)
    }
}

/// A phase as stored: after a rollback it may be one that this version does not know.
#[derive(Clone, PartialEq, Eq)]
pub enum PhaseField<M> {
    /// One of the enum's.
    Known(M),
    /// Another version's; kept as it is.
    Unknown(String),
}

impl<M: PhaseMachine> fmt::Debug for PhaseField<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(phase) => f.write_str(phase.name()),
            Self::Unknown(name) => write!(f, "unknown {name:?}"),
        }
    }
}

impl<M: PhaseMachine> Serialize for PhaseField<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(phase) => serializer.serialize_str(phase.name()),
            Self::Unknown(name) => serializer.serialize_str(name),
        }
    }
}

impl<'de, M: PhaseMachine> Deserialize<'de> for PhaseField<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(M::from_name(&name).map_or(Self::Unknown(name), Self::Known))
    }
}

impl<M: PhaseMachine> JsonSchema for PhaseField<M> {
    fn schema_name() -> Cow<'static, str> {
        M::GRAPH.machine.into()
    }

    fn inline_schema() -> bool {
        true
    }

    /// A plain string: an enum in the CRD would make every write fail after a rollback.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = M::ALL.iter().map(|phase| phase.name()).collect();
        schemars::json_schema!({
            "type": "string",
            "description": format!("One of {}.", names.join(", ")),
        })
    }
}
