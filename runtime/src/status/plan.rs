//! One reconcile's status write: nothing, or one JSON patch that only this object, in the state the run started from,
//! can take.

use jiff::Timestamp;
use json_patch::{Patch, PatchOperation, TestOperation, jsonptr::PointerBuf};
use serde_json::{Map, Value};

use super::{
    bounds::{self, Limits},
    conditions::Conditions,
    diff::Writer,
    merge::merged,
    normal::{Volatile, same},
    rules::Rules,
};
use crate::mutant::{Mutant, mutated};

/// The runtime's own fields of a status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineFields<'a> {
    /// The phase's name.
    pub phase: Option<&'a str>,
    /// When it was entered; see [`entered_at`](super::conditions::entered_at).
    pub phase_entered_at: Option<&'a str>,
    /// The generation that was last seen.
    pub observed_generation: Option<i64>,
}

/// What a plan is made from.
#[derive(Clone, Copy, Debug)]
pub struct PlanInput<'a> {
    /// The rules of the status type.
    pub rules: &'a Rules,
    /// The object's uid; a namesake refuses the patch.
    pub uid: &'a str,
    /// The status as the server sent it, with fields our type may not know.
    pub server_status: Option<&'a Value>,
    /// The typed status as the handler got it.
    pub typed_before: &'a Value,
    /// The typed status as the handler left it.
    pub typed_after: &'a Value,
    /// What the run started from: the patch is refused by an object that has moved since.
    pub expected: MachineFields<'a>,
    /// What shall be; `None` leaves a field as it is.
    pub next: MachineFields<'a>,
    /// The runtime's conditions.
    pub conditions: &'a Conditions,
    /// The time of transitions.
    pub now: Timestamp,
    /// How large the status may become.
    pub limits: Limits,
}

/// What is to be sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Planned {
    /// Nothing: the server has it all.
    Unchanged,
    /// One patch to the status subresource.
    Patch(StatusWrite),
}

/// One write.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusWrite {
    /// The operations, tests first.
    pub patch: Patch,
    /// What the status will be.
    pub status: Value,
    /// Its size.
    pub status_bytes: usize,
    /// How many items of bounded lists went to make room.
    pub dropped: usize,
}

impl StatusWrite {
    /// The status, if this adds it as a whole and was `sent` so, and the server now has it to the letter.
    pub(crate) fn into_whole(self, sent: &[u8], now: &str) -> Option<Value> {
        let before = sent.strip_suffix(b"}]")?.strip_suffix(now.as_bytes())?;
        match self.patch.0.into_iter().next_back() {
            Some(PatchOperation::Add(add)) => before
                .ends_with(br#""path":"/status","value":"#)
                .then_some(add.value),
            _ => None,
        }
    }
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The object is no longer in the phase the run started from: the run lost a race and must not write.
    #[error(
        "the object moved to phase {found:?} while the handler ran; run again on the new state"
    )]
    Moved {
        /// The phase it is in now.
        found: Option<String>,
    },
    /// The status does not fit, even with its bounded lists emptied.
    #[error(
        "the status would have {bytes} bytes, more than the {limit} allowed; bound its lists with `#[status(bounded = N)]` or keep the data elsewhere"
    )]
    TooLarge {
        /// What it would have.
        bytes: usize,
        /// What is allowed.
        limit: usize,
    },
}

impl<'a> MachineFields<'a> {
    /// Reads them from a raw status; what has the wrong type counts as absent.
    #[must_use]
    pub fn read(rules: &Rules, status: Option<&'a Value>) -> Self {
        let field = |path: &[String]| status.and_then(|status| at(status, path));
        Self {
            phase: field(&rules.phase).and_then(Value::as_str),
            phase_entered_at: field(&rules.entered_at).and_then(Value::as_str),
            observed_generation: field(&rules.observed_generation).and_then(Value::as_i64),
        }
    }

    /// Whether `have` already says all that is said here.
    fn are_in(self, have: Self) -> bool {
        let text = |want: Option<&str>, have| want.is_none() || want == have;
        text(self.phase, have.phase)
            && text(self.phase_entered_at, have.phase_entered_at)
            && (self.observed_generation.is_none()
                || self.observed_generation == have.observed_generation)
    }

