//! What the kinds of one operator may not share.

use crate::error::{Place, Problem};
use crate::model::Resource;

/// Everything that two kinds have in common and may not, at the later one.
pub(super) fn between(kinds: &[(&Place, &Resource)]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, (place, resource)) in kinds.iter().enumerate() {
        let shared = kinds[..index]
            .iter()
            .find_map(|(_, other)| common(other, resource));
        problems.extend(shared.map(|problem| problem.at((*place).clone())));
    }
    problems
}

fn common(first: &Resource, second: &Resource) -> Option<Problem> {
    let (a, b) = (&first.kind, &second.kind);
    if a == b {
        return Some(
            Problem::new(format!("kind `{a}` is there twice"))
                .mend("an operator drives each kind once, in one version; rename one of them"),
        );
    }
    if a.snake() == b.snake() {
        return Some(
            Problem::new(format!(
                "kinds `{a}` and `{b}` would share the module `{}`",
                a.snake()
            ))
            .mend("rename one of them"),
        );
    }
    if first.plural == second.plural && first.group == second.group {
        return Some(
            Problem::new(format!(
                "kinds `{a}` and `{b}` would share the resource `{}.{}`",
                first.plural, first.group
            ))
            .mend("give one of them another plural"),
        );
    }
    if first.plural == second.plural {
        return Some(
            Problem::new(format!(
                "kinds `{a}` and `{b}` would share the files of plural `{}`",
                first.plural
            ))
            .mend("give one of them another plural"),
        );
    }
    if let Some(short) = first
        .short
        .iter()
        .find(|short| second.short.contains(short))
    {
        return Some(
            Problem::new(format!(
                "kinds `{a}` and `{b}` would share the short name `{short}`"
            ))
            .mend("give it to one of them"),
        );
    }
    let types = |resource: &Resource| {
        ["", "Spec", "Status", "Phase", "Provider"]
            .map(|ending| format!("{}{ending}", resource.kind))
    };
    types(first)
        .into_iter()
        .find(|name| types(second).contains(name))
        .map(|name| {
            Problem::new(format!(
                "kinds `{a}` and `{b}` would share the type `{name}`"
            ))
            .mend("rename one of them")
        })
}
