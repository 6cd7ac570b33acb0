//! What the server should hold: its own status with the handler's changes laid over it.

use serde_json::{Map, Value};

use super::{
    conditions,
    normal::{Volatile, by_key, key_of, same},
    rules::{Node, Owner, Rules},
};
use crate::mutant::{Mutant, mutated};

/// What becomes of one member.
enum Slot {
    Keep,
    Set(Value),
    Remove,
}

/// The server's raw status with what changed between `before` and `after`: set what was set, removed what was
/// cleared, list-maps merged by key, other lists replaced. Fields the status type does not know stay. What the runtime
/// owns is not taken from `after`. If nothing but volatile fields changed, the server's value comes back as it is.
///
/// Without a server status everything in `after` counts as set.
#[must_use]
pub fn three_way(rules: &Rules, server: Option<&Value>, before: &Value, after: &Value) -> Value {
    let merged = merged(rules, server, before, after);
    match server.filter(|server| server.is_object()) {
        Some(server) if same(rules.root(), Some(server), Some(&merged), Volatile::Ignored) => {
            server.clone()
        }
        _ => merged,
    }
}

/// [`three_way`] with volatile fields always taken over.
pub(super) fn merged(
    rules: &Rules,
    server: Option<&Value>,
    before: &Value,
    after: &Value,
) -> Value {
    let empty = || Value::Object(Map::new());
    match server.filter(|server| server.is_object()) {
        None => fresh(rules.root(), after).unwrap_or_else(empty),
        Some(server) => match merge(rules.root(), Some(server), Some(before), Some(after)) {
            Slot::Set(value) => value,
            Slot::Keep => server.clone(),
            Slot::Remove => empty(),
        },
    }
}

fn merge(
    node: &Node,
    server: Option<&Value>,
    before: Option<&Value>,
    after: Option<&Value>,
) -> Slot {
    let server = server.filter(|value| !value.is_null());
    let after = after.filter(|value| !value.is_null());
    // Conditions that are no list are nobody's: the runtime makes a list of them.
    let conditions = node.owner == Owner::Conditions;
    let server = server.filter(|value| !conditions || value.is_array());
    let after = after.filter(|value| !conditions || value.is_array());
    if node.owner == Owner::Machine || same(node, before, after, Volatile::Counts) {
        return Slot::Keep;
    }
    match (server, after) {
        (None, None) => Slot::Keep,
        (Some(_), None) if mutated(Mutant::ClearedFields) => Slot::Keep,
        (Some(server), None) => clear(node, server, before),
        (Some(Value::Object(server)), Some(Value::Object(after))) => {
            merge_members(node, server, members(before), after)
        }
        (Some(server), Some(after)) => {
            let lists = (server.as_array(), after.as_array());
            let by_key = match (&node.keys, lists) {
                (Some(keys), (Some(server), Some(after))) => {
                    merge_items(node, keys, server, items(before), after)
                }
                _ => None,
            };
            by_key.unwrap_or_else(|| {
                if same(node, Some(server), Some(after), Volatile::Counts) {
                    Slot::Keep
                } else {
                    fresh(node, after).map_or(Slot::Remove, Slot::Set)
                }
            })
        }
        (None, Some(after)) => fresh(node, after).map_or(Slot::Keep, Slot::Set),
    }
}

/// The handler cleared it; what others have in it (the runtime's fields, foreign items of a list-map) stays.
fn clear(node: &Node, server: &Value, before: Option<&Value>) -> Slot {
    let slot = match (server, &node.keys) {
        (Value::Object(server), _) if node.holds_machine => {
            Some(merge_members(node, server, members(before), &Map::new()))
        }
        (Value::Array(server), Some(keys)) => merge_items(node, keys, server, items(before), &[]),
        _ => None,
    };
    match slot {
        Some(Slot::Set(Value::Array(left))) if left.is_empty() => Slot::Remove,
        Some(Slot::Set(Value::Object(left))) if left.is_empty() => Slot::Remove,
        Some(slot) => slot,
        None => Slot::Remove,
    }
}

