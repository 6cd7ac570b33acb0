//! What a handler's outcome means: where the object goes, what its conditions say, when to come back.

use std::time::Duration;

use crate::{
    engine::{
        kind::{Kind, Limits},
        report::Next,
    },
    error::{Error, ErrorClass, Result},
    phase::PhaseMachine,
    reference::{Reason, reasons},
    step::Outcome,
};

/// The decision on one phase.
#[derive(Debug)]
pub(crate) struct Verdict<M: PhaseMachine> {
    /// Where the object moves; `None` = it stays.
    pub(crate) to: Option<M>,
    /// When to run again, if it stays.
    pub(crate) next: Next,
    /// A message for the conditions, with its reason.
    pub(crate) note: Option<Note>,
    /// Whether the object is what its spec says: the handler of a steady phase is content.
    pub(crate) converged: bool,
}

/// Why the object is where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) reason: Reason,
    /// For people.
    pub(crate) message: String,
    /// Whether nothing but a new spec can help.
    pub(crate) stalled: bool,
}

impl<M: PhaseMachine> Verdict<M> {
    pub(crate) fn of(phase: M, outcome: Result<Outcome<M>>, limits: &Limits) -> Self {
        match outcome {
            Ok(Outcome::To(next)) => Self::moves(next),
            Ok(outcome) => Self::stays(phase, outcome, limits),
            Err(error) if error.class() == ErrorClass::Permanent => {
                Self::permanent(phase, &error, limits)
            }
            Err(error) => Self::transient(&error),
        }
    }

    /// While deleting, a permanent error leads nowhere: it is shown, and tried again with backoff.
    pub(crate) fn of_cleanup(phase: M, outcome: Result<Outcome<M>>, limits: &Limits) -> Self {
        match outcome {
            Ok(Outcome::To(_)) => Self::stays(phase, Outcome::Settled, limits),
            Ok(outcome) => Self::stays(phase, outcome, limits),
            Err(error) => {
                let stalled = error.class() == ErrorClass::Permanent;
                let mut verdict = Self::transient(&error);
                if let Some(note) = &mut verdict.note {
                    note.stalled = stalled;
                }
                verdict
            }
        }
    }

    pub(crate) fn deadline(phase: M, target: M, deadline: Duration) -> Self {
        let mut verdict = Self::moves(target);
        verdict.note = Some(Note {
            reason: reasons::DEADLINE_EXCEEDED,
            message: format!("longer than {deadline:?} in {}", phase.name()),
            stalled: target.info().failed,
        });
        verdict
    }

    fn moves(to: M) -> Self {
        Self {
            to: Some(to),
            next: Next::Again,
            note: None,
            converged: to.info().steady,
        }
    }

    fn stays(phase: M, outcome: Outcome<M>, limits: &Limits) -> Self {
        let info = phase.info();
        let resync = Some(info.resync.unwrap_or(limits.resync));
        let (next, note, converged) = match outcome {
            Outcome::Poll(after) => (
                Next::Wait {
                    reason: String::new(),
                    after,
                },
                None,
                info.steady,
            ),
            Outcome::PollBackoff { found, least, most } => {
                (Next::Poll { found, least, most }, None, info.steady)
            }
            Outcome::Wait { reason, after } => {
                let note = Note {
                    reason: reasons::WAITING,
                    message: reason.clone(),
                    stalled: false,
                };
                (Next::Wait { reason, after }, Some(note), false)
            }
            Outcome::Requeue => (Next::Again, None, false),
            Outcome::Settled | Outcome::To(_) | Outcome::Gone(_) => {
                (Next::Settled { resync }, None, info.steady)
            }
        };
        Self {
            to: None,
            next,
            note,
            converged,
        }
    }

    fn permanent(phase: M, error: &Error, limits: &Limits) -> Self {
        let note = Some(Note {
            reason: reasons::PERMANENT_ERROR,
            message: error.to_string(),
            stalled: true,
        });
        let to = Kind::<M>::failed_phase().filter(|failed| *failed != phase);
        let resync = Some(phase.info().resync.unwrap_or(limits.resync));
        Self {
            to,
            next: Next::Settled { resync },
            note,
            converged: false,
        }
    }

    fn transient(error: &Error) -> Self {
        let message = error.to_string();
        // A missing permit says nothing of this object, so nothing is written about it.
        let note = (error.class() != ErrorClass::Saturated).then(|| Note {
            reason: reasons::RETRYING,
            message: message.clone(),
            stalled: false,
        });
        let next = Next::Retry {
            error: message,
            class: error.class(),
            after: error.delay(),
        };
        Self {
            to: None,
            next,
            note,
            converged: false,
        }
    }
}
