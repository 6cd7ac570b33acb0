//! Kinds that are owned or watched: each by itself, and beside the kind it belongs to.

use super::check;
use crate::answers::{Answer, KindAnswers};
use crate::error::{Bag, Problem};
use crate::model::{Kind, Related, Scope, Use};

/// What is owned and what is watched; what is wrong with either goes into the bag.
pub(super) fn of(
    answers: &KindAnswers,
    kind: Option<&Kind>,
    scope: Option<Scope>,
    bag: &mut Bag,
) -> (Vec<Related>, Vec<Related>) {
    let owns = list(&answers.owns, Use::Owns, bag);
    let watches = list(&answers.watches, Use::Watches, bag);
    for (answer, related) in answers.owns.iter().zip(&owns) {
        if let (Some(related), Some(Scope::Namespaced)) = (related, scope)
            && related.is_cluster_scoped()
        {
            bag.push(
                Problem::new(format!(
                    "a namespaced object cannot own a `{}`, which is cluster-scoped: it would be collected at once",
                    related.kind()
                ))
                .at(answer.place.clone())
                .mend("choose `--scope cluster`, or own something else"),
            );
        }
    }
    if let Some(kind) = kind {
        names(kind, answers, &owns, &watches, bag);
    }
    (
        owns.into_iter().flatten().collect(),
        watches.into_iter().flatten().collect(),
    )
}

fn list(answers: &[Answer<String>], used: Use, bag: &mut Bag) -> Vec<Option<Related>> {
    answers
        .iter()
        .map(|answer| bag.take(check(answer, |text| Related::parse(text.trim(), used))))
        .collect()
}

/// Types of one module may not share a name.
fn names(
    kind: &Kind,
    answers: &KindAnswers,
    owns: &[Option<Related>],
    watches: &[Option<Related>],
    bag: &mut Bag,
) {
    let ours = ["", "Spec", "Status", "Phase", "Provider"].map(|ending| format!("{kind}{ending}"));
    let all = answers.owns.iter().zip(owns).map(|one| (Use::Owns, one));
    let all = all.chain(
        answers
            .watches
            .iter()
            .zip(watches)
            .map(|one| (Use::Watches, one)),
    );
    let mut seen: Vec<(Use, &Related)> = Vec::new();
    for (used, (answer, related)) in all {
        let Some(related) = related else { continue };
        let name = related.kind();
        let problem = if ours.iter().any(|taken| taken == name) {
            Some(
                Problem::new(format!(
                    "`{}` would share its name with a type of kind `{kind}`",
                    related.spelled()
                ))
                .mend("rename the kind"),
            )
        } else if seen.contains(&(used, related)) {
            Some(
                Problem::new(format!("`{}` is named twice", related.spelled()))
                    .mend("name each kind once"),
            )
        } else {
            seen.iter()
                .find(|(_, other)| other.kind() == name && *other != related)
                .map(|(_, other)| {
                    Problem::new(format!(
                        "`{}` and `{}` would share the type name `{name}`",
                        other.spelled(),
                        related.spelled()
                    ))
                    .mend("keep one of them, and write the other's type by hand")
                })
        };
        match problem {
            Some(problem) => bag.push(problem.at(answer.place.clone())),
            None => seen.push((used, related)),
        }
    }
}
