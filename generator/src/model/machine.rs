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

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use super::names::{Kind, PhaseName};
use crate::error::Problem;

/// The machine of a new project that manages nothing outside: it works, and keeps.
pub(crate) const DEFAULT_INSIDE: &[&str] = &[
    "Pending>Progressing",
    "Progressing:deadline=10m:on_deadline=Failed>Ready",
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

/// The bound of one run; no handler's timeout may exceed it.
const BUDGET: Duration = Duration::from_secs(60);

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
            complete(&mut drafts, outside);
            let failed = drafts
                .iter()
                .find(|d| d.role == Role::Failed)
                .map(|d| d.name.clone());
            problems = check(kind, &drafts, failed.as_ref(), outside);
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

/// A phase as written, before anything is known of the others.
struct Draft {
    name: PhaseName,
    role: Role,
    to: Vec<PhaseName>,
    deadline: Option<Span>,
    on_deadline: Option<PhaseName>,
    resync: Option<Span>,
    timeout: Option<Span>,
}

impl Draft {
    fn new(name: PhaseName, role: Role, to: Vec<PhaseName>) -> Self {
        Self {
            name,
            role,
            to,
            deadline: None,
            on_deadline: None,
            resync: None,
            timeout: None,
        }
    }

    fn parse(text: &str) -> Result<Self, Problem> {
        let (head, targets) = match text.split_once('>') {
            Some((head, targets)) => (head, Some(targets)),
            None => (text, None),
        };
        let mut parts = head.split(':').map(str::trim);
        let name = PhaseName::parse(parts.next().unwrap_or_default())?;
        let mut to = Vec::new();
        for target in targets.iter().flat_map(|targets| targets.split('|')) {
            let target = PhaseName::parse(target.trim())?;
            if to.contains(&target) {
                return Err(Problem::new(format!(
                    "phase `{name}` names its arrow to `{target}` twice"
                ))
                .mend("name each target once"));
            }
            to.push(target);
        }
        let mut draft = Self::new(name, Role::Moving, to);
        for mark in parts {
            draft.mark(mark)?;
        }
        if draft.on_deadline.is_some() && draft.deadline.is_none() {
            return Err(Problem::new(format!(
                "phase `{}` has `on_deadline` but no `deadline`",
                draft.name
            ))
            .mend("add a mark such as `deadline=30m`"));
        }
        Ok(draft)
    }

    fn mark(&mut self, mark: &str) -> Result<(), Problem> {
        let name = &self.name;
        let (word, value) = match mark.split_once('=') {
            Some((word, value)) => (word.trim(), Some(value.trim())),
            None => (mark, None),
        };
        let span = || {
            value.and_then(Span::parse).ok_or_else(|| {
                Problem::new(format!("phase `{name}`: `{mark}` has no duration")).mend(format!(
                    "write a number and a unit, such as `{word}=30m` (ms, s, m or h)"
                ))
            })
        };
        let role = match (word, value) {
            ("steady", None) => Role::Steady,
            ("failed", None) => Role::Failed,
            ("finalizer", None) => Role::Finalizer,
            ("deadline", _) => {
                self.deadline = Some(span()?);
                return Ok(());
            }
            ("resync", _) => {
                self.resync = Some(span()?);
                return Ok(());
            }
            ("timeout", _) => {
                self.timeout = Some(span()?);
                return Ok(());
            }
            ("on_deadline", Some(target)) => {
                self.on_deadline = Some(PhaseName::parse(target)?);
                return Ok(());
            }
            _ => {
                return Err(Problem::new(format!("phase `{name}`: `{mark}` is not a mark")).mend(
                    "marks are steady, failed, finalizer, deadline=30m, on_deadline=Failed, resync=10m and timeout=10s",
                ));
            }
        };
        if self.role != Role::Moving {
            return Err(Problem::new(format!("phase `{name}` has two roles"))
                .mend("a phase is steady, failed or finalizer, never two of them"));
        }
        self.role = role;
        Ok(())
    }

    fn finish(self, failed: Option<&PhaseName>) -> Phase {
        let to = self.on_deadline.or_else(|| failed.cloned());
        Phase {
            name: self.name,
            role: self.role,
            to: self
                .to
                .into_iter()
                .filter(|target| Some(target) != failed)
                .collect(),
            deadline: self
                .deadline
                .zip(to)
                .map(|(after, to)| Deadline { after, to }),
            resync: self.resync,
            timeout: self.timeout,
        }
    }
}

/// Adds the failed and the finalizer phase where the author named none.
fn complete(drafts: &mut Vec<Draft>, outside: bool) {
    let Some(initial) = drafts.first().map(|draft| draft.name.clone()) else {
        return;
    };
    for (role, name, to) in [
        (Role::Failed, "Failed", vec![initial]),
        (Role::Finalizer, "Deleting", Vec::new()),
    ] {
        let present = (role == Role::Finalizer && !outside)
            || drafts
                .iter()
                .any(|draft| draft.role == role || draft.name.as_str() == name);
        if let (false, Ok(name)) = (present, PhaseName::parse(name)) {
            drafts.push(Draft::new(name, role, to));
        }
    }
}

/// The rules that the derive macro holds, told in terms of the flag.
fn check(
    kind: &Kind,
    drafts: &[Draft],
    failed: Option<&PhaseName>,
    outside: bool,
) -> Vec<(usize, Problem)> {
    let mut problems = Vec::new();
    if drafts.is_empty() {
        problems.push((
            0,
            Problem::new("the machine has no phase").mend("name at least one phase"),
        ));
    }
    for (role, name) in [(Role::Failed, "failed"), (Role::Finalizer, "finalizer")] {
        let mut holders = drafts
            .iter()
            .enumerate()
            .filter(|(_, draft)| draft.role == role);
        match (holders.next(), holders.next()) {
            (Some((_, first)), Some((index, second))) => problems.push((
                index,
                Problem::new(format!(
                    "`{}` and `{}` are both marked {name}",
                    first.name, second.name
                ))
                .mend(format!("mark one phase {name}")),
            )),
            (Some((index, draft)), None) if role == Role::Finalizer && !outside => problems.push((
                index,
                Problem::new(format!("`{}` is a finalizer phase, but the operator manages nothing outside whose absence it could prove", draft.name))
                    .mend("take the phase away, or choose `--external http` or `--external custom`"),
            )),
            (None, _) if role == Role::Failed || outside => problems.push((
                0,
                Problem::new(format!("no phase is marked {name}")).mend(format!(
                    "mark one, such as `{}:{name}`",
                    if role == Role::Failed {
                        "Failed"
                    } else {
                        "Deleting"
                    }
                )),
            )),
            _ => {}
        }
    }
    if !drafts.iter().any(|draft| draft.role == Role::Steady) {
        problems.push((
            0,
            Problem::new("no phase is marked steady, so no object would ever be Ready")
                .mend("mark the phase where the object is as wanted, such as `Ready:steady`"),
        ));
    }
    let reached = reached(drafts, failed);
    for (index, draft) in drafts.iter().enumerate() {
        let one = Checked {
            kind,
            drafts,
            draft,
            index,
        };
        problems.extend(
            one.problems(&reached)
                .into_iter()
                .map(|problem| (index, problem)),
        );
    }
    problems
}

/// Every phase that some path from the initial one leads to, deadlines and implied arrows counted.
fn reached(drafts: &[Draft], failed: Option<&PhaseName>) -> BTreeSet<PhaseName> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&PhaseName> = drafts
        .first()
        .map(|draft| &draft.name)
        .into_iter()
        .collect();
    open.extend(failed);
    while let Some(name) = open.pop() {
        if !reached.insert(name.clone()) {
            continue;
        }
        if let Some(draft) = drafts.iter().find(|draft| draft.name == *name) {
            open.extend(draft.to.iter().chain(draft.on_deadline.as_ref()));
        }
    }
    reached
}

