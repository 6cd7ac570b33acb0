//! Merges an applied configuration into the live object.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Value};

use super::element::PathElement;
use super::types::{Atom, ListRef, MapRef, TypeRef};

/// The live value with the configuration merged into it; what the configuration says wins.
///
/// # Errors
/// If the items of a list-map or set cannot be told apart, in the words of the real server.
pub(super) fn merge(kind: TypeRef<'_>, live: &Value, config: &Value) -> Result<Value, String> {
    Ok(visit(kind, Some(live), Some(config))?.unwrap_or(Value::Null))
}

fn visit(
    kind: TypeRef<'_>,
    live: Option<&Value>,
    config: Option<&Value>,
) -> Result<Option<Value>, String> {
    let Some(decisive) = config.or(live) else {
        return Ok(None);
    };
    match kind.atom(decisive) {
        Atom::Map(map) if !map.atomic => merge_maps(map, live, config),
        Atom::List(list) if !list.is_atomic() => merge_lists(list, live, config),
        _ => Ok(Some(decisive.clone())),
    }
}

fn merge_maps(
    map: MapRef<'_>,
    live: Option<&Value>,
    config: Option<&Value>,
) -> Result<Option<Value>, String> {
    let fields = |value: Option<&Value>| {
        value
            .and_then(Value::as_object)
            .filter(|fields| !fields.is_empty())
            .cloned()
    };
    let (left, right) = match (fields(live), fields(config)) {
        // Both empty: a leaf, so that `{}` and `null` stay what they are.
        (None, None) => return Ok(config.or(live).cloned()),
        (left, right) => (left.unwrap_or_default(), right.unwrap_or_default()),
    };
    let mut merged = Map::new();
    for (name, value) in &left {
        let kind = map.field(name).unwrap_or(TypeRef::Deduced);
        if let Some(value) = visit(kind, Some(value), right.get(name))? {
            merged.insert(name.clone(), value);
        }
    }
    for (name, value) in right.iter().filter(|(name, _)| !left.contains_key(*name)) {
        let kind = map.field(name).unwrap_or(TypeRef::Deduced);
        if let Some(value) = visit(kind, None, Some(value))? {
            merged.insert(name.clone(), value);
        }
    }
    Ok(Some(Value::Object(merged)))
}

/// The items of one side, in order and by their element.
struct Side<'a> {
    order: Vec<(PathElement, &'a Value)>,
    /// `None`: several items share the element.
    items: BTreeMap<PathElement, Option<&'a Value>>,
}

impl<'a> Side<'a> {
    fn of(list: ListRef<'_>, value: Option<&'a Value>, duplicates: bool) -> Result<Self, String> {
        let mut side = Self {
            order: Vec::new(),
            items: BTreeMap::new(),
        };
        for (index, item) in value
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            let element = list
                .element(item)
                .map_err(|text| format!("element {index}: {text}"))?;
            match side.items.get_mut(&element) {
                Some(_) if !duplicates => {
                    return Err(format!("duplicate entries for key {element}"));
                }
                Some(present) => *present = None,
                None => {
                    side.items.insert(element.clone(), Some(item));
                }
            }
            side.order.push((element, item));
        }
        Ok(side)
    }

    fn get(&self, element: &PathElement) -> Option<&'a Value> {
        self.items.get(element).copied().flatten()
    }
}

/// Keeps the order of both sides as far as they agree; the configuration's order wins for items of both.
fn merge_lists(
    list: ListRef<'_>,
    live: Option<&Value>,
    config: Option<&Value>,
) -> Result<Option<Value>, String> {
    let is_empty =
        |value: Option<&Value>| value.and_then(Value::as_array).is_none_or(Vec::is_empty);
    if is_empty(live) && is_empty(config) {
        return Ok(config.or(live).cloned());
    }
    let right = Side::of(list, config, false)?;
    let left = Side::of(list, live, true)?;
    let mut shared: VecDeque<&PathElement> = right
        .order
        .iter()
        .map(|(element, _)| element)
        .filter(|element| left.items.contains_key(*element))
        .collect();
    let mut done: BTreeSet<&PathElement> = BTreeSet::new();
    let mut merged = Vec::with_capacity(left.order.len().max(right.order.len()));
    let (mut l, mut r) = (0, 0);
    while l < left.order.len() || r < right.order.len() {
        let next_right = right.order.get(r);
        if let Some((element, item)) = left.order.get(l) {
            let in_right = right.items.contains_key(element);
            if let Some((wanted, _)) = next_right {
                if element != wanted
                    && in_right
                    && shared.front().is_some_and(|next| *next != element)
                {
                    // An item of both, but not the one whose turn it is.
                    l += 1;
                    continue;
                }
                if element == wanted {
                    l += 1;
                    // Falls through to take the right item, which merges with this one.
                }
            }
            if !in_right {
                merged.extend(visit(list.item(), Some(item), None)?);
                l += 1;
                continue;
            }
            if done.contains(element) {
                l += 1;
            }
        }
        if let Some((element, item)) = next_right {
            done.insert(element);
            merged.extend(visit(list.item(), left.get(element), Some(item))?);
            r += 1;
            if shared.front().is_some_and(|next| *next == element) {
                shared.pop_front();
            }
        }
    }
    Ok(if merged.is_empty() {
        None
    } else {
        Some(Value::Array(merged))
    })
}
