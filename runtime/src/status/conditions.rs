//! The conditions that the runtime owns, as kstatus reads them.
//!
//! Ready, Reconciling and Stalled always stand in the list, with status True or False, so each has its transition
//! time and `kubectl wait --for=condition=Stalled=false` works. A phase's role decides:
//!
//! | role | Ready | Reconciling | Stalled |
//! |---|---|---|---|
//! | steady | True | False | False |
//! | failed | False | False | True |
//! | any other | False | True | False |
//!
//! `lastTransitionTime` moves only when `status` flips; members the runtime does not know, and conditions of other
//! writers, stay as they are.

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use serde_json::{Map, Value};

use super::{
    rules::Rules,
    texts::{Text, message, reason},
};
use crate::graph::PhaseInfo;
use crate::mutant::{Mutant, mutated};

/// Declares the types, and the tables of them all.
macro_rules! types {
    ($($ident:ident = $name:literal, $says:literal;)*) => {
        $(
            #[doc = $says]
            pub const $ident: &str = $name;
        )*

        /// The types that only the runtime writes: what a handler puts under these names is ignored.
        pub const OWNED: &[&str] = &[$($ident),*];

        /// The same types, each with what it means while it is True.
        pub const TABLE: &[(&str, &str)] = &[$(($ident, $says)),*];
    };
}

types! {
    READY = "Ready", "the object is as its spec wants it; its observedGeneration is the generation that converged";
    RECONCILING = "Reconciling", "work is under way; its observedGeneration is the generation that the change began with";
    STALLED = "Stalled", "only a person or a new spec can help";
    WRITE_REFUSED = "WriteRefused", "the API server refuses the operator's writes";
    CLEANUP_STALLED = "CleanupStalled", "the clean-up takes longer than its deadline";
    CLEANUP_BLOCKED = "CleanupBlocked", "the clean-up lacks something it depends on: a secret, a role, a parent";
    UNKNOWN_PHASE = "UnknownPhase", "the stored phase is another version's; nothing is touched, deletion still works";
    PAUSED = "Paused", "an annotation holds the object, its deletion too";
    UNOBSERVED = "Unobserved", "what stands outside could not be observed at the last look";
    FIELD_FIGHT = "FieldFight", "another writer keeps changing a child's field back";
    IDENTITY = "Identity", "the object has another identity than it would begin with, since it was restored or is in a later attempt; the annotation is written anew from it should it get lost";
    CHILD_BLOCKED = "ChildBlocked", "a child could not be brought to what the spec wants";
}

/// The status of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// Nobody knows.
    Unknown,
}

/// One condition as the runtime wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    kind: Text,
    truth: Truth,
    reason: Text,
    message: Text,
    /// `None` keeps what is there.
    observed_generation: Option<i64>,
}

/// The conditions the runtime wants in a status, and those it wants gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    wanted: Vec<Wanted>,
    gone: Vec<Text>,
    generation: Option<i64>,
}

impl Truth {
    /// As it stands in a condition.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }

