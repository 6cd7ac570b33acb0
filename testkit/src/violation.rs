//! What an oracle can find.

use std::fmt;

use crate::scenario::Outside;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// An object did not become Ready, and how it looks.
    NotReady(String),
    /// The outside does not match the objects.
    Outside {
        /// When it was counted.
        when: &'static str,
        /// Objects there are.
        objects: usize,
        /// What was counted.
        found: Outside,
    },
    /// An object is Ready, but not as the scenario expects.
    Unexpected(String),
    /// Something was written although nothing changed: the requests.
    NotQuiet(Vec<String>),
    /// Objects ran far more often than once a minute although nothing changed: runs a minute and object, times ten.
    Hot(u64),
    /// No run happened in three hours: an operator that is dead is quiet too.
    Dead,
    /// An object was not gone, and how it looks.
    NotGone(String),
    /// All objects are gone and garbage is collected, but these that the operator wrote are still there.
    Leaked(Vec<String>),
    /// The children are others than those of an undisturbed life.
    Children {
        /// Those of the undisturbed life.
        expected: Vec<String>,
        /// Those that were found.
        found: Vec<String>,
    },
    /// What a user did to a child was not undone.
    NotHealed(String),
    /// The role does not allow what the operator asked for: the requests.
    Forbidden(Vec<String>),
    /// The operator said something to people that the reference page does not explain: where, and what.
    Unexplained(String),
    /// An object had two handlers at once: which.
    TwoAtOnce(String),
    /// Two replicas wrote in turns, or the one that was to stop did not: what happened.
    TwoLeaders(String),
    /// The operator ended by itself, and why.
    Ended(String),
    /// The moment never came: a write that was never made, a child that is not there. The run differs from the
    /// reference run, or the scenario has no such moment.
    NoSuchMoment(String),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReady(object) => write!(f, "not Ready: {object}"),
            Self::Outside {
                when,
                objects,
                found,
            } => write!(
                f,
                "{when}: {objects} objects, but {} things were created outside and {} exist",
                found.created, found.live
            ),
            Self::Unexpected(what) => write!(f, "Ready, but {what}"),
            Self::NotQuiet(writes) => write!(
                f,
                "written although nothing changed: {}; a field that differs at each look is marked `#[status(volatile)]`, or left out",
                counted(writes)
            ),
            Self::Hot(tenths) => write!(
                f,
                "{}.{} runs a minute and object although nothing changed: at most 1.5 are quiet (a resync each minute)",
                tenths / 10,
                tenths % 10
            ),
            Self::Dead => f.write_str("no run in three hours, not even a resync"),
            Self::NotGone(object) => write!(f, "deleted, but not gone: {object}"),
            Self::Leaked(objects) => {
                write!(f, "left behind in the cluster: {}", objects.join("; "))
            }
            Self::Children { expected, found } => write!(
                f,
                "the children are [{}], but those of an undisturbed life are [{}]",
                found.join(", "),
                expected.join(", ")
            ),
            Self::NotHealed(child) => write!(f, "not healed: {child}"),
            Self::Forbidden(requests) => write!(
                f,
                "the role that the operator prints does not allow what it does: {}",
                requests.join("; ")
            ),
            Self::Unexplained(what) => write!(f, "not explained in the reference: {what}"),
            Self::TwoAtOnce(what) => write!(f, "two handlers at once on one object: {what}"),
            Self::TwoLeaders(what) => write!(f, "two leaders: {what}"),
            Self::Ended(why) => write!(f, "the operator ended by itself: {why}"),
            Self::NoSuchMoment(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for Violation {}

/// Each of them once, with how often it is there.
fn counted(all: &[String]) -> String {
    let mut times: Vec<(&str, usize)> = Vec::new();
    for one in all {
        match times.iter_mut().find(|(known, _)| known == one) {
            Some((_, count)) => *count += 1,
            None => times.push((one, 1)),
        }
    }
    let words = times.iter().map(|(one, count)| match count {
        1 => (*one).to_owned(),
        _ => format!("{count} times {one}"),
    });
    words.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_that_repeat_are_counted() {
        let writes = ["patch a", "patch b", "patch a"].map(str::to_owned);
        let said = Violation::NotQuiet(writes.into()).to_string();
        assert!(said.contains("2 times patch a; patch b"), "{said}");
        assert!(said.contains("#[status(volatile)]"), "{said}");
    }
}
