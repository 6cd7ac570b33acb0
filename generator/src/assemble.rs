//! Answers -> [`Operator`]: every check of names, with the place of each answer.

use crate::adoption::Found;
use crate::answers::{Answer, Answers, KindAnswers};
use crate::crates;
use crate::error::{Bag, Place, Problem, Result};
use crate::model::{
    ApiGroup, ApiVersion, CrateName, DEFAULT, DEFAULT_INSIDE, DEFAULT_RELATED, External,
    K8sVersion, Kind, Machine, Operator, Plural, Resource, Scope, ShortName,
};

mod collisions;
mod relations;

/// Checks every answer.
///
/// # Errors
/// Everything that is wrong, at once, each with its place.
pub fn operator(answers: &Answers) -> Result<Operator> {
    let mut bag = Bag::default();
    let name = bag.take(check(&answers.name, CrateName::parse));
    let k8s = match &answers.k8s {
        Some(answer) => bag.take(check(answer, K8sVersion::parse)),
        None => Some(K8sVersion::default()),
    };
    let crates = match crates::resolve(&answers.source) {
        Ok(crates) => Some(crates),
        Err(failure) => {
            failure
                .problems
                .into_iter()
                .for_each(|problem| bag.push(problem));
            None
        }
    };
    let mut resources = Vec::new();
    for answers in &answers.kinds {
        resources.push(match &answers.from_crd {
            Some(file) => {
                let found = Found::read(
                    file,
                    Some(answers.kind.value.as_str()).filter(|kind| !kind.is_empty()),
                    answers.version.as_ref().map(|answer| answer.value.as_str()),
                )?;
                adopted(answers, found, &mut bag)
            }
            None => fresh(answers, &mut bag),
        });
    }
    let named = answers
        .kinds
        .iter()
        .zip(&resources)
        .filter_map(|(answers, resource)| Some((&answers.kind.place, resource.as_ref()?)));
    collisions::between(&named.collect::<Vec<_>>())
        .into_iter()
        .for_each(|problem| bag.push(problem));
    bag.finish()?;
    match (name, k8s, crates, resources.into_iter().collect()) {
        (Some(name), Some(k8s), Some(crates), Some(resources)) => Ok(Operator {
            name,
            resources,
            k8s,
            crates,
        }),
        // A part is absent only if its problem is in the bag.
        _ => Err(Problem::new("an answer is missing").environment()),
    }
}

fn check<T>(
    answer: &Answer<String>,
    parse: impl FnOnce(&str) -> Result<T, Problem>,
) -> Result<T, Problem> {
    parse(&answer.value).map_err(|problem| problem.at(answer.place.clone()))
}

fn fresh(answers: &KindAnswers, bag: &mut Bag) -> Option<Resource> {
    let kind = bag.take(check(&answers.kind, Kind::parse));
    let group = bag.take(check(&answers.group, ApiGroup::parse));
    let version = match &answers.version {
        Some(answer) => bag.take(check(answer, ApiVersion::parse)),
        None => ApiVersion::parse("v1alpha1").ok(),
    };
    let plural = match (&answers.plural, &kind) {
        (Some(answer), _) => bag.take(check(answer, Plural::parse)),
        (None, Some(kind)) => bag.take(
            Plural::parse(&kind.pluralised())
                .map_err(|problem| problem.at(Place::Derived("--plural"))),
        ),
        (None, None) => None,
    };
    if let (Some(plural), Some(group)) = (&plural, &group) {
        let name = format!("{plural}.{group}");
        if name.len() > 253 {
            bag.push(
                Problem::new(format!(
                    "the CRD's name `{name}` has {} characters of 253",
                    name.len()
                ))
                .at(answers.group.place.clone())
                .mend("choose a shorter group"),
            );
        }
    }
    let scope = match &answers.scope {
        Some(answer) => bag.take(check(answer, Scope::parse)),
        None => Some(Scope::default()),
    };
    let short = answers
        .short
        .iter()
        .filter_map(|answer| bag.take(check(answer, ShortName::parse)))
        .collect();
    let (external, machine) = behaviour(answers, kind.as_ref(), bag);
    let (owns, watches) = relations::of(answers, kind.as_ref(), scope, bag);
    Some(Resource {
        kind: kind?,
        group: group?,
        version: version?,
        plural: plural?,
        short,
        scope: scope?,
        machine: machine?,
        external: external?,
        owns,
        watches,
        adopted: None,
    })
}

/// The CRD names what `fresh` asks for; only the behaviour is still to be answered.
fn adopted(answers: &KindAnswers, found: Found, bag: &mut Bag) -> Option<Resource> {
    let at = Place::Path(found.path.clone());
    let kind = bag.take(Kind::parse(&found.kind).map_err(|problem| problem.at(at.clone())));
    let group =
        bag.take(ApiGroup::parse_existing(&found.group).map_err(|problem| problem.at(at.clone())));
    let version =
        bag.take(ApiVersion::parse(&found.version).map_err(|problem| problem.at(at.clone())));
    let plural = bag.take(Plural::parse(&found.plural).map_err(|problem| problem.at(at.clone())));
    // Short names of somebody else's CRD are not ours to judge; the CRD file keeps them.
    let short = found
        .short
        .iter()
        .filter_map(|name| ShortName::parse(name).ok())
        .collect();
    let (external, machine) = behaviour(answers, kind.as_ref(), bag);
    let (owns, watches) = relations::of(answers, kind.as_ref(), Some(found.scope), bag);
    Some(Resource {
        kind: kind?,
        group: group?,
        version: version?,
        plural: plural?,
        short,
        scope: found.scope,
        machine: machine?,
        external: external?,
        owns,
        watches,
        adopted: Some(found.adopted),
    })
}

fn behaviour(
    answers: &KindAnswers,
    kind: Option<&Kind>,
    bag: &mut Bag,
) -> (Option<External>, Option<Machine>) {
    let external = bag.take(check(&answers.external, External::parse));
    let outside = external != Some(External::None);
    let written: Vec<&str> = answers
        .phases
        .iter()
        .map(|answer| answer.value.as_str())
        .collect();
    let is_related = !answers.owns.is_empty() || !answers.watches.is_empty();
    let texts = match (written.is_empty(), outside) {
        (false, _) => &written[..],
        (true, true) => DEFAULT,
        (true, false) if is_related => DEFAULT_RELATED,
        (true, false) => DEFAULT_INSIDE,
    };
    let machine = kind.and_then(|kind| match Machine::parse(kind, texts, outside) {
        Ok(machine) => Some(machine),
        Err(problems) => {
            for (index, problem) in problems {
                // An added phase has no place of its own; the last written one stands for it.
                let answer = answers.phases.get(index).or(answers.phases.last());
                let place =
                    answer.map_or(Place::Derived("--phases"), |answer| answer.place.clone());
                bag.push(problem.at(place));
            }
            None
        }
    });
    (external, machine)
}
