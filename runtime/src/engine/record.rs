//! The status write of a phase: nothing, or one JSON patch.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use kube::core::object::HasStatus;
use serde_json::Value;

use crate::mutant::{Mutant, mutated};
use crate::{
    engine::{
        api::{self, Part, Patched},
        controller::CLEANUP_STALLED_NOTE,
        driver::{Driver, failed, retry},
        report::Next,
        verdict::{Note, Verdict},
    },
    metrics::PatchResult,
    phase::{PhaseMachine, StatusOf},
    reference::reasons,
    status::{
        Limits, MachineFields, PlanError, PlanInput, Planned, StatusWrite,
        conditions::{self, Conditions, Truth},
        only_condition, plan_patch,
    },
};

/// The runtime's own fields, as a run found them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) phase: Option<String>,
    pub(crate) phase_entered_at: Option<String>,
}

impl Fields {
    fn borrowed(&self) -> MachineFields<'_> {
        MachineFields {
            phase: self.phase.as_deref(),
            phase_entered_at: self.phase_entered_at.as_deref(),
            observed_generation: None,
        }
    }
}

/// Everything a write is computed from, but for the server's side of it.
struct Intent {
    expected: Fields,
    phase: &'static str,
    entered_at: Option<String>,
    /// The one that the handler saw: a spec that comes while this is written is the next run's.
    generation: Option<i64>,
}

/// The typed status before the handler and after it.
struct Typed<'a> {
    before: &'a Value,
    after: &'a Value,
}

impl<M: PhaseMachine> Driver<M> {
    /// The runtime's fields of the object as it is now.
    pub(super) fn fields(&self) -> Fields {
        let found = MachineFields::read(self.kind.rules, self.raw());
        Fields {
            phase: found.phase.map(str::to_owned),
            phase_entered_at: found.phase_entered_at.map(str::to_owned),
        }
    }

    /// Whether the spec moved on since the phase's own point of reference.
    pub(super) fn spec_changed(&self, phase: M) -> bool {
        let info = phase.info();
        let kind = match (info.steady, info.failed) {
            (true, _) => conditions::READY,
            (_, true) => conditions::STALLED,
            _ => conditions::RECONCILING,
        };
        let seen = conditions::generation_of(self.kind.rules, self.raw(), kind);
        seen.is_some() && seen != self.meta().generation
    }

    /// Writes what the run of `phase` learned. Returns the phase the object is in now, and since when. `status` is what
    /// the handler has written; `None` if it has not touched it.
    pub(super) async fn record(
        &mut self,
        phase: M,
        expected: &Fields,
        verdict: &Verdict<M>,
        status: Option<StatusOf<M>>,
    ) -> Result<(M, Timestamp), Next> {
        self.weigh_words(verdict);
        let target = verdict.to.unwrap_or(phase);
        let seen = Arc::clone(&self.object);
        let written = match status {
            Some(after) => Some((typed(&*seen)?, json(after)?)),
            None => None,
        };
        let now = self.kind.clock.now();
        let entry = self.entry_time(phase, target, expected, now);
        let recorded = (target, entry.unwrap_or_else(|| self.entered_at(expected)));
        let intent = Intent {
            expected: expected.clone(),
            phase: target.name(),
            entered_at: entry.map(conditions::entered_at),
            generation: self.meta().generation,
        };
        let mut last: Option<StatusWrite> = None;
        for _ in 0..3 {
            let generation = intent.generation.unwrap_or_default();
            let conditions = self.conditions(phase, verdict, self.raw(), generation);
            let untouched = match (&written, self.raw()) {
                // What the handler left alone stays as the server has it, so it need not be known.
                (Some(_), _) | (None, Some(Value::Object(_))) => Value::Null,
                // A first status holds what the type has by itself.
                (None, _) => typed(&*seen)?,
            };
            let typed = match &written {
                Some((before, after)) => Typed { before, after },
                None => Typed {
                    before: &untouched,
                    after: &untouched,
                },
            };
            let planned = match self.plan(&intent, &typed, &conditions, now) {
                // Somebody else moved the object: this run's view is history.
                Err(PlanError::Moved { .. }) => return Err(Next::Again),
                Err(error @ PlanError::TooLarge { .. }) => {
                    return Err(self.refused(&error.to_string()).await);
                }
                Ok(planned) => planned,
            };
            let mut write = match planned {
                Planned::Unchanged => {
                    self.count(PatchResult::Skipped);
                    return Ok(recorded);
                }
                Planned::Patch(write) => write,
            };
            if mutated(Mutant::StatusVersion) {
                let version = json_patch::TestOperation {
                    path: json_patch::jsonptr::PointerBuf::from_tokens([
                        "metadata",
                        "resourceVersion",
                    ]),
                    value: self.meta().resource_version.clone().into(),
                };
                write
                    .patch
                    .0
                    .insert(0, json_patch::PatchOperation::Test(version));
            }
            if last.as_ref().is_some_and(|last| last.patch == write.patch) {
                return Err(self
                    .refused("its tests fail although nothing else changed")
                    .await);
            }
            let body = api::body(&write.patch);
            let (key, sent) = (&self.key, body.clone());
            match self.kind.api.patch_with(key, Part::Status, body).await {
                Patched::Done(envelope) => {
                    self.count(PatchResult::Sent);
                    self.kind
                        .metrics
                        .status_written(&self.kind.name, write.status_bytes);
                    self.take(envelope, true)?;
                    self.took(write, &sent);
                    return Ok(recorded);
                }
                Patched::TestFailed => {
                    self.count(PatchResult::Raced);
                    last = Some(write);
                    self.refresh().await?;
                }
                Patched::Gone => return Err(Next::Released),
                Patched::Refused(message) => return Err(self.refused(&message).await),
                Patched::Failed(error) => return Err(failed(&error)),
            }
        }
        Err(Next::Again)
    }

