//! The phase machine as `--phases` and `opgen.toml` spell it.
//!
//! One phase is `Name[:mark]...[>Target[|Target]...]`, phases are separated by commas, the first one is where new
//! objects start. Marks are the words of the `#[phase(..)]` attribute: `steady`, `failed`, `finalizer`, `deadline=30m`,
//! `on_deadline=Failed`, `resync=10m`, `timeout=10s`. An arrow to the failed phase is implied from everywhere. A failed
//! phase is added where none is named, and a finalizer phase where the operator manages something outside; an operator
//! that does not has none, for there is nothing whose absence could be proven:
//!
//! ```text
//! Pending>Provisioning,Provisioning:deadline=30m>Ready,Ready:steady:resync=10m>Provisioning
//! ```

mod check;
mod draft;

use std::fmt;
use std::time::Duration;

use self::draft::Draft;
use super::names::{Kind, PhaseName};
use crate::error::Problem;

/// The machine of a new project that manages nothing outside: it works, and keeps.
pub(crate) const DEFAULT_INSIDE: &[&str] = &[
    "Pending>Progressing",
    "Progressing:deadline=10m:on_deadline=Failed>Ready",
    "Ready:steady:resync=10m>Progressing",
    "Failed:failed>Pending",
];

/// The same where it waits for children or for what it refers to: they take the time they take, and what comes late needs
/// no human.
pub(crate) const DEFAULT_RELATED: &[&str] = &[
    "Pending>Progressing",
    "Progressing>Ready",
    "Ready:steady:resync=10m>Progressing",
    "Failed:failed>Pending",
];

/// The machine of a new project that manages something outside: create, wait, keep, destroy.
pub(crate) const DEFAULT: &[&str] = &[
    "Pending>Provisioning",
    "Provisioning:deadline=30m:on_deadline=Failed>Ready",
    "Ready:steady:resync=10m>Provisioning",
    "Failed:failed>Pending",
    "Deleting:finalizer",
];

/// A duration as humans write it: a number and one of `ms`, `s`, `m`, `h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(Duration);

impl Span {
    /// The duration.
    pub fn duration(self) -> Duration {
        self.0
    }

    fn parse(text: &str) -> Option<Self> {
        let digits = text.find(|c: char| !c.is_ascii_digit())?;
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().ok().filter(|number| *number > 0)?;
        let seconds = |each: u64| number.checked_mul(each).map(Duration::from_secs);
        match unit {
            "ms" => Some(Duration::from_millis(number)),
            "s" => seconds(1),
            "m" => seconds(60),
            "h" => seconds(3600),
            _ => None,
        }
        .map(Self)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_millis();
        let seconds = self.0.as_secs();
        match () {
            () if !millis.is_multiple_of(1000) => write!(f, "{millis}ms"),
            () if seconds.is_multiple_of(3600) => write!(f, "{}h", seconds / 3600),
            () if seconds.is_multiple_of(60) => write!(f, "{}m", seconds / 60),
            () => write!(f, "{seconds}s"),
        }
    }
}

/// What a phase means to the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// On the way.
    Moving,
    /// The object is as wanted: Ready.
    Steady,
    /// Where permanent errors lead: Stalled.
    Failed,
    /// Entered on deletion.
    Finalizer,
}

/// How long an object may stay in a phase, and where it goes then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// How long.
    pub after: Span,
    /// Where to.
    pub to: PhaseName,
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its name.
    pub name: PhaseName,
    /// What it means.
    pub role: Role,
    /// Where it may move to, implied arrows left out, in the order given.
    pub to: Vec<PhaseName>,
    /// How long it may last.
    pub deadline: Option<Deadline>,
    /// How often a settled object is looked at without an event.
    pub resync: Option<Span>,
    /// The handler's timeout; the runtime's default where absent.
    pub timeout: Option<Span>,
}

impl Phase {
    /// The phase as `opgen.toml` spells it.
    pub fn spelled(&self) -> String {
        let mut text = self.name.to_string();
        match self.role {
            Role::Moving => {}
            Role::Steady => text.push_str(":steady"),
            Role::Failed => text.push_str(":failed"),
            Role::Finalizer => text.push_str(":finalizer"),
        }
        if let Some(deadline) = &self.deadline {
            text.push_str(&format!(
                ":deadline={}:on_deadline={}",
                deadline.after, deadline.to
            ));
        }
        if let Some(resync) = self.resync {
            text.push_str(&format!(":resync={resync}"));
        }
        if let Some(timeout) = self.timeout {
            text.push_str(&format!(":timeout={timeout}"));
        }
        for (index, target) in self.to.iter().enumerate() {
            text.push(if index == 0 { '>' } else { '|' });
            text.push_str(target.as_str());
        }
        text
    }
}

/// A machine that the derive macro will accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    phases: Vec<Phase>,
}