/// One phase among the others.
struct Checked<'a> {
    kind: &'a Kind,
    drafts: &'a [Draft],
    draft: &'a Draft,
    index: usize,
}

impl Checked<'_> {
    fn problems(&self, reached: &BTreeSet<PhaseName>) -> Vec<Problem> {
        let Self {
            kind,
            drafts,
            draft,
            index,
        } = *self;
        let name = &draft.name;
        let mut problems = Vec::new();
        if drafts[..index].iter().any(|other| other.name == *name) {
            problems.push(
                Problem::new(format!("phase `{name}` is named twice")).mend("name each phase once"),
            );
        } else if drafts[..index]
            .iter()
            .any(|other| other.name.snake() == name.snake())
        {
            problems.push(
                Problem::new(format!(
                    "phase `{name}` would share its handler's name, `{}`, with another phase",
                    name.snake()
                ))
                .mend("rename one of them"),
            );
        }
        let kind_types = ["", "Spec", "Status", "Phase", "Provider"];
        if kind_types
            .iter()
            .any(|ending| format!("{kind}{ending}") == name.as_str())
        {
            problems.push(
                Problem::new(format!(
                    "phase `{name}` would share its name with a type of kind `{kind}`"
                ))
                .mend(format!("choose another name, such as `{name}Phase`")),
            );
        }
        for target in draft.to.iter().chain(draft.on_deadline.as_ref()) {
            match drafts.iter().find(|other| other.name == *target) {
                None => problems.push(
                    Problem::new(format!(
                        "phase `{name}` leads to `{target}`, which is no phase"
                    ))
                    .mend(format!("add `{target}` to the phases or mend the spelling")),
                ),
                Some(other) if other.role == Role::Finalizer => {
                    problems.push(
                        Problem::new(format!(
                            "phase `{name}` leads to the finalizer phase `{target}`"
                        ))
                        .mend("take the arrow away: only the deletion of the object leads there"),
                    );
                }
                Some(_) => {}
            }
        }
        if draft.to.contains(name) || draft.on_deadline.as_ref() == Some(name) {
            problems.push(Problem::new(format!("phase `{name}` leads to itself"))
                .mend("take the arrow away: to stay, a handler returns `Step::poll_in` or `Step::settled`"));
        }
        if index == 0 && draft.role == Role::Failed {
            problems.push(
                Problem::new(format!("the first phase, `{name}`, is the failed phase"))
                    .mend("put the phase first in which a new object starts"),
            );
        }
        let is_failed = |target: &PhaseName| {
            drafts
                .iter()
                .any(|other| other.name == *target && other.role == Role::Failed)
        };
        match &draft.on_deadline {
            Some(target) if !draft.to.contains(target) && !is_failed(target) && target != name => {
                problems.push(Problem::new(format!("phase `{name}` goes to `{target}` at its deadline, but has no arrow to it"))
                    .mend(format!("add the arrow: an expired deadline moves like any other, `{name}>..|{target}`")));
            }
            None if draft.role == Role::Failed && draft.deadline.is_some() => {
                problems.push(
                    Problem::new(format!(
                        "the failed phase `{name}` has a deadline that leads nowhere"
                    ))
                    .mend("add a mark such as `on_deadline=Pending`, or take the deadline away"),
                );
            }
            _ => {}
        }
        if draft.role == Role::Finalizer {
            if index == 0 {
                problems.push(
                    Problem::new(format!("the first phase, `{name}`, is the finalizer phase"))
                        .mend("put the phase first in which a new object starts"),
                );
            } else if !draft.to.is_empty() {
                problems.push(
                    Problem::new(format!("the finalizer phase `{name}` has an arrow"))
                        .mend("take the arrow away: only proof that the outside is gone ends it"),
                );
            }
            if draft.deadline.is_some() {
                problems.push(
                    Problem::new(format!("the finalizer phase `{name}` has a deadline"))
                        .mend("take it away: giving up on a deletion leaves things behind"),
                );
            }
        } else if !reached.contains(name) {
            problems.push(
                Problem::new(format!("no arrow reaches phase `{name}`")).mend(format!(
                    "add an arrow, such as `{}>{name}`, or take the phase away",
                    drafts[0].name
                )),
            );
        }
        if draft.to.is_empty() && matches!(draft.role, Role::Moving | Role::Failed) {
            problems.push(
                Problem::new(format!("phase `{name}` has no way out"))
                    .mend("add an arrow, or mark the phase steady"),
            );
        }
        if draft
            .timeout
            .is_some_and(|timeout| timeout.duration() > BUDGET)
        {
            problems.push(
                Problem::new(format!(
                    "the timeout of phase `{name}` exceeds the budget of one run, {} s",
                    BUDGET.as_secs()
                ))
                .mend("start the long work, return `Step::poll_in`, and look again"),
            );
        }
        problems
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