fn merge_members(
    node: &Node,
    server: &Map<String, Value>,
    before: Option<&Map<String, Value>>,
    after: &Map<String, Value>,
) -> Slot {
    let before_of = |name: &str| before.and_then(|before| before.get(name));
    let cleared = before
        .into_iter()
        .flat_map(Map::keys)
        .filter(|name| !after.contains_key(*name));
    let mut out: Option<Map<String, Value>> = None;
    for name in after.keys().chain(cleared) {
        let slot = merge(
            node.child(name),
            server.get(name),
            before_of(name),
            after.get(name),
        );
        match slot {
            Slot::Keep => {}
            Slot::Set(value) => {
                let out = out.get_or_insert_with(|| server.clone());
                out.insert(name.clone(), value);
            }
            Slot::Remove => {
                out.get_or_insert_with(|| server.clone()).remove(name);
            }
        }
    }
    out.map_or(Slot::Keep, |members| Slot::Set(Value::Object(members)))
}

/// Merges list-maps; `None` if one of them is none, so that it has to be replaced as a whole.
fn merge_items(
    node: &Node,
    keys: &[String],
    server: &[Value],
    before: Option<&[Value]>,
    after: &[Value],
) -> Option<Slot> {
    let known = by_key(keys, server)?;
    let wanted = by_key(keys, after)?;
    let before = before
        .and_then(|items| by_key(keys, items))
        .unwrap_or_default();
    let of_machine =
        |item: &Value| node.owner == Owner::Conditions && conditions::is_owned_item(item);
    let mut changed = false;
    let mut out = Vec::with_capacity(server.len());
    for item in server {
        let key = key_of(keys, item)?;
        let after = wanted.get(&key).copied();
        if after.is_none() && before.contains_key(&key) && !of_machine(item) {
            changed = true;
            continue;
        }
        let slot = match after {
            Some(after) if !of_machine(item) => merge(
                node.item(),
                Some(item),
                before.get(&key).copied(),
                Some(after),
            ),
            _ => Slot::Keep,
        };
        let mut new = match slot {
            Slot::Set(value) => value,
            Slot::Keep | Slot::Remove => item.clone(),
        };
        if node.owner == Owner::Conditions {
            keep_transition_time(item, &mut new);
        }
        changed |= new != *item;
        out.push(new);
    }
    for item in after {
        let key = key_of(keys, item)?;
        if known.contains_key(&key) || of_machine(item) {
            continue;
        }
        if let Slot::Set(value) = merge(node.item(), None, before.get(&key).copied(), Some(item)) {
            changed = true;
            out.push(value);
        }
    }
    Some(if changed {
        Slot::Set(Value::Array(out))
    } else {
        Slot::Keep
    })
}

/// A condition whose status did not flip keeps its time, whatever its author wrote.
fn keep_transition_time(old: &Value, new: &mut Value) {
    const TIME: &str = "lastTransitionTime";
    if old.get("status") == new.get("status")
        && let (Some(time), Some(members)) = (old.get(TIME), new.as_object_mut())
    {
        members.insert(TIME.to_owned(), time.clone());
    }
}

/// A value where there was none: without nulls (a schema refuses most of them) and without what the runtime owns.
fn fresh(node: &Node, value: &Value) -> Option<Value> {
    match value {
        _ if node.owner == Owner::Machine => None,
        Value::Null => None,
        Value::Object(members) => {
            let kept: Map<_, _> = members
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), fresh(node.child(name), value)?)))
                .collect();
            // A parent that held the runtime's fields only says nothing of its own.
            let hollow = kept.is_empty() && !members.is_empty() && node.holds_machine;
            (!hollow).then_some(Value::Object(kept))
        }
        Value::Array(items) => {
            let conditions = node.owner == Owner::Conditions;
            let kept: Vec<_> = items
                .iter()
                .filter(|item| !(conditions && conditions::is_owned_item(item)))
                .map(|item| fresh(node.item(), item).unwrap_or(Value::Null))
                .collect();
            let hollow = kept.is_empty() && !items.is_empty();
            (!hollow).then_some(Value::Array(kept))
        }
        value => Some(value.clone()),
    }
}

fn members(value: Option<&Value>) -> Option<&Map<String, Value>> {
    value?.as_object()
}

fn items(value: Option<&Value>) -> Option<&[Value]> {
    value?.as_array().map(Vec::as_slice)
}
