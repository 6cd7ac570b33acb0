//! Names for the types of a schema: short, unique, and no longer than they must be.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{RESERVED_TYPES, camel, unique};

/// One level of the way to a type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    /// The property.
    pub(super) name: String,
    /// Whether the type is of an item or a map's value, so that a plural becomes a singular.
    pub(super) is_item: bool,
}

impl Segment {
    /// Its part of a type's name.
    pub(super) fn camel(&self) -> String {
        let name = camel(&self.name);
        if self.is_item { singular(&name) } else { name }
    }
}

/// `Policies` -> `Policy`, `Conditions` -> `Condition`; words that only look plural stay.
fn singular(name: &str) -> String {
    if let Some(stem) = name.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    for ending in ["sses", "xes", "ches", "shes"] {
        if name.ends_with(ending) {
            return name[..name.len() - 2].to_owned();
        }
    }
    let looks_plural = !["ss", "us", "is", "os"]
        .iter()
        .any(|ending| name.ends_with(ending));
    name.strip_suffix('s')
        .filter(|stem| looks_plural && stem.len() > 1)
        .unwrap_or(name)
        .to_owned()
}

/// How much of its way a type's name tells.
#[derive(Clone, Copy)]
enum Length {
    /// The last so many segments.
    Last(usize),
    /// The segment at that index, which no contender has, and the last one.
    By(usize),
}

/// Type names for the given ways: kind plus last segment, and more only for those that clash: first the nearest segment that none of the
/// contenders has, then segment by segment. `pinned` names are nobody else's.
///
/// The result depends on the set of ways, not on their order, and a name only changes when another type comes to clash with it.
pub(super) fn types(
    kind: &str,
    ways: &[Vec<Segment>],
    pinned: &BTreeMap<usize, String>,
) -> Vec<String> {
    let mut lengths = vec![Length::Last(1); ways.len()];
    let name = |index: usize, length: Length| -> String {
        let way = &ways[index];
        let last = way.last().map(Segment::camel).unwrap_or_default();
        match length {
            Length::Last(count) => {
                let tail: String = way[way.len().saturating_sub(count)..]
                    .iter()
                    .map(Segment::camel)
                    .collect();
                format!("{kind}{tail}")
            }
            Length::By(at) => format!("{kind}{}{last}", way[at].camel()),
        }
    };
    loop {
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, &length) in lengths.iter().enumerate() {
            let name = pinned
                .get(&index)
                .cloned()
                .unwrap_or_else(|| name(index, length));
            groups.entry(name).or_default().push(index);
        }
        let mut grown = lengths.clone();
        let mut is_settled = true;
        for (name, members) in &groups {
            if members.len() == 1 && name != kind && !RESERVED_TYPES.contains(&name.as_str()) {
                continue;
            }
            for &index in members.iter().filter(|index| !pinned.contains_key(index)) {
                let longer = match lengths[index] {
                    Length::Last(1) => {
                        telling(ways, index, members).map_or(Length::Last(2), Length::By)
                    }
                    Length::By(_) => Length::Last(2),
                    Length::Last(count) => Length::Last(count + 1),
                };
                if !matches!(longer, Length::Last(count) if count > ways[index].len()) {
                    grown[index] = longer;
                    is_settled = false;
                }
            }
        }
        lengths = grown;
        if is_settled {
            break;
        }
    }
    let mut used: BTreeSet<String> = pinned.values().cloned().chain([kind.to_owned()]).collect();
    let mut result: Vec<String> = vec![String::new(); ways.len()];
    let mut order: Vec<usize> = (0..ways.len()).collect();
    order.sort_by_key(|index| &ways[*index]);
    for index in order {
        result[index] = pinned
            .get(&index)
            .cloned()
            .unwrap_or_else(|| unique(&name(index, lengths[index]), "", &mut used));
    }
    result
}

/// The nearest segment above the last that no other member has on its way.
fn telling(ways: &[Vec<Segment>], index: usize, members: &[usize]) -> Option<usize> {
    let way = &ways[index];
    (0..way.len().saturating_sub(1)).rev().find(|at| {
        let camel = way[*at].camel();
        members
            .iter()
            .filter(|member| **member != index)
            .all(|member| ways[*member].iter().all(|segment| segment.camel() != camel))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_grow_only_where_they_clash() {
        let way = |names: &[&str]| -> Vec<Segment> {
            names
                .iter()
                .map(|name| Segment {
                    name: (*name).to_owned(),
                    is_item: name.ends_with('s') && *name != "status",
                })
                .collect()
        };
        let ways = [
            way(&["spec"]),
            way(&["spec", "template", "spec"]),
            way(&["spec", "policies"]),
            way(&["status", "policies"]),
            way(&["spec", "x"]),
        ];
        let pinned = BTreeMap::from([(0, "PoolSpec".to_owned())]);
        assert_eq!(
            types("Pool", &ways, &pinned),
            [
                "PoolSpec",
                "PoolTemplateSpec",
                "PoolSpecPolicy",
                "PoolStatusPolicy",
                "PoolX"
            ]
        );
    }
}
