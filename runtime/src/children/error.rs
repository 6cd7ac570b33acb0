//! Why a child is not as desired.

use std::time::Duration;

use crate::{
    error::{Error, ErrorClass},
    mutant::{Mutant, mutated},
    reference::Reason,
};

/// Something stands between a child and what its owner wants of it. The text says what, and how to mend it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ChildError {
    reason: Reason,
    message: String,
    hold: Hold,
}

/// What to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// It passes by itself: look again after so long, or when the child changes.
    Wait(Duration),
    /// A person has to act; the owner looks again from time to time.
    Blocked(Duration),
    /// No look can help: the code of the operator, or the spec, is wrong.
    Wrong,
}

/// How often an owner that holds looks again.
pub(super) const HOLD: Duration = Duration::from_secs(300);

impl ChildError {
    pub(super) fn waits(reason: Reason, message: String, delay: Duration) -> Self {
        Self {
            reason,
            message,
            hold: Hold::Wait(delay),
        }
    }

    pub(super) fn blocked(reason: Reason, message: String) -> Self {
        Self {
            reason,
            message,
            hold: Hold::Blocked(HOLD),
        }
    }

    pub(super) fn wrong(reason: Reason, message: String) -> Self {
        Self {
            reason,
            message,
            hold: Hold::Wrong,
        }
    }

    /// One of [`reasons`](crate::reference::reasons).
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// Whether the owner is held until somebody acts.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        !matches!(self.hold, Hold::Wait(_))
    }

    pub(super) fn into_error(self) -> Error {
        let hold = self.hold;
        let error = Error::from(self);
        match hold {
            Hold::Wait(delay) => error.with_class(ErrorClass::Saturated).retry_after(delay),
            Hold::Blocked(_) if mutated(Mutant::RefusalHeld) => error,
            Hold::Blocked(delay) => error.with_class(ErrorClass::Transient).retry_after(delay),
            Hold::Wrong => error.permanent(),
        }
    }
}
