//! What differs between two versions of an object, as sets of paths.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Reset;
use super::element::{PathElement, same_value};
use super::set::{FieldSet, Node};
use super::types::{Atom, ListRef, MapRef, TypeRef};

/// The difference between two values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Comparison {
    /// What only the new one has.
    pub(super) added: FieldSet,
    /// What both have with different values.
    pub(super) modified: FieldSet,
    /// What only the old one has.
    pub(super) removed: FieldSet,
}

impl Comparison {
    pub(super) fn of(kind: TypeRef<'_>, old: &Value, new: &Value) -> Self {
        Self::through(Reset::Nothing, kind, old, new)
    }

    /// The difference between two objects, apart from what an endpoint resets.
    pub(super) fn through(reset: Reset, kind: TypeRef<'_>, old: &Value, new: &Value) -> Self {
        let mut found = Found::default();
        if let Atom::Map(map) = kind.atom(new) {
            maps(map, Some(old), Some(new), reset, &mut found);
        }
        found.below
    }

    pub(super) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.removed.is_empty()
    }

    fn put(&mut self, element: impl Fn() -> PathElement, found: Found) {
        let put = |set: &mut FieldSet, member, children: FieldSet| {
            if member || !children.is_empty() {
                set.put(Node {
                    element: element(),
                    member,
                    children,
                });
            }
        };
        let Found { own, below } = found;
        put(&mut self.added, own == Own::Added, below.added);
        put(&mut self.modified, own == Own::Modified, below.modified);
        put(&mut self.removed, own == Own::Removed, below.removed);
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Own {
    #[default]
    Same,
    Added,
    Modified,
    Removed,
}

/// The difference at a value, and below it.
#[derive(Default)]
struct Found {
    own: Own,
    below: Comparison,
}

impl Found {
    fn is_nothing(&self) -> bool {
        self.own == Own::Same && self.below.is_empty()
    }
}

fn visit(kind: TypeRef<'_>, old: Option<&Value>, new: Option<&Value>) -> Found {
    let mut found = Found::default();
    let forms = match (old, new) {
        _ if old == new => return found,
        (None, None) => return found,
        (Some(one), None) | (None, Some(one)) => [Some((kind.atom(one), old, new)), None],
        (Some(before), Some(after)) => {
            let (was, is) = (kind.atom(before), kind.atom(after));
            if std::mem::discriminant(&was) == std::mem::discriminant(&is) || before.is_null() {
                [Some((is, old, new)), None]
            } else if after.is_null() {
                [Some((was, old, new)), None]
            } else {
                // A value of another form: what was below is gone, what is below is new.
                [Some((was, old, new)), Some((is, old, new))]
            }
        }
    };
    for (atom, old, new) in forms.into_iter().flatten() {
        match atom {
            Atom::Map(map) if !map.atomic => maps(map, old, new, Reset::Nothing, &mut found),
            Atom::List(list) if !list.is_atomic() => lists(list, old, new, &mut found),
            _ => leaf(old, new, &mut found),
        }
    }
    match (old, new) {
        (None, Some(_)) => found.own = Own::Added,
        (Some(_), None) => found.own = Own::Removed,
        _ => {}
    }
    found
}

fn leaf(old: Option<&Value>, new: Option<&Value>, found: &mut Found) {
    if let (Some(old), Some(new)) = (old, new)
        && !same_value(old, new)
    {
        found.own = Own::Modified;
    }
}

fn maps(
    map: MapRef<'_>,
    old: Option<&Value>,
    new: Option<&Value>,
    reset: Reset,
    found: &mut Found,
) {
    fn fields_of(value: Option<&Value>) -> Option<&Map<String, Value>> {
        value
            .and_then(Value::as_object)
            .filter(|fields| !fields.is_empty())
    }
    let (before, after) = (fields_of(old), fields_of(new));
    if before.is_none() && after.is_none() {
        return leaf(old, new, found);
    }
    if before.is_none() {
        found.below.added = FieldSet::with_room(after.map_or(0, Map::len));
    }
    let counts = |(name, _): &(&String, &Value)| !reset.covers(name);
    for (name, value) in before.into_iter().flatten().filter(counts) {
        field(
            map,
            name,
            Some(value),
            after.and_then(|after| after.get(name)),
            found,
        );
    }
    for (name, value) in after.into_iter().flatten().filter(counts) {
        if before.is_none_or(|before| !before.contains_key(name)) {
            field(map, name, None, Some(value), found);
        }
    }
}

fn field(map: MapRef<'_>, name: &str, old: Option<&Value>, new: Option<&Value>, found: &mut Found) {
    let kind = map.field(name).unwrap_or(TypeRef::Deduced);
    let below = visit(kind, old, new);
    if !below.is_nothing() {
        found.below.put(|| PathElement::field(name), below);
    }
}

/// The items of one side under an element.
#[derive(Default)]
struct Pair<'a> {
    old: Vec<&'a Value>,
    new: Vec<&'a Value>,
}

fn lists(list: ListRef<'_>, old: Option<&Value>, new: Option<&Value>, found: &mut Found) {
    fn items(value: Option<&Value>) -> &[Value] {
        value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
    let (before, after) = (items(old), items(new));
    if before.is_empty() && after.is_empty() {
        return leaf(old, new, found);
    }
    if before == after {
        return;
    }
    if list.are_aligned(before, after) {
        for (before, after) in before.iter().zip(after) {
            let below = visit(list.item(), Some(before), Some(after));
            if !below.is_nothing()
                && let Ok(element) = list.element(after)
            {
                found.below.put(|| element.clone(), below);
            }
        }
        return;
    }
    let mut pairs: BTreeMap<PathElement, Pair<'_>> = BTreeMap::new();
    for item in before {
        if let Ok(element) = list.element(item) {
            pairs.entry(element).or_default().old.push(item);
        }
    }
    for item in after {
        if let Ok(element) = list.element(item) {
            pairs.entry(element).or_default().new.push(item);
        }
    }
    if before.is_empty() {
        found.below.added = FieldSet::with_room(pairs.len());
    }
    for (element, pair) in &pairs {
        let below = compare_items(list.item(), pair);
        if !below.is_nothing() {
            found.below.put(|| element.clone(), below);
        }
    }
}

/// Items that share an element with others count as one value.
fn compare_items(kind: TypeRef<'_>, pair: &Pair<'_>) -> Found {
    match (pair.old.as_slice(), pair.new.as_slice()) {
        ([] | [_], [] | [_]) => visit(kind, pair.old.first().copied(), pair.new.first().copied()),
        ([_, _, ..], [_, _, ..]) => {
            let same = pair.old.len() == pair.new.len()
                && pair
                    .old
                    .iter()
                    .zip(&pair.new)
                    .all(|(a, b)| same_value(a, b));
            Found {
                own: if same { Own::Same } else { Own::Modified },
                ..Found::default()
            }
        }
        ([_, _, ..], new) => {
            let mut found = visit(kind, None, new.first().copied());
            found.own = Own::Removed;
            found
        }
        (old, _) => {
            let mut found = visit(kind, old.first().copied(), None);
            found.own = Own::Added;
            found
        }
    }
}
