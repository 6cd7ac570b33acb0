//! What the machine's own fields are called in a CRD, and what they hold.

use serde_json::{Value, json};

use super::{
    additions::StatusPaths,
    conditions,
    error::CrdError,
    live::Live,
    parse::CrdFile,
    schema::{Kind, Schema},
};

/// What the machine's fields are called in this CRD.
pub(super) struct Names {
    phase: String,
    phase_entered_at: String,
    observed_generation: String,
    pub(super) conditions: String,
}

impl Names {
    pub(super) fn choose(crd: &CrdFile, live: &[Live<'_>]) -> Result<Self, CrdError> {
        let all = |test: &dyn Fn(&Live<'_>) -> bool| live.iter().all(test);
        let phase = ["phase", "opgenPhase"].into_iter().find(|name| {
            let entered = format!("{name}EnteredAt");
            all(&|version| {
                let stamp = version.field(&entered);
                // A phase without our time stamp beside it is another operator's.
                let is_ours = version
                    .field(name)
                    .is_none_or(|field| holds_phase(field) && stamp.is_some());
                is_ours && stamp.is_none_or(holds_time)
            })
        });
        let generation = ["observedGeneration", "opgenObservedGeneration"]
            .into_iter()
            .find(|name| all(&|version| version.field(name).is_none_or(holds_generation)));
        let conditions = ["conditions", "opgenConditions"].into_iter().find(|name| {
            all(&|version| {
                version
                    .field(name)
                    .is_none_or(|field| conditions::missing(field).is_ok())
            })
        });
        let name = |found: Option<&str>, wanted: &str| {
            found.map(str::to_owned).ok_or_else(|| {
                let at = format!("/spec/versions/{}/schema/openAPIV3Schema/properties/status/properties/{wanted}", crd.version_index());
                crd.error(&at, format!("`{wanted}` is taken by something else"), "rename it, or give its schema the shape that opgen writes")
            })
        };
        let phase = name(phase, "opgenPhase")?;
        Ok(Self {
            phase_entered_at: format!("{phase}EnteredAt"),
            phase,
            observed_generation: name(generation, "opgenObservedGeneration")?,
            conditions: name(conditions, "opgenConditions")?,
        })
    }

    pub(super) fn list(&self) -> String {
        [
            &self.phase,
            &self.phase_entered_at,
            &self.observed_generation,
            &self.conditions,
        ]
        .map(|name| format!("`{name}`"))
        .join(", ")
    }

    pub(super) fn paths(&self) -> StatusPaths {
        StatusPaths {
            phase: format!("/{}", self.phase),
            phase_entered_at: format!("/{}", self.phase_entered_at),
            observed_generation: format!("/{}", self.observed_generation),
            conditions: format!("/{}", self.conditions),
        }
    }

    /// Name, schema and reason of each field. The phase has no enum: a version of the operator must be able to store a phase that the
    /// version before it, or after a rollback, does not know.
    pub(super) fn declarations(&self) -> [(&str, Value, &'static str); 4] {
        let phase = json!({ "description": "The phase of the object's life.", "type": "string" });
        let entered = json!({ "description": "When the phase was entered.", "type": "string", "format": "date-time" });
        let generation = json!({
            "description": "The metadata.generation that the operator has seen.", "type": "integer", "format": "int64",
        });
        [
            (
                &self.phase,
                phase,
                "the phase of the machine; no enum, so that a rollback can store what it does not know",
            ),
            (
                &self.phase_entered_at,
                entered,
                "phase deadlines count from it, and it tells two visits to a phase apart",
            ),
            (
                &self.observed_generation,
                generation,
                "the generation that the operator has seen",
            ),
            (
                &self.conditions,
                conditions::list(),
                "Ready, Reconciling and Stalled, as kstatus reads them",
            ),
        ]
    }
}

fn holds_phase(field: Schema<'_>) -> bool {
    field.kind() == Kind::String
        && field.enum_values().is_none()
        && field.pattern().is_none()
        && field.format().is_none()
        && field.count("maxLength").is_none_or(|max| max >= 63)
}

fn holds_time(field: Schema<'_>) -> bool {
    field.kind() == Kind::String
        && matches!(field.format(), None | Some("date-time"))
        && field.pattern().is_none()
        && field.enum_values().is_none()
}

fn holds_generation(field: Schema<'_>) -> bool {
    field.kind() == Kind::Integer
        && matches!(field.format(), None | Some("int64"))
        && field.enum_values().is_none()
        && field.bound("minimum").is_none_or(|low| low <= 1.0)
        && field.bound("maximum").is_none_or(|high| high >= 9e15)
}
