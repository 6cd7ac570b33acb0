//! What a label may say.

use std::{borrow::Cow, sync::Arc};

/// How a reconcile ended, as the label `result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReconcileResult {
    /// Nothing more to do until an event.
    Success,
    /// It failed.
    Error,
    /// It wants to run again at once (a chain that did not fit into the budget).
    Requeue,
    /// It wants to run again later.
    RequeueAfter,
}

impl ReconcileResult {
    /// The label's value, as controller-runtime spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Requeue => "requeue",
            Self::RequeueAfter => "requeue_after",
        }
    }
}

/// What became of a status write, as the label `result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchResult {
    /// Sent and accepted.
    Sent,
    /// Not sent: nothing to say.
    Skipped,
    /// Refused by admission or schema.
    Refused,
    /// Lost to another writer.
    Raced,
}

impl PatchResult {
    /// The label's value.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Skipped => "skipped",
            Self::Refused => "refused",
            Self::Raced => "raced",
        }
    }
}

/// What became of an event, as the label `result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventResult {
    /// The API server has it.
    Written,
    /// The API server did not take it.
    Failed,
    /// Too many waited to be written.
    Dropped,
}

impl EventResult {
    /// The label's value.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
        }
    }
}

/// The value of a label: a static word costs nothing, anything else is copied. Only words of which there are few
/// (kinds, phases, results) may become one.
pub trait Label {
    /// The value.
    fn value(self) -> Cow<'static, str>;
}

impl Label for &'static str {
    fn value(self) -> Cow<'static, str> {
        Cow::Borrowed(self)
    }
}

impl Label for String {
    fn value(self) -> Cow<'static, str> {
        Cow::Owned(self)
    }
}

impl Label for &String {
    fn value(self) -> Cow<'static, str> {
        Cow::Owned(self.clone())
    }
}

impl Label for Cow<'static, str> {
    fn value(self) -> Cow<'static, str> {
        self
    }
}

impl Label for &Arc<str> {
    fn value(self) -> Cow<'static, str> {
        Cow::Owned(self.to_string())
    }
}
