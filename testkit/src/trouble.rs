//! What can go wrong around an operator.

use std::{fmt, str::FromStr, time::Duration};

use crate::writes::WriteFault;

/// The verbs whose requests can be hung; those of [`VERBS`] are, in turn.
const MORE_VERBS: &[&str] = &["update", "deletecollection"];
/// The verbs whose requests are hung in turn.
pub(crate) const VERBS: &[&str] = &["list", "watch", "get", "patch", "create", "delete"];

/// What goes wrong while a scenario is lived through: see [`Scenario::check_under`](crate::Scenario::check_under).
///
/// What lasts begins with each act of the users (creation, each change, deletion) and ends two minutes later, or when
/// the objects have settled. Each prints as its replay string and is read back from it:
///
/// ```
/// use opgen_testkit::{Trouble, WriteFault};
/// let trouble: Trouble = "after:504@3".parse().unwrap();
/// assert_eq!(trouble, Trouble::Write { nth: 3, fault: WriteFault::After(504) });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// Watch events come this much later, until the objects have settled.
    Lag(Duration),
    /// Every watch event comes twice, until the objects have settled.
    DuplicateEvents,
    /// The watches are cut, and cannot be opened while the users act: what happens in the gap is in no stream, since
    /// the history is compacted before they open again.
    MissedEdges,
    /// Every watch ends after each event, until the objects have settled.
    CutWatches,
    /// Every watch ends with `410 Expired` after each event, until the objects have settled.
    ExpiredWatches,
    /// Requests of this verb (`list`, `watch`, `patch`, `create`, `delete`, ..) are never answered for two minutes.
    Hung(String),
    /// Every request is answered with this HTTP status for two minutes.
    Refused(u16),
    /// Every status write is answered with this HTTP status for two minutes, as by an admission policy.
    StatusRefused(u16),
    /// The provider does not answer for two minutes: see [`Scenario::hangs`](crate::Scenario::hangs).
    HungProvider,
    /// One write fails, counted from 1.
    Write {
        /// The n-th write that changes something.
        nth: usize,
        /// How it fails.
        fault: WriteFault,
    },
    /// Every so many-th write that is tried fails, until the objects have settled.
    EveryWrite {
        /// Each of so many.
        each: usize,
        /// How it fails.
        fault: WriteFault,
    },
    /// The users take their last change back right after the n-th write that it caused.
    Reverted {
        /// Which write, from 1.
        write: usize,
    },
    /// A user deletes a child once all are Ready.
    ChildDeleted {
        /// Which, from 1, in the order of kind, namespace and name.
        child: usize,
    },
    /// A user edits a field of a child, which the operator has set, once all are Ready.
    ChildEdited {
        /// Which, from 1, in the order of kind, namespace and name.
        child: usize,
    },
    /// An administrator puts the objects into their failed phase once all are Ready, and a user takes the last change
    /// back, or makes the first one: they leave it by a new attempt. Only for kinds that have such a phase and nothing
    /// outside, where another attempt would make another thing.
    FailedByHand,
    /// The namespace of the objects is deleted right after the n-th write.
    NamespaceDeleted {
        /// Which write, from 1.
        write: usize,
    },
    /// The objects are deleted and made anew; then the operator restarts, and its first lists are as old as the n-th
    /// revision after the deletion began: they show the former objects under the same names.
    OldUid {
        /// How many revisions after the deletion began; 0 is right before.
        revision: u64,
    },
}

/// The troubles without a number.
const PLAIN: &[(&str, Trouble)] = &[
    ("duplicate-events", Trouble::DuplicateEvents),
    ("missed-edges", Trouble::MissedEdges),
    ("cut-watches", Trouble::CutWatches),
    ("expired-watches", Trouble::ExpiredWatches),
    ("hung-provider", Trouble::HungProvider),
    ("failed-by-hand", Trouble::FailedByHand),
];

