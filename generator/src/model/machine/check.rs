//! The rules that the derive macro holds, told in terms of the flag, and a few that rendered handlers need.

use std::collections::BTreeSet;
use std::time::Duration;

use super::Role;
use super::draft::Draft;
use crate::error::Problem;
use crate::model::names::{Kind, PhaseName};

/// The bound of one run; no handler's timeout may exceed it.
const BUDGET: Duration = Duration::from_secs(60);

/// Everything that is wrong, each with the index of the phase it is about.
pub(super) fn problems(kind: &Kind, drafts: &[Draft], outside: bool) -> Vec<(usize, Problem)> {
    let mut found = roles(drafts, outside);
    let reached = reached(drafts);
    for (index, draft) in drafts.iter().enumerate() {
        let one = One {
            kind,
            drafts,
            draft,
            index,
            outside,
        };
        let mut problems = one.names();
        problems.extend(one.place());
        problems.extend(one.arrows());
        problems.extend(one.deadline());
        if draft.role != Role::Finalizer && !reached.contains(&draft.name) {
            problems.push(
                Problem::new(format!("no arrow reaches phase `{}`", draft.name)).mend(format!(
                    "add an arrow, such as `{}>{}`, or take the phase away",
                    drafts[0].name, draft.name
                )),
            );
        }
        found.extend(problems.into_iter().map(|problem| (index, problem)));
    }
    found
}

/// What the machine as a whole needs one of.
fn roles(drafts: &[Draft], outside: bool) -> Vec<(usize, Problem)> {
    let mut found = Vec::new();
    if drafts.is_empty() {
        found.push((
            0,
            Problem::new("the machine has no phase").mend("name at least one phase"),
        ));
    }
    found.extend(one_of(drafts, Role::Failed, "failed", "Failed", true));
    found.extend(one_of(
        drafts,
        Role::Finalizer,
        "finalizer",
        "Deleting",
        outside,
    ));
    let finalizer = drafts
        .iter()
        .enumerate()
        .find(|(_, draft)| draft.role == Role::Finalizer);
    if let (Some((index, draft)), false) = (finalizer, outside) {
        found.push((
            index,
            Problem::new(format!(
                "`{}` is a finalizer phase, but the operator manages nothing outside whose absence it could prove",
                draft.name
            ))
            .mend("take the phase away, or choose `--external http` or `--external custom`"),
        ));
    }
    if !drafts.iter().any(|draft| draft.role == Role::Steady) {
        found.push((
            0,
            Problem::new("no phase is marked steady, so no object would ever be Ready")
                .mend("mark the phase where the object is as wanted, such as `Ready:steady`"),
        ));
    }
    found
}

fn one_of(
    drafts: &[Draft],
    role: Role,
    mark: &str,
    example: &str,
    needed: bool,
) -> Option<(usize, Problem)> {
    let mut holders = drafts
        .iter()
        .enumerate()
        .filter(|(_, draft)| draft.role == role);
    match (holders.next(), holders.next()) {
        (Some((_, first)), Some((index, second))) => Some((
            index,
            Problem::new(format!(
                "`{}` and `{}` are both marked {mark}",
                first.name, second.name
            ))
            .mend(format!("mark one phase {mark}")),
        )),
        (None, _) if needed => Some((
            0,
            Problem::new(format!("no phase is marked {mark}"))
                .mend(format!("mark one, such as `{example}:{mark}`")),
        )),
        _ => None,
    }
}

/// Every phase that some path from the initial one leads to, deadlines and implied arrows counted.
fn reached(drafts: &[Draft]) -> BTreeSet<&PhaseName> {
    let mut reached = BTreeSet::new();
    let failed = drafts.iter().find(|draft| draft.role == Role::Failed);
    let mut open: Vec<&PhaseName> = drafts
        .first()
        .into_iter()
        .chain(failed)
        .map(|draft| &draft.name)
        .collect();
    while let Some(name) = open.pop() {
        if !reached.insert(name) {
            continue;
        }
        if let Some(draft) = drafts.iter().find(|draft| draft.name == *name) {
            open.extend(draft.to.iter().chain(draft.on_deadline.as_ref()));
        }
    }
    reached
}

/// One phase among the others.
struct One<'a> {
    kind: &'a Kind,
    drafts: &'a [Draft],
    draft: &'a Draft,
    index: usize,
    outside: bool,
}

