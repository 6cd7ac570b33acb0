//! Why a run is, as its span says it.

use crate::engine::{print::Print, state::ObjectState};

/// What a run sees that the last one did not, and if nothing, what brought it about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WokenBy {
    /// It is the first of this process.
    First,
    /// The object changed, or what it depends on did.
    Change,
    /// A job ended, or somebody outside pulled a trigger.
    Call,
    /// The last run failed.
    Retry,
    /// A poll, a deadline or the resync.
    Timer,
}

impl WokenBy {
    /// For a run that begins with what `now` stands for.
    pub(crate) fn of(state: &ObjectState, now: Print) -> Self {
        match state.handled {
            None => Self::First,
            Some(handled) if handled != now => Self::Change,
            _ if state.called => Self::Call,
            _ if state.failures > 0 => Self::Retry,
            _ => Self::Timer,
        }
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Change => "change",
            Self::Call => "call",
            Self::Retry => "retry",
            Self::Timer => "timer",
        }
    }
}
