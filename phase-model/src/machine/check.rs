//! What a phase graph must hold, beyond its syntax.

use std::collections::BTreeSet;

use proc_macro2::Ident;

use super::{Arrow, Machine, Phase};
use crate::{Errors, suggest};

pub(super) fn graph(machine: &Machine, errors: &mut Errors) {
    if machine.phases.is_empty() {
        errors.at(
            machine.name.span(),
            format!(
                "`{}` has no phase: add at least an initial one, marked `#[default]`",
                machine.name
            ),
        );
        return;
    }
    names(machine, errors);
    roles(machine, errors);
    for phase in &machine.phases {
        arrows(machine, phase, errors);
        deadline(machine, phase, errors);
        way_out(machine, phase, errors);
    }
    reachable(machine, errors);
}

/// Each phase becomes a type beside the enum, so its name must be free there.
fn names(machine: &Machine, errors: &mut Errors) {
    for phase in &machine.phases {
        if machine.is_taken(&phase.name) {
            errors.at(
                phase.span,
                format!(
                    "phase `{0}` becomes a type of that name, and `{0}` is one already; rename the phase",
                    phase.name
                ),
            );
        }
    }
}

fn roles(machine: &Machine, errors: &mut Errors) {
    let phases = &machine.phases;
    if !phases.iter().any(|phase| phase.initial) {
        errors.at(
            machine.name.span(),
            "no phase is the initial one: mark the phase that new objects start in with `#[default]`",
        );
    }
    at_most_one(
        phases,
        |phase| phase.initial,
        "initial",
        "new objects start in one; keep one `#[default]`",
        errors,
    );
    at_most_one(
        phases,
        |phase| phase.failed,
        "failed",
        "permanent errors lead to one; keep one `failed`",
        errors,
    );
    at_most_one(
        phases,
        |phase| phase.finalizer,
        "finalizer",
        "deletion enters one; keep one `finalizer`",
        errors,
    );
    for phase in phases {
        let roles: Vec<&str> = [
            (
                phase.initial && (phase.failed || phase.finalizer),
                "initial",
            ),
            (phase.steady, "steady"),
            (phase.failed, "failed"),
            (phase.finalizer, "finalizer"),
        ]
        .into_iter()
        .filter_map(|(has, role)| has.then_some(role))
        .collect();
        if let [first, second, ..] = roles.as_slice() {
            errors.at(
                phase.span,
                format!(
                    "phase `{}` is both {first} and {second}; these are different phases",
                    phase.name
                ),
            );
        }
    }
}

fn at_most_one(
    phases: &[Phase],
    has: impl Fn(&Phase) -> bool,
    role: &str,
    mend: &str,
    errors: &mut Errors,
) {
    let mut with = phases.iter().filter(|phase| has(phase));
    let Some(first) = with.next() else { return };
    for phase in with {
        errors.at(
            phase.span,
            format!(
                "`{}` is a second {role} phase beside `{}`, but {mend}",
                phase.name, first.name
            ),
        );
    }
}

fn arrows(machine: &Machine, phase: &Phase, errors: &mut Errors) {
    for (position, arrow) in phase.to.iter().enumerate() {
        if !target_exists(machine, arrow, errors) {
            continue;
        }
        let before = phase.to.iter().take(position);
        if before.into_iter().any(|other| other.name == arrow.name) {
            errors.at(
                arrow.span,
                format!(
                    "the arrow from `{}` to `{}` is there already; remove one",
                    phase.name, arrow.name
                ),
            );
        } else if arrow.name == phase.name {
            errors.at(
                arrow.span,
                format!(
                    "`{}` cannot move to itself: to stay, return `Step::poll_in`, `Step::wait` or `Step::settled`",
                    phase.name
                ),
            );
        } else if machine.phase(&arrow.name).is_some_and(|to| to.finalizer) {
            errors.at(
                arrow.span,
                format!(
                    "`{}` is entered by deletion, from any phase and by itself; remove this arrow",
                    arrow.name
                ),
            );
        } else if phase.finalizer {
            errors.at(
                arrow.span,
                format!(
                    "`{}` is left by `Step::gone(proof)` only, because an object that is being deleted stays so; remove this arrow",
                    phase.name
                ),
            );
        }
    }
}

fn target_exists(machine: &Machine, arrow: &Arrow, errors: &mut Errors) -> bool {
    if machine.phase(&arrow.name).is_some() {
        return true;
    }
    let names: Vec<String> = machine
        .phases
        .iter()
        .map(|phase| phase.name.to_string())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    errors.at(
        arrow.span,
        format!(
            "`{}` has no phase `{}`; {}",
            machine.name,
            arrow.name,
            suggest::hint(&arrow.name.to_string(), &names)
        ),
    );
    false
}

fn deadline(machine: &Machine, phase: &Phase, errors: &mut Errors) {
    match (&phase.deadline, &phase.on_deadline) {
        _ if phase.damaged => {}
        (Some(deadline), None) => errors.at(
            deadline.span,
            format!(
                "what happens to an object that is still in `{}` then? add `on_deadline = ` and one of its arrows",
                phase.name
            ),
        ),
        (None, Some(arrow)) => errors.at(
            arrow.span,
            format!("`on_deadline` without a deadline never fires; add `deadline = \"30m\"` to `{}`", phase.name),
        ),
        (Some(_), Some(arrow))
            if target_exists(machine, arrow, errors)
                && !machine.targets(phase).contains(&&arrow.name) =>
        {
            errors.at(
                arrow.span,
                format!(
                    "an expired deadline moves like any other, and `{}` has no arrow to `{}`; add it to `to(..)`",
                    phase.name, arrow.name
                ),
            );
        }
        _ => {}
    }
}

fn way_out(machine: &Machine, phase: &Phase, errors: &mut Errors) {
    if phase.steady || phase.finalizer || phase.damaged {
        return;
    }
    // An arrow that is wrong is told already.
    let leaves = !phase.to.is_empty() || !machine.targets(phase).is_empty();
    if !leaves {
        errors.at(
            phase.span,
            format!(
                "an object in `{}` could never leave it: add an arrow, `#[phase(to(..))]`, or mark the phase `steady`",
                phase.name
            ),
        );
    }
}

/// Every phase must be on some way from the initial one. Arrows that are wrong themselves still count here, so that one
/// mistake gives one message.
fn reachable(machine: &Machine, errors: &mut Errors) {
    let Some(initial) = machine.initial() else {
        return;
    };
    // A second initial phase is a mistake told elsewhere; what it leads to is none.
    let mut next: Vec<&Phase> = machine
        .phases
        .iter()
        .filter(|phase| phase.initial)
        .collect();
    let mut seen: BTreeSet<&Ident> = next.iter().map(|phase| &phase.name).collect();
    while let Some(phase) = next.pop() {
        for target in machine.targets(phase) {
            if seen.insert(target) {
                next.extend(machine.phase(target));
            }
        }
    }
    let misspelt = machine.phases.iter().any(|phase| {
        let unknown = |arrow: &Arrow| machine.phase(&arrow.name).is_none();
        phase.damaged || phase.to.iter().any(unknown)
    });
    for phase in &machine.phases {
        let reached = seen.contains(&phase.name) || phase.finalizer || phase.failed;
        if !reached && !misspelt {
            errors.at(
                phase.span,
                format!(
                    "no arrow reaches `{0}` from `{1}`: add `{0}` to the `to(..)` of the phase that leads here, or remove it",
                    phase.name, initial.name
                ),
            );
        }
    }
}