    fn write(self, rules: &Rules, status: &mut Value) {
        let fields = [
            (&rules.phase, self.phase.map(Value::from)),
            (&rules.entered_at, self.phase_entered_at.map(Value::from)),
            (
                &rules.observed_generation,
                self.observed_generation.map(Value::from),
            ),
        ];
        for (path, value) in fields {
            if let Some(value) = value {
                *place(status, path) = value;
            }
        }
    }
}

/// Plans the status write of one run. A run that changed nothing costs a comparison and allocates nothing.
///
/// # Errors
/// [`PlanError::Moved`] if `server_status` is not in the `expected` state, [`PlanError::TooLarge`] if the status
/// would grow beyond its limit.
pub fn plan(input: &PlanInput<'_>) -> Result<Planned, PlanError> {
    planned(input, Keep::Status)
}

/// The same without [`StatusWrite::status`], which is null: who only sends the patch need not pay for a copy.
pub(crate) fn plan_patch(input: &PlanInput<'_>) -> Result<Planned, PlanError> {
    planned(input, Keep::Nothing)
}

/// What is kept beside the patch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Status,
    Nothing,
}

fn planned(input: &PlanInput<'_>, keep: Keep) -> Result<Planned, PlanError> {
    let rules = input.rules;
    let server = object(input.server_status);
    let have = MachineFields::read(rules, server);
    if (have.phase, have.phase_entered_at)
        != (input.expected.phase, input.expected.phase_entered_at)
        && !mutated(Mutant::PhaseTest)
    {
        return Err(PlanError::Moved {
            found: have.phase.map(str::to_owned),
        });
    }
    let (before, after) = (Some(input.typed_before), Some(input.typed_after));
    if input.next.are_in(have)
        && says(rules, server, input.conditions)
        && same(rules.root(), before, after, Volatile::Ignored)
        && !mutated(Mutant::VolatileFields)
    {
        return Ok(Planned::Unchanged);
    }
    let mut target = merged(rules, server, input.typed_before, input.typed_after);
    input.next.write(rules, &mut target);
    write_conditions(rules, &mut target, input.conditions, input.now);
    let volatile = if mutated(Mutant::VolatileFields) {
        Volatile::Counts
    } else {
        Volatile::Ignored
    };
    if server.is_some() && same(rules.root(), server, Some(&target), volatile) {
        return Ok(Planned::Unchanged);
    }
    let cut = bounds::cut_lists(rules.root(), &mut target);
    let limit = input.limits.status_bytes;
    let (status_bytes, fitted) = bounds::fit(rules.root(), &mut target, limit);
    // A status that others made too large may still be written, if it does not grow.
    if status_bytes > limit && status_bytes > server.map_or(0, bounds::json_bytes) {
        return Err(PlanError::TooLarge {
            bytes: status_bytes,
            limit,
        });
    }
    let mut writer = Writer::new(&["status"]);
    if let Some(server) = server.filter(|_| !mutated(Mutant::PhaseTest)) {
        for path in [&rules.phase, &rules.entered_at] {
            test_field(&mut writer, server, path);
        }
    }
    Ok(write(rules, input.uid, server, target, writer, keep).sized(status_bytes, cut + fitted))
}

/// Writes conditions and nothing else, whatever the phase: for an object whose phase this version does not know, or
/// whose other writes are refused. It is tested on the uid, and on the list's absence where it has to be created.
#[must_use]
pub fn only_condition(
    rules: &Rules,
    uid: &str,
    server_status: Option<&Value>,
    conditions: &Conditions,
    now: Timestamp,
) -> Planned {
    let server = object(server_status);
    if says(rules, server, conditions) {
        return Planned::Unchanged;
    }
    let mut target = server.cloned().unwrap_or_else(|| Value::Object(Map::new()));
    write_conditions(rules, &mut target, conditions, now);
    let status_bytes = bounds::json_bytes(&target);
    let writer = Writer::new(&["status"]);
    write(rules, uid, server, target, writer, Keep::Status).sized(status_bytes, 0)
}

impl Planned {
    fn sized(mut self, bytes: usize, dropped: usize) -> Self {
        if let Self::Patch(write) = &mut self {
            (write.status_bytes, write.dropped) = (bytes, dropped);
        }
        self
    }
}