impl One<'_> {
    fn find(&self, name: &PhaseName) -> Option<&Draft> {
        self.drafts.iter().find(|draft| draft.name == *name)
    }

    fn is_failed(&self, name: &PhaseName) -> bool {
        self.find(name)
            .is_some_and(|draft| draft.role == Role::Failed)
    }

    fn names(&self) -> Vec<Problem> {
        let (name, kind) = (&self.draft.name, self.kind);
        let before = &self.drafts[..self.index];
        let mut found = Vec::new();
        if before.iter().any(|other| other.name == *name) {
            found.push(
                Problem::new(format!("phase `{name}` is named twice")).mend("name each phase once"),
            );
        } else if before
            .iter()
            .any(|other| other.name.snake() == name.snake())
        {
            found.push(
                Problem::new(format!(
                    "phase `{name}` would share its handler's name, `{}`, with another phase",
                    name.snake()
                ))
                .mend("rename one of them"),
            );
        }
        let types = ["", "Spec", "Status", "Phase", "Provider"];
        if types
            .iter()
            .any(|ending| format!("{kind}{ending}") == name.as_str())
        {
            found.push(
                Problem::new(format!(
                    "phase `{name}` would share its name with a type of kind `{kind}`"
                ))
                .mend(format!("choose another name, such as `{name}Phase`")),
            );
        }
        found
    }

    /// Whether it may come first, and whether its handler fits into a run.
    fn place(&self) -> Vec<Problem> {
        let name = &self.draft.name;
        let mut found = Vec::new();
        let role = match self.draft.role {
            Role::Failed => Some("the failed phase"),
            Role::Finalizer => Some("the finalizer phase"),
            Role::Moving | Role::Steady => None,
        };
        if let (0, Some(role)) = (self.index, role) {
            found.push(
                Problem::new(format!("the first phase, `{name}`, is {role}"))
                    .mend("put the phase first in which a new object starts"),
            );
        }
        if self.index == 0 && self.draft.role == Role::Steady && self.outside {
            found.push(
                Problem::new(format!(
                    "the first phase, `{name}`, is steady, but nothing exists outside yet"
                ))
                .mend(format!(
                    "begin with a phase that makes it, such as `Pending>{name}`"
                )),
            );
        }
        if self
            .draft
            .timeout
            .is_some_and(|timeout| timeout.duration() > BUDGET)
        {
            found.push(
                Problem::new(format!(
                    "the timeout of phase `{name}` exceeds the budget of one run, {} s",
                    BUDGET.as_secs()
                ))
                .mend("start the long work, return `Step::poll_in`, and look again"),
            );
        }
        found
    }

    fn arrows(&self) -> Vec<Problem> {
        let (name, draft) = (&self.draft.name, self.draft);
        let mut found = Vec::new();
        for target in draft.to.iter().chain(draft.on_deadline.as_ref()) {
            match self.find(target) {
                None => found.push(
                    Problem::new(format!("phase `{name}` leads to `{target}`, which is no phase"))
                        .mend(format!("add `{target}` to the phases or mend the spelling")),
                ),
                Some(other) if other.role == Role::Finalizer => found.push(
                    Problem::new(format!("phase `{name}` leads to the finalizer phase `{target}`"))
                        .mend("take the arrow away: only the deletion of the object leads there"),
                ),
                Some(other) if other.name == *name => found.push(
                    Problem::new(format!("phase `{name}` leads to itself"))
                        .mend("take the arrow away: to stay, a handler returns `Step::poll_in` or `Step::settled`"),
                ),
                Some(_) => {}
            }
        }
        let leads_on = draft.to.iter().any(|target| !self.is_failed(target));
        match draft.role {
            Role::Finalizer if !draft.to.is_empty() => found.push(
                Problem::new(format!("the finalizer phase `{name}` has an arrow"))
                    .mend("take the arrow away: only proof that the outside is gone ends it"),
            ),
            Role::Moving | Role::Failed if !leads_on => {
                found.push(Problem::new(format!("phase `{name}` has no way out")).mend(
                    "add an arrow to a phase that is not the failed one, or mark the phase steady",
                ))
            }
            _ => {}
        }
        found
    }

    fn deadline(&self) -> Option<Problem> {
        let (name, draft) = (&self.draft.name, self.draft);
        draft.deadline?;
        if draft.role == Role::Finalizer {
            return Some(
                Problem::new(format!("the finalizer phase `{name}` has a deadline"))
                    .mend("take it away: giving up on a deletion leaves things behind"),
            );
        }
        match &draft.on_deadline {
            Some(target) if !draft.to.contains(target) && !self.is_failed(target) && target != name => Some(
                Problem::new(format!("phase `{name}` goes to `{target}` at its deadline, but has no arrow to it"))
                    .mend(format!("add the arrow: an expired deadline moves like any other, `{name}>..|{target}`")),
            ),
            None if draft.role == Role::Failed => Some(
                Problem::new(format!("the failed phase `{name}` has a deadline that leads nowhere"))
                    .mend("add a mark such as `on_deadline=Pending`, or take the deadline away"),
            ),
            _ => None,
        }
    }
}
