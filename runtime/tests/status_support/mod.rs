//! What the status tests share: rules, phases, and a JSON patch applier as strict as the API server's.

#![allow(dead_code, clippy::unwrap_used)]

use jiff::Timestamp;
use json_patch::{Patch, PatchOperation};
use opgen_runtime::{
    graph::PhaseInfo,
    status::{FieldRule, MachinePaths, Rule, Rules},
};
use serde_json::Value;

pub(crate) const NESTED: MachinePaths = MachinePaths {
    phase: "/opgen/phase",
    phase_entered_at: "/opgen/phaseEnteredAt",
    observed_generation: "/opgen/observedGeneration",
    conditions: "/opgen/conditions",
};

const PHASE: PhaseInfo = PhaseInfo {
    name: "Pending",
    doc: "Accepted.",
    to: &[],
    initial: false,
    steady: false,
    failed: false,
    finalizer: false,
    deadline: None,
    on_deadline: None,
    resync: None,
};
pub(crate) const PENDING: PhaseInfo = PhaseInfo {
    initial: true,
    ..PHASE
};
pub(crate) const STEADY: PhaseInfo = PhaseInfo {
    name: "Steady",
    doc: "As wanted.",
    steady: true,
    ..PHASE
};
pub(crate) const FAILED: PhaseInfo = PhaseInfo {
    name: "Failed",
    doc: "Gave up.",
    failed: true,
    ..PHASE
};

pub(crate) fn rule(path: &str, rule: Rule) -> FieldRule {
    FieldRule {
        path: path.to_owned(),
        rule,
    }
}

/// `vol` and `deep.vol` are volatile, `cpu` a quantity, `at` a time, `parts` a list-map by `name` with a volatile
/// `seen`, `history` keeps three items.
pub(crate) fn rules(paths: MachinePaths) -> Rules {
    let name = || Rule::ListMap(vec!["name".to_owned()]);
    let rules = [
        rule("/vol", Rule::Volatile),
        rule("/deep/vol", Rule::Volatile),
        rule("/cpu", Rule::Quantity),
        rule("/at", Rule::Time),
        rule("/parts", name()),
        rule("/parts/*/seen", Rule::Volatile),
        rule("/parts/*/cpu", Rule::Quantity),
        rule("/history", Rule::Bounded(3)),
    ];
    Rules::new(&rules, paths)
}

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Applies a patch as kube-apiserver does: a test of a missing member against null passes, one below a missing parent
/// fails, and so does replacing or removing what is missing.
pub(crate) fn apply(object: &Value, patch: &Patch) -> Result<Value, String> {
    let mut object = object.clone();
    for operation in &patch.0 {
        let path = operation.path();
        let (parent, last) = path.split_back().ok_or("the root is not patched")?;
        let last = last.decoded().into_owned();
        let parent = object
            .pointer_mut(parent.as_str())
            .ok_or_else(|| format!("{path}: no parent"))?;
        match parent {
            Value::Object(members) => match operation {
                PatchOperation::Test(test) => {
                    let found = members.get(&last).unwrap_or(&Value::Null);
                    if *found != test.value {
                        return Err(format!("{path}: test failed"));
                    }
                }
                PatchOperation::Add(add) => {
                    members.insert(last, add.value.clone());
                }
                PatchOperation::Replace(replace) => {
                    let known = members.get_mut(&last).filter(|value| !value.is_null());
                    *known.ok_or_else(|| format!("{path}: nothing to replace"))? =
                        replace.value.clone();
                }
                PatchOperation::Remove(_) => {
                    members
                        .remove(&last)
                        .ok_or_else(|| format!("{path}: nothing to remove"))?;
                }
                other => return Err(format!("{path}: unexpected {other:?}")),
            },
            Value::Array(items) => match operation {
                PatchOperation::Add(add) if last == "-" => items.push(add.value.clone()),
                PatchOperation::Remove(_) if last.parse::<usize>().unwrap() < items.len() => {
                    items.remove(last.parse().unwrap());
                }
                other => return Err(format!("{path}: unexpected {other:?}")),
            },
            _ => return Err(format!("{path}: no parent")),
        }
    }
    Ok(object)
}
