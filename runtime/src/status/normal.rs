//! When two statuses mean the same, and the one form they share.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::{Map, Number, Value};

use super::{
    quantity::Quantity,
    rules::{Form, Node, Rules},
};
use crate::mutant::{Mutant, mutated};

/// Whether a volatile field counts as a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Volatile {
    Counts,
    Ignored,
}

/// Whether two statuses mean the same to every reader: null, `{}`, `[]` and absent are equal, quantities and times
/// compare by value where a rule says so, list-maps by key in no order, volatile fields not at all.
#[must_use]
pub fn semantically_equal(rules: &Rules, a: &Value, b: &Value) -> bool {
    same(rules.root(), Some(a), Some(b), Volatile::Ignored)
}

/// The one form of all statuses that are [`semantically_equal`]. For tests and messages: comparing does not need it.
#[must_use]
pub fn normalise(rules: &Rules, status: &Value) -> Value {
    match normal(rules.root(), status) {
        Value::Null => Value::Object(Map::new()),
        value => value,
    }
}

pub(super) fn same(node: &Node, a: Option<&Value>, b: Option<&Value>, volatile: Volatile) -> bool {
    if node.volatile && volatile == Volatile::Ignored {
        return true;
    }
    match (a.unwrap_or(&Value::Null), b.unwrap_or(&Value::Null)) {
        (Value::Object(a), Value::Object(b)) => same_members(node, a, b, volatile),
        (Value::Object(members), Value::Array(items))
        | (Value::Array(items), Value::Object(members)) => {
            items.is_empty() && is_nil(node, members, volatile)
        }
        (Value::Object(members), Value::Null) | (Value::Null, Value::Object(members)) => {
            is_nil(node, members, volatile)
        }
        (Value::Array(items), Value::Null) | (Value::Null, Value::Array(items)) => {
            items.is_empty() && !mutated(Mutant::SemanticEquality)
        }
        (Value::Array(a), Value::Array(b)) => same_items(node, a, b, volatile),
        (a, b) => a == b || (same_scalar(node.form, a, b) && !mutated(Mutant::SemanticEquality)),
    }
}

fn is_nil(node: &Node, members: &Map<String, Value>, volatile: Volatile) -> bool {
    members
        .iter()
        .all(|(name, value)| same(node.child(name), Some(value), None, volatile))
}

fn same_members(
    node: &Node,
    a: &Map<String, Value>,
    b: &Map<String, Value>,
    volatile: Volatile,
) -> bool {
    let both = a
        .iter()
        .all(|(name, value)| same(node.child(name), Some(value), b.get(name), volatile));
    both && b
        .iter()
        .filter(|(name, _)| !a.contains_key(*name))
        .all(|(name, value)| same(node.child(name), None, Some(value), volatile))
}

fn same_items(node: &Node, a: &[Value], b: &[Value], volatile: Volatile) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let item = node.item();
    let mut pairs = a.iter().zip(b);
    if pairs.all(|(a, b)| same(item, Some(a), Some(b), volatile)) {
        return true;
    }
    // Only then the dearer look: a list-map's items may stand in another order.
    let Some(keys) = &node.keys else { return false };
    let (Some(a), Some(b)) = (by_key(keys, a), by_key(keys, b)) else {
        return false;
    };
    a.iter().all(|(key, value)| {
        b.get(key)
            .is_some_and(|other| same(item, Some(value), Some(other), volatile))
    })
}

fn same_scalar(form: Form, a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => number(a) == number(b),
        _ if form == Form::Plain => false,
        _ => matches!((scalar(form, a), scalar(form, b)), (Some(a), Some(b)) if a == b),
    }
}

fn normal(node: &Node, value: &Value) -> Value {
    if node.volatile {
        return Value::Null;
    }
    match value {
        Value::Object(members) => {
            let members: Map<_, _> = members
                .iter()
                .map(|(name, value)| (name.clone(), normal(node.child(name), value)))
                .filter(|(_, value)| !value.is_null())
                .collect();
            if members.is_empty() {
                Value::Null
            } else {
                Value::Object(members)
            }
        }
        Value::Array(items) if items.is_empty() => Value::Null,
        Value::Array(items) => {
            let mut sorted: Vec<&Value> = items.iter().collect();
            if let Some(keys) = &node.keys
                && by_key(keys, items).is_some()
            {
                sorted.sort_by_cached_key(|item| {
                    let texts = keys.iter().map(|key| item.get(key).map(Value::to_string));
                    texts.collect::<Vec<_>>()
                });
            }
            let item = node.item();
            Value::Array(
                sorted
                    .into_iter()
                    .map(|value| normal(item, value))
                    .collect(),
            )
        }
        Value::Number(value) => scalar(node.form, &Value::Number(value.clone()))
            .unwrap_or_else(|| Value::Number(number(value))),
        value => scalar(node.form, value).unwrap_or_else(|| value.clone()),
    }
}

/// A scalar in its normal form, if it has another than its own.
fn scalar(form: Form, value: &Value) -> Option<Value> {
    let text = match (form, value) {
        (Form::Quantity, Value::String(text)) => Quantity::parse(text)?.normal_form(),
        (Form::Quantity, Value::Number(number)) => {
            Quantity::parse(&number.to_string())?.normal_form()
        }
        (Form::Time, Value::String(text)) => text.parse::<Timestamp>().ok()?.to_string(),
        _ => return None,
    };
    Some(Value::String(text))
}

/// `1.0` is `1`: the server writes the shorter one.
fn number(value: &Number) -> Number {
    /// 2^53: up to here every integer has its own `f64`.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value.as_f64() {
        Some(float) if value.is_f64() && float.fract() == 0.0 && float.abs() <= EXACT => {
            #[expect(clippy::cast_possible_truncation, reason = "an integer within 2^53")]
            let integer = float as i64;
            Number::from(integer)
        }
        _ => value.clone(),
    }
}

/// The identity of a list-map's item.
pub(super) type Key<'a> = Vec<&'a Value>;

/// The items by key; `None` if this is not a list-map: an item that is no object or has no key, or a repeated key.
pub(super) fn by_key<'a>(
    keys: &[String],
    items: &'a [Value],
) -> Option<HashMap<Key<'a>, &'a Value>> {
    let mut found = HashMap::with_capacity(items.len());
    for item in items {
        if found.insert(key_of(keys, item)?, item).is_some() {
            return None;
        }
    }
    Some(found)
}

/// The key of one item; `None` if it has none. A member of a composite key may be absent, as one with a default is.
pub(super) fn key_of<'a>(keys: &[String], item: &'a Value) -> Option<Key<'a>> {
    let members = item.as_object()?;
    let key: Key<'a> = keys
        .iter()
        .map(|key| members.get(key).unwrap_or(&Value::Null))
        .collect();
    let scalars = key.iter().all(|part| match part {
        Value::Number(number) => !number.is_f64(),
        part => !part.is_object() && !part.is_array(),
    });
    (scalars && key.iter().any(|part| !part.is_null())).then_some(key)
}
