//! One phase as written, and the phases that nobody wrote.

use super::{Deadline, Phase, Role, Span};
use crate::error::Problem;
use crate::model::names::PhaseName;

/// A phase as written, before anything is known of the others.
pub(super) struct Draft {
    pub(super) name: PhaseName,
    pub(super) role: Role,
    pub(super) to: Vec<PhaseName>,
    pub(super) deadline: Option<Span>,
    pub(super) on_deadline: Option<PhaseName>,
    pub(super) resync: Option<Span>,
    pub(super) timeout: Option<Span>,
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

    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
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

    pub(super) fn finish(self, failed: Option<&PhaseName>) -> Phase {
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
pub(super) fn complete(drafts: &mut Vec<Draft>, outside: bool) {
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
