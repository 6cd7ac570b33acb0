//! Which names of a definition are accepted, and the conditions that say so.

use serde_json::{Value, json};

use super::defaulting::set_condition;

/// The status of `definition` after its names were compared with those that other definitions of its group have
/// got; `now` is RFC 3339.
///
/// A definition whose names are accepted is established at once: the real server takes a moment for it.
pub fn accept_names(definition: &Value, others: &[&Value], now: &str) -> Value {
    let mut status = definition["status"].clone();
    let wanted = &definition["spec"]["names"];
    let taken = Taken::of(definition, others);
    let mut accepted = status["acceptedNames"].clone();
    if !accepted.is_object() {
        accepted = json!({ "plural": "", "kind": "" });
    }
    let mut conflict: Option<(&str, String)> = None;
    for (field, reason, used) in [
        ("plural", "PluralConflict", &taken.resources),
        ("singular", "SingularConflict", &taken.resources),
        ("shortNames", "ShortNamesConflict", &taken.resources),
        ("kind", "KindConflict", &taken.kinds),
        ("listKind", "ListKindConflict", &taken.kinds),
    ] {
        let faults: Vec<String> = texts(&wanted[field])
            .into_iter()
            .filter(|name| !texts(&accepted[field]).contains(name) && used.contains(name))
            .map(|name| format!("{name:?} is already in use"))
            .collect();
        match faults.as_slice() {
            [] => copy(wanted, &mut accepted, field),
            [one] => conflict = Some((reason, one.clone())),
            many => conflict = Some((reason, format!("[{}]", many.join(", ")))),
        }
    }
    copy(wanted, &mut accepted, "categories");
    status["acceptedNames"] = accepted;
    conditions(&mut status, conflict, now);
    status
}

fn conditions(status: &mut Value, conflict: Option<(&str, String)>, now: &str) {
    let good = conflict.is_none();
    let condition = |kind: &str, holds: bool, reason: &str, message: &str| {
        json!({
            "type": kind,
            "status": if holds { "True" } else { "False" },
            "lastTransitionTime": now,
            "reason": reason,
            "message": message,
        })
    };
    set_condition(
        status,
        match &conflict {
            None => condition("NamesAccepted", true, "NoConflicts", "no conflicts found"),
            Some((reason, message)) => condition("NamesAccepted", false, reason, message),
        },
    );
    if is_established(status) {
        return;
    }
    let established = if good {
        condition(
            "Established",
            true,
            "InitialNamesAccepted",
            "the initial names have been accepted",
        )
    } else {
        condition(
            "Established",
            false,
            "NotAccepted",
            "not all names are accepted",
        )
    };
    set_condition(status, established);
}

/// Whether the condition `Established` holds.
pub(super) fn is_established(status: &Value) -> bool {
    let conditions = status["conditions"].as_array().into_iter().flatten();
    conditions
        .into_iter()
        .any(|condition| condition["type"] == "Established" && condition["status"] == "True")
}

struct Taken {
    resources: Vec<String>,
    kinds: Vec<String>,
}

impl Taken {
    fn of(definition: &Value, others: &[&Value]) -> Self {
        let mut taken = Self {
            resources: Vec::new(),
            kinds: Vec::new(),
        };
        for other in others {
            let same = other["metadata"]["name"] == definition["metadata"]["name"];
            if same || other["spec"]["group"] != definition["spec"]["group"] {
                continue;
            }
            let names = &other["status"]["acceptedNames"];
            for field in ["plural", "singular", "shortNames"] {
                taken.resources.extend(texts(&names[field]));
            }
            for field in ["kind", "listKind"] {
                taken.kinds.extend(texts(&names[field]));
            }
        }
        taken
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if !text.is_empty() => vec![text.clone()],
        Value::Array(list) => list
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

fn copy(wanted: &Value, accepted: &mut Value, field: &str) {
    let Some(map) = accepted.as_object_mut() else {
        return;
    };
    match wanted.get(field) {
        Some(value) if !value.is_null() => {
            map.insert(field.to_owned(), value.clone());
        }
        _ => {
            map.remove(field);
        }
    }
}