    fn plan(
        &self,
        intent: &Intent,
        typed: &Typed<'_>,
        conditions: &Conditions,
        now: Timestamp,
    ) -> Result<Planned, PlanError> {
        let next = MachineFields {
            phase: Some(intent.phase),
            phase_entered_at: intent.entered_at.as_deref(),
            observed_generation: intent.generation,
        };
        plan_patch(&PlanInput {
            rules: self.kind.rules,
            uid: self.meta().uid.as_deref().unwrap_or_default(),
            server_status: self.raw(),
            typed_before: typed.before,
            typed_after: typed.after,
            expected: intent.expected.borrowed(),
            next,
            conditions,
            now,
            limits: Limits::default(),
        })
    }

    /// When the target was entered; `None` leaves what the server has.
    fn entry_time(
        &self,
        phase: M,
        target: M,
        fields: &Fields,
        now: Timestamp,
    ) -> Option<Timestamp> {
        if target != phase
            || fields
                .phase
                .as_deref()
                .is_some_and(|name| name != phase.name())
        {
            // Later than the last one, whatever the clock says: two entries must never look alike.
            let last = self.entered_at(fields);
            let after = last.saturating_add(1.microsecond()).unwrap_or(now);
            return Some(conditions::micros(now.max(after)));
        }
        match fields.phase_entered_at {
            Some(_) => None,
            None => Some(conditions::micros(self.entered_at(fields))),
        }
    }

    fn conditions(
        &self,
        phase: M,
        verdict: &Verdict<M>,
        raw: Option<&Value>,
        generation: i64,
    ) -> Conditions {
        let rules = self.kind.rules;
        let target = verdict.to.unwrap_or(phase);
        let info = target.info();
        let generation_of = |kind| conditions::generation_of(rules, raw, kind);
        let was_working = !phase.info().steady && !phase.info().failed;
        // A change under way began with the generation that its first handler saw.
        let began = generation_of(conditions::RECONCILING)
            .filter(|_| was_working)
            .unwrap_or(generation);
        let converged = match (verdict.converged, verdict.to) {
            (true, Some(_)) => Some(began),
            (true, None) => Some(generation),
            (false, _) => generation_of(conditions::READY),
        };
        let all = Conditions::of_phase(info, generation, converged);
        let working = !info.steady && !info.failed;
        let all = match &verdict.note {
            Some(Note {
                reason,
                message,
                stalled: true,
            }) => all.stalled(*reason, message.clone()),
            Some(Note {
                reason, message, ..
            }) if !info.failed => {
                let truth = if working { Truth::True } else { Truth::False };
                let message = self.words(conditions::RECONCILING, *reason, message);
                all.with(conditions::RECONCILING, truth, *reason, message)
            }
            _ if info.failed && phase == target => {
                match conditions::text_of(rules, raw, conditions::STALLED) {
                    // Why it failed stays to be read for as long as it has failed.
                    Some((reason, message)) => all.stalled(reason, message),
                    None => all,
                }
            }
            _ => all,
        };
        let all = self.mark_overdue(all);
        // A handler has looked, so nobody holds it.
        let all = self.children.mark(all).without(conditions::PAUSED);
        let all = self.keep_identity(self.mark_obstacles(all));
        if working { all.began(began) } else { all }
    }