impl fmt::Display for WriteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Before(code) => write!(f, "before:{code}"),
            Self::After(code) => write!(f, "after:{code}"),
            Self::HangBefore => f.write_str("hang-before"),
            Self::HangAfter => f.write_str("hang-after"),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = PLAIN.iter().find(|(_, plain)| plain == self) {
            return f.write_str(name);
        }
        match self {
            Self::Lag(by) => write!(f, "lag:{}ms", by.as_millis()),
            Self::Hung(verb) => write!(f, "hung:{verb}"),
            Self::Refused(code) => write!(f, "refused:{code}"),
            Self::StatusRefused(code) => write!(f, "status-refused:{code}"),
            Self::Write { nth, fault } => write!(f, "{fault}@{nth}"),
            Self::EveryWrite { each, fault } => write!(f, "{fault}/{each}"),
            Self::Reverted { write } => write!(f, "reverted@{write}"),
            Self::ChildDeleted { child } => write!(f, "child-deleted@{child}"),
            Self::ChildEdited { child } => write!(f, "child-edited@{child}"),
            Self::NamespaceDeleted { write } => write!(f, "namespace-deleted@{write}"),
            Self::OldUid { revision } => write!(f, "old-uid@{revision}"),
            Self::DuplicateEvents
            | Self::MissedEdges
            | Self::CutWatches
            | Self::ExpiredWatches
            | Self::HungProvider
            | Self::FailedByHand => Ok(()),
        }
    }
}

fn write_fault(text: &str) -> Option<WriteFault> {
    Some(match text.split_once(':') {
        Some(("before", code)) => WriteFault::Before(code.parse().ok()?),
        Some(("after", code)) => WriteFault::After(code.parse().ok()?),
        None if text == "hang-before" => WriteFault::HangBefore,
        None if text == "hang-after" => WriteFault::HangAfter,
        _ => return None,
    })
}

fn parse(text: &str) -> Option<Trouble> {
    if let Some((_, plain)) = PLAIN.iter().find(|(name, _)| *name == text) {
        return Some(plain.clone());
    }
    if let Some((what, number)) = text.split_once('@') {
        let n: usize = number.parse().ok()?;
        return Some(match what {
            "reverted" => Trouble::Reverted { write: n },
            "child-deleted" => Trouble::ChildDeleted { child: n },
            "child-edited" => Trouble::ChildEdited { child: n },
            "namespace-deleted" => Trouble::NamespaceDeleted { write: n },
            "old-uid" => Trouble::OldUid { revision: n as u64 },
            fault => Trouble::Write {
                nth: n,
                fault: write_fault(fault)?,
            },
        });
    }
    if let Some((fault, each)) = text.split_once('/') {
        let (each, fault) = (each.parse().ok()?, write_fault(fault)?);
        return Some(Trouble::EveryWrite { each, fault });
    }
    let (what, value) = text.split_once(':')?;
    Some(match what {
        "lag" => {
            let by = value.strip_suffix("ms")?.parse().ok()?;
            Trouble::Lag(Duration::from_millis(by))
        }
        "hung" if VERBS.contains(&value) || MORE_VERBS.contains(&value) => {
            Trouble::Hung(value.to_owned())
        }
        "refused" => Trouble::Refused(value.parse().ok()?),
        "status-refused" => Trouble::StatusRefused(value.parse().ok()?),
        _ => return None,
    })
}

impl FromStr for Trouble {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).ok_or_else(|| {
            format!("{text:?} is no replay string: copy one from the report of an exploration")
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_trouble_comes_back_from_its_string() {
        for text in [
            "lag:3000ms",
            "duplicate-events",
            "missed-edges",
            "cut-watches",
            "expired-watches",
            "hung:list",
            "refused:429",
            "status-refused:422",
            "hung-provider",
            "failed-by-hand",
            "before:409@5",
            "after:504@1",
            "hang-before@2",
            "hang-after@3",
            "before:409/2",
            "hang-after/3",
            "reverted@1",
            "child-deleted@1",
            "child-edited@2",
            "namespace-deleted@4",
            "old-uid@0",
        ] {
            let trouble: Trouble = text.parse().unwrap();
            assert_eq!(trouble.to_string(), text);
        }
        for wrong in [
            "",
            "lag:3",
            "before@1",
            "reverted@x",
            "fire",
            "before:409/",
            "hung:lost",
        ] {
            assert!(wrong.parse::<Trouble>().is_err(), "{wrong}");
        }
    }
}