    const fn of(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

impl Wanted {
    /// A condition. The reason is made valid (CamelCase, 1024 bytes), the message is cut at 32768 bytes.
    pub fn new(
        kind: impl Into<Text>,
        truth: Truth,
        reason: impl Into<Text>,
        message: impl Into<Text>,
    ) -> Self {
        Self {
            kind: kind.into(),
            truth,
            reason: self::reason(reason.into()),
            message: self::message(message.into()),
            observed_generation: None,
        }
    }

    /// The generation it speaks of.
    #[must_use]
    pub fn at_generation(mut self, generation: Option<i64>) -> Self {
        self.observed_generation = generation;
        self
    }

    fn is_in(&self, item: &Map<String, Value>) -> bool {
        let text = |name: &str| item.get(name).and_then(Value::as_str);
        let generation = item.get("observedGeneration").and_then(Value::as_i64);
        text("status") == Some(self.truth.as_str())
            && text("reason") == Some(&self.reason)
            && text("message").unwrap_or_default() == self.message
            && (self.observed_generation.is_none() || self.observed_generation == generation)
    }
}

impl Conditions {
    /// No opinion on any.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Ready, Reconciling and Stalled of a phase: the reason is its name, the message its doc comment. UnknownPhase and
    /// WriteRefused go, unless asked for by [`Conditions::with`]. `converged` is
    /// the generation the object last converged on, kept on Ready; `None` leaves what is there.
    #[must_use]
    pub fn of_phase(info: &PhaseInfo, generation: i64, converged: Option<i64>) -> Self {
        let working = !info.steady && !info.failed;
        let condition = |kind: &'static str, holds, at| {
            Wanted::new(kind, Truth::of(holds), info.name, info.doc).at_generation(at)
        };
        let seen = Some(generation);
        Self {
            wanted: vec![
                condition(READY, info.steady, converged),
                condition(RECONCILING, working, seen),
                condition(STALLED, info.failed, seen),
            ],
            // A phase that is known, written to a server that takes it, proves both wrong.
            gone: vec![UNKNOWN_PHASE.into(), WRITE_REFUSED.into()],
            generation: seen,
        }
    }

    /// The change under way began with this generation: Reconciling says so until it ends.
    #[must_use]
    pub fn began(mut self, generation: i64) -> Self {
        if let Some(found) = self.wanted.iter_mut().find(|one| one.kind == RECONCILING) {
            found.observed_generation = Some(generation);
        }
        self
    }

    /// Says on Reconciling what the object waits for.
    #[must_use]
    pub fn waiting(mut self, why: impl Into<Text>) -> Self {
        if let Some(found) = self.wanted.iter_mut().find(|one| one.kind == RECONCILING) {
            found.message = message(why.into());
        }
        self
    }

    /// Stalled, whatever the phase: a permanent error that moves nothing, as while deleting. Ready and Reconciling
    /// become False, because kstatus calls an object that reconciles in progress before it looks at Stalled.
    #[must_use]
    pub fn stalled(self, reason: impl Into<Text>, message: impl Into<Text>) -> Self {
        let (reason, message) = (reason.into(), message.into());
        let ready = self.find(READY).and_then(|one| one.observed_generation);
        let mut new = self
            .with(READY, Truth::False, reason.clone(), message.clone())
            .with(RECONCILING, Truth::False, reason.clone(), message.clone())
            .with(STALLED, Truth::True, reason, message);
        // Ready speaks of the generation that converged, the others of the one seen.
        if let Some(found) = new.wanted.iter_mut().find(|one| one.kind == READY) {
            found.observed_generation = ready;
        }
        new
    }

    /// One more condition, or another word on one that is already wanted.
    #[must_use]
    pub fn with(
        mut self,
        kind: impl Into<Text>,
        truth: Truth,
        reason: impl Into<Text>,
        message: impl Into<Text>,
    ) -> Self {
        let new = Wanted::new(kind, truth, reason, message).at_generation(self.generation);
        self.gone.retain(|kind| *kind != new.kind);
        match self.wanted.iter_mut().find(|one| one.kind == new.kind) {
            Some(found) => *found = new,
            None => self.wanted.push(new),
        }
        self
    }

    /// A condition that shall not be there.
    #[must_use]
    pub fn without(mut self, kind: impl Into<Text>) -> Self {
        let kind = kind.into();
        self.wanted.retain(|one| one.kind != kind);
        if !self.gone.contains(&kind) {
            self.gone.push(kind);
        }
        self
    }

    /// Whether a list already says all this. Allocates nothing: it runs in every reconcile.
    #[must_use]
    pub fn are_in(&self, list: &[Value]) -> bool {
        let wanted = self
            .wanted
            .iter()
            .all(|one| find(list, &one.kind).is_some_and(|item| one.is_in(item)));
        wanted && self.gone.iter().all(|kind| find(list, kind).is_none())
    }

    /// Writes them into a list.
    pub fn apply(&self, list: &mut Vec<Value>, now: Timestamp) {
        for one in &self.wanted {
            set(list, one, now);
        }
        list.retain(|item| {
            kind_of(item).is_none_or(|kind| !self.gone.iter().any(|gone| gone == kind))
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.gone.is_empty()
    }

    pub(super) fn only_removes(&self) -> bool {
        self.wanted.is_empty()
    }

    fn find(&self, kind: &str) -> Option<&Wanted> {
        self.wanted.iter().find(|one| one.kind == kind)
    }
}

/// Sets one condition in a list; says whether anything changed. `lastTransitionTime` becomes `now` only if `status`
/// flips or there is none; members not named here stay.
pub fn set(list: &mut Vec<Value>, wanted: &Wanted, now: Timestamp) -> bool {
    let position = list
        .iter()
        .position(|item| kind_of(item) == Some(&*wanted.kind));
    let item = match position {
        Some(position) => &mut list[position],
        None => {
            list.push(Value::Object(Map::new()));
            let last = list.len() - 1;
            &mut list[last]
        }
    };
    let Value::Object(members) = item else {
        return false;
    };
    if wanted.is_in(members) {
        return false;
    }
    let status = wanted.truth.as_str();
    let flips = members.get("status").and_then(Value::as_str) != Some(status);
    let timeless = members.get("lastTransitionTime").is_none_or(Value::is_null);
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("type", wanted.kind.as_ref().into());
    put("status", status.into());
    put("reason", wanted.reason.as_ref().into());
    put("message", wanted.message.as_ref().into());
    if flips || timeless || mutated(Mutant::TransitionTime) {
        put("lastTransitionTime", seconds(now).into());
    }
    if let Some(generation) = wanted.observed_generation {
        put("observedGeneration", generation.into());
    }
    true
}

/// The generation on which the object last converged: the one that Ready speaks of.
#[must_use]
pub fn converged_generation(rules: &Rules, status: Option<&Value>) -> Option<i64> {
    let list = super::plan::at(status?, &rules.conditions)?.as_array()?;
    find(list, READY)?.get("observedGeneration")?.as_i64()
}

/// The generation that the condition of that type was set for.
#[must_use]
pub fn generation_of(rules: &Rules, status: Option<&Value>, kind: &str) -> Option<i64> {
    let list = super::plan::at(status?, &rules.conditions)?.as_array()?;
    find(list, kind)?.get("observedGeneration")?.as_i64()
}

/// Reason and message of the condition of that type, if it is True.
#[must_use]
pub fn text_of(rules: &Rules, status: Option<&Value>, kind: &str) -> Option<(String, String)> {
    let list = super::plan::at(status?, &rules.conditions)?.as_array()?;
    let holds = find(list, kind)?.get("status")? == "True";
    holds.then(|| said(rules, status, kind)).flatten()
}

/// Reason and message of the condition of that type, whatever its status.
#[must_use]
pub fn said(rules: &Rules, status: Option<&Value>, kind: &str) -> Option<(String, String)> {
    let list = super::plan::at(status?, &rules.conditions)?.as_array()?;
    let found = find(list, kind)?;
    let text = |name: &str| {
        found
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Some((text("reason"), text("message")))
}

/// Whether only the runtime writes conditions of this type.
#[must_use]
pub fn is_owned(kind: &str) -> bool {
    OWNED.contains(&kind)
}

pub(super) fn is_owned_item(item: &Value) -> bool {
    kind_of(item).is_some_and(is_owned)
}

fn kind_of(item: &Value) -> Option<&str> {
    item.get("type")?.as_str()
}

fn find<'a>(list: &'a [Value], kind: &str) -> Option<&'a Map<String, Value>> {
    list.iter()
        .find(|item| kind_of(item) == Some(kind))?
        .as_object()
}

/// The form of `metav1.Time`: whole seconds.
fn seconds(now: Timestamp) -> String {
    whole(now, Unit::Second).to_string()
}

/// The form of `phaseEnteredAt`: microseconds, always six digits, so that equal times are equal texts.
#[must_use]
pub fn entered_at(now: Timestamp) -> String {
    format!("{:.6}", micros(now))
}

/// As exact as `phaseEnteredAt` is.
pub(crate) fn micros(now: Timestamp) -> Timestamp {
    whole(now, Unit::Microsecond)
}

fn whole(now: Timestamp, unit: Unit) -> Timestamp {
    let down = TimestampRound::new().smallest(unit).mode(RoundMode::Trunc);
    now.round(down).unwrap_or(now)
}
