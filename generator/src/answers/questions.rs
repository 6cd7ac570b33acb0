//! What is asked about relations and the outside, and how an answer is read.

use super::Answer;
use crate::error::{Place, Problem};
use crate::model::{Related, Use};

const HTTP: (&str, &str) = ("http", "an HTTP API: a bounded client is generated");
const CUSTOM: (&str, &str) = (
    "custom",
    "something else: a trait to implement, and a simulation",
);
const NOTHING: (&str, &str) = ("none", "nothing: it works inside the cluster only");

/// What may be managed outside; the first is the default.
pub(super) const EXTERNAL: &[(&str, &str)] = &[HTTP, CUSTOM, NOTHING];
/// The same for a kind with children.
pub(super) const INSIDE: &[(&str, &str)] = &[NOTHING, HTTP, CUSTOM];

pub(super) const OWNS: &str =
    "Kinds it makes inside the cluster (Deployment,Service,...; Enter for none)";
pub(super) const WATCHES: &str = "Kinds its spec refers to (Secret,ConfigMap,...; Enter for none)";

pub(super) fn owned(text: &str) -> Result<(), Problem> {
    words(text).try_for_each(|kind| Related::parse(kind, Use::Owns).map(drop))
}

pub(super) fn watched(text: &str) -> Result<(), Problem> {
    words(text).try_for_each(|kind| Related::parse(kind, Use::Watches).map(drop))
}

/// What commas separate, without what is empty.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
}

pub(super) fn listed(answer: Option<String>, flag: &'static str) -> Vec<Answer<String>> {
    let answer = answer.unwrap_or_default();
    words(&answer)
        .map(|word| Answer {
            value: word.to_owned(),
            place: Place::Derived(flag),
        })
        .collect()
}

pub(super) fn asked(answer: Option<String>, default: String, flag: &'static str) -> Answer<String> {
    Answer {
        value: answer.unwrap_or(default),
        place: Place::Derived(flag),
    }
}