/// The patch from `server` to `target`, after the tests that are in `writer` already.
fn write(
    rules: &Rules,
    uid: &str,
    server: Option<&Value>,
    mut target: Value,
    mut writer: Writer,
    keep: Keep,
) -> Planned {
    let tests = writer.len();
    match server {
        Some(server) => writer.bring(rules.root(), server, &target),
        None => {
            writer.test(Value::Null);
            writer.add(match keep {
                Keep::Status => target.clone(),
                Keep::Nothing => target.take(),
            });
        }
    }
    if writer.len() == tests {
        return Planned::Unchanged;
    }
    let mut operations = vec![PatchOperation::Test(TestOperation {
        path: PointerBuf::from_tokens(["metadata", "uid"]),
        value: uid.into(),
    })];
    operations.append(&mut writer.into_operations());
    Planned::Patch(StatusWrite {
        patch: Patch(operations),
        status: target,
        status_bytes: 0,
        dropped: 0,
    })
}

/// Tests a field on what the server has there; where a parent is missing, on that: a server fails a test below nothing.
fn test_field(writer: &mut Writer, server: &Value, path: &[String]) {
    let Some((name, rest)) = path.split_first() else {
        return writer.test(server.clone());
    };
    let child = server.get(name).unwrap_or(&Value::Null);
    writer.within(name, |at| {
        if child.is_object() {
            test_field(at, child, rest);
        } else {
            at.test(child.clone());
        }
    });
}

/// Whether the status already says all that the conditions say.
fn says(rules: &Rules, status: Option<&Value>, conditions: &Conditions) -> bool {
    if conditions.is_empty() {
        return true;
    }
    let list = status
        .and_then(|status| at(status, &rules.conditions))
        .and_then(Value::as_array);
    conditions.are_in(list.map(Vec::as_slice).unwrap_or_default())
}

fn write_conditions(rules: &Rules, status: &mut Value, conditions: &Conditions, now: Timestamp) {
    let absent = at(status, &rules.conditions).is_none_or(|list| !list.is_array());
    if conditions.is_empty() || (absent && conditions.only_removes()) {
        return;
    }
    let list = place(status, &rules.conditions);
    if !list.is_array() {
        *list = Value::Array(Vec::new());
    }
    if let Value::Array(list) = list {
        conditions.apply(list, now);
    }
}

/// A status that is there: null counts as absent, as it does to the server.
fn object(status: Option<&Value>) -> Option<&Value> {
    status.filter(|status| status.is_object())
}

/// What is at a path.
pub(super) fn at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter()
        .try_fold(value, |value, token| value.as_object()?.get(token))
}

/// The place at a path; parents that are missing, or no objects, are made.
fn place<'a>(value: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(value, |value, token| {
        if !value.is_object() {
            *value = Value::Object(Map::new());
        }
        match value {
            Value::Object(members) => members.entry(token.as_str()).or_insert(Value::Null),
            other => other,
        }
    })
}

#[cfg(test)]
mod tests {
    use json_patch::AddOperation;
    use serde_json::json;

    use super::*;

    fn write(path: &[&str], value: &Value) -> (StatusWrite, String) {
        let add = PatchOperation::Add(AddOperation {
            path: PointerBuf::from_tokens(path.iter().copied()),
            value: value.clone(),
        });
        let test = PatchOperation::Test(TestOperation {
            path: PointerBuf::from_tokens(path.iter().copied()),
            value: Value::Null,
        });
        let patch = Patch(vec![test, add]);
        let sent = serde_json::to_string(&patch).expect("a patch is JSON");
        let write = StatusWrite {
            patch,
            status: Value::Null,
            status_bytes: 0,
            dropped: 0,
        };
        (write, sent)
    }

    #[test]
    fn a_first_status_is_known_only_if_the_server_has_it_to_the_letter() {
        let status = json!({"phase": "Ready", "within": {"phase": "Ready"}});
        let text = status.to_string();
        let known = |path: &[&str], now: &str| {
            let (write, sent) = write(path, &status);
            write.into_whole(sent.as_bytes(), now)
        };
        assert_eq!(known(&["status"], &text), Some(status.clone()));
        // Defaulted, pruned or written otherwise; a part of it; another place.
        let padded = format!("{text} ");
        for now in [r#"{"phase":"Ready"}"#, "", "{}", &padded, &text[1..]] {
            assert_eq!(known(&["status"], now), None, "{now}");
        }
        assert_eq!(known(&["status", "within"], &text), None);
    }
}