impl Machine {
    /// Every phase, the initial one first.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// Reads the phases of one machine, each text as [`Phase::spelled`] writes it.
    ///
    /// # Errors
    /// Everything that is wrong with them, each with the index of the phase it is about.
    pub fn parse<S: AsRef<str>>(
        kind: &Kind,
        texts: &[S],
        outside: bool,
    ) -> Result<Self, Vec<(usize, Problem)>> {
        let mut problems = Vec::new();
        let mut drafts = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            match Draft::parse(text.as_ref().trim()) {
                Ok(draft) => drafts.push(draft),
                Err(problem) => problems.push((index, problem)),
            }
        }
        if problems.is_empty() {
            draft::complete(&mut drafts, outside);
            let failed = drafts
                .iter()
                .find(|d| d.role == Role::Failed)
                .map(|d| d.name.clone());
            problems = check::problems(kind, &drafts, outside);
            if problems.is_empty() {
                let phases = drafts
                    .into_iter()
                    .map(|draft| draft.finish(failed.as_ref()))
                    .collect();
                return Ok(Self { phases });
            }
        }
        Err(problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Machine, Vec<String>> {
        let kind = Kind::parse("Database").expect("a kind");
        let texts: Vec<&str> = text.split(',').collect();
        Machine::parse(&kind, &texts, true).map_err(|problems| {
            problems
                .into_iter()
                .map(|(_, problem)| problem.what)
                .collect()
        })
    }

    #[test]
    fn the_default_machine_spells_itself() {
        let machine = parse(&DEFAULT.join(",")).expect("accepted");
        let spelled: Vec<String> = machine.phases().iter().map(Phase::spelled).collect();
        assert_eq!(spelled, DEFAULT);
    }

    #[test]
    fn failed_and_finalizer_are_added() {
        let machine =
            parse("Pending>Provisioning,Provisioning:deadline=90s>Ready,Ready:steady>Provisioning")
                .expect("accepted");
        let spelled: Vec<String> = machine.phases().iter().map(Phase::spelled).collect();
        assert_eq!(
            spelled,
            [
                "Pending>Provisioning",
                "Provisioning:deadline=90s:on_deadline=Failed>Ready",
                "Ready:steady>Provisioning",
                "Failed:failed>Pending",
                "Deleting:finalizer"
            ]
        );
    }

    #[test]
    fn nothing_outside_needs_no_finalizer() {
        let kind = Kind::parse("Database").expect("a kind");
        let machine = Machine::parse(&kind, DEFAULT_INSIDE, false).expect("accepted");
        let spelled: Vec<String> = machine.phases().iter().map(Phase::spelled).collect();
        assert_eq!(spelled, DEFAULT_INSIDE);
        let problems = Machine::parse(&kind, DEFAULT, false).expect_err("a finalizer");
        assert!(problems[0].1.what.contains("manages nothing outside"));
    }

    #[test]
    fn implied_arrows_may_be_written() {
        let machine = parse("A>B|Failed,B:steady").expect("accepted");
        assert_eq!(machine.phases()[0].spelled(), "A>B");
    }

    #[test]
    fn what_the_macro_refuses_is_refused_here() {
        for (text, part) in [
            ("A>B", "leads to `B`, which is no phase"),
            ("A>R,R:steady,X>R", "no arrow reaches phase `X`"),
            ("A>X|R,R:steady,X", "phase `X` has no way out"),
            ("A>R,R:steady,F:failed>A,G:failed>A", "both marked failed"),
            (
                "A>R,R:steady,D:finalizer,E:finalizer",
                "both marked finalizer",
            ),
            (
                "A>R,R:steady,D:finalizer>A",
                "finalizer phase `D` has an arrow",
            ),
            ("A>D|R,R:steady,D:finalizer", "leads to the finalizer phase"),
            ("A>B,B>A", "no phase is marked steady"),
            ("A>R,R:steady,A>R", "phase `A` is named twice"),
            (
                "A:on_deadline=R>R,R:steady",
                "has `on_deadline` but no `deadline`",
            ),
            ("A:deadline=soon>R,R:steady", "has no duration"),
            ("A:deadline=0s>R,R:steady", "has no duration"),
            ("A:timeout=61s>R,R:steady", "exceeds the budget"),
            ("A:quick>R,R:steady", "is not a mark"),
            ("A:steady:failed>R", "has two roles"),
            ("A>R|R,R:steady", "twice"),
            ("a>R,R:steady", "is not a phase"),
            ("Database>R,R:steady", "share its name with a type"),
            ("Context>R,R:steady", "would hide a type"),
            ("D:finalizer,R:steady", "is the finalizer phase"),
            ("", "is not a phase"),
            ("A>A|R,R:steady", "leads to itself"),
            ("A>B,B>Failed,R:steady", "phase `B` has no way out"),
            ("Only:steady", "nothing exists outside yet"),
            (
                "A:deadline=1m:on_deadline=R>B,B>R,R:steady",
                "no arrow to it",
            ),
            ("F:failed>R,R:steady", "is the failed phase"),
            ("A>R,R:steady,F:failed:deadline=1m>A", "leads nowhere"),
        ] {
            let problems = parse(text).expect_err(text);
            assert!(
                problems.iter().any(|what| what.contains(part)),
                "{text}: {problems:?}"
            );
        }
    }
}