    fn mark_overdue(&self, all: Conditions) -> Conditions {
        if !self.cleanup_overdue() {
            return all;
        }
        all.with(
            conditions::CLEANUP_STALLED,
            Truth::True,
            reasons::CLEANUP_DEADLINE,
            CLEANUP_STALLED_NOTE,
        )
    }

    /// A phase of another version: nothing is touched but one condition.
    pub(super) async fn unknown_phase(&mut self, name: &str) -> Next {
        let conditions = Conditions::none().without(conditions::PAUSED).with(
            conditions::UNKNOWN_PHASE,
            Truth::True,
            reasons::PHASE_OF_ANOTHER_VERSION,
            format!("this version of the operator does not know the phase {name:?}: run the newer one again, or set a phase it knows"),
        );
        let resync = Some(self.kind.limits.resync);
        self.say(&conditions, Next::Settled { resync }).await
    }

    /// An admin holds the object: that is said, and nothing else is done.
    pub(super) async fn say_paused(&mut self) -> Next {
        let conditions = Conditions::none().with(
            conditions::PAUSED,
            Truth::True,
            reasons::PAUSED_BY_ANNOTATION,
            "held by the annotation opgen.dev/paused: remove it, or set it to \"false\", to go on",
        );
        let conditions = self.mark_overdue(conditions);
        let reason = "paused by annotation";
        self.say(&conditions, Next::Held { reason }).await
    }

    /// Writes these conditions and nothing else.
    async fn say(&mut self, wanted: &Conditions, then: Next) -> Next {
        let uid = self.meta().uid.clone().unwrap_or_default();
        let now = self.kind.clock.now();
        let Planned::Patch(write) = only_condition(self.kind.rules, &uid, self.raw(), wanted, now)
        else {
            return then;
        };
        match self
            .kind
            .api
            .patch(&self.key, Part::Status, &write.patch)
            .await
        {
            Patched::Done(envelope) => self.take(envelope, true).err().unwrap_or(then),
            Patched::TestFailed => Next::Again,
            Patched::Gone => Next::Released,
            Patched::Refused(message) => retry(format!("the status cannot be written: {message}")),
            Patched::Failed(error) => failed(&error),
        }
    }

    /// The server does not want our status: said on a condition, which may get through where the rest does not, and in
    /// an event, which needs no status.
    async fn refused(&mut self, why: &str) -> Next {
        if mutated(Mutant::WriteRefused) {
            return Next::Again;
        }
        self.count(PatchResult::Refused);
        let note = format!("the status cannot be written: {why}");
        self.kind
            .events
            .warn(&*self.object, reasons::REFUSED, note.clone());
        let wanted = Conditions::none().with(
            conditions::WRITE_REFUSED,
            Truth::True,
            reasons::REFUSED,
            note.clone(),
        );
        self.say(&wanted, retry(note)).await
    }

    fn count(&self, result: PatchResult) {
        self.kind.metrics.status_patch(&self.kind.name, result);
    }
}

fn json(status: impl serde::Serialize) -> Result<Value, Next> {
    serde_json::to_value(status)
        .map_err(|error| retry(format!("the status does not serialise: {error}")))
}

/// The status as its type has it.
fn typed<K: HasStatus>(object: &K) -> Result<Value, Next>
where
    K::Status: serde::Serialize + Default,
{
    match object.status() {
        Some(status) => json(status),
        None => json(K::Status::default()),
    }
}
