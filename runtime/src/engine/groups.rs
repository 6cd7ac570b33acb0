//! Fairness groups: none of them may take every place.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::Arc,
};

use tokio::time::Instant;

use crate::engine::key::{ByKey, ObjectKey};
use crate::mutant::{Mutant, mutated};

/// So many groups have a name of their own in the metrics; the rest are `other`.
const NAMED: usize = 20;

/// A group's name.
pub(crate) type Group = Arc<str>;

/// Which group an object belongs to.
pub(crate) struct GroupBy<K>(pub(crate) Arc<dyn Fn(&K) -> String + Send + Sync>);

impl<K> Clone for GroupBy<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K> fmt::Debug for GroupBy<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GroupBy")
    }
}

/// Who runs, and who has to wait for others of its group.
pub(crate) struct Groups {
    /// Runs of one group at a time.
    places: usize,
    running: ByKey<Group>,
    taken: HashMap<Group, usize>,
    waiting: HashMap<Group, VecDeque<ObjectKey>>,
    since: ByKey<Instant>,
    /// Groups that have room again.
    freed: VecDeque<Group>,
    named: Vec<Group>,
}

impl Groups {
    /// Of `in_flight` places each group may take that share, and at least one.
    pub(crate) fn new(in_flight: usize, share: f64) -> Self {
        // A share is between 0 and 1, so this neither overflows nor is it negative.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "places are few"
        )]
        let places = (in_flight as f64 * share.clamp(0.0, 1.0)) as usize;
        Self {
            places: places.max(1),
            running: ByKey::default(),
            taken: HashMap::new(),
            waiting: HashMap::new(),
            since: ByKey::default(),
            freed: VecDeque::new(),
            named: Vec::new(),
        }
    }

    /// Whether one more of the group may run.
    pub(crate) fn has_room(&self, group: &Group) -> bool {
        mutated(Mutant::GroupShare) || self.taken.get(group).copied().unwrap_or(0) < self.places
    }

    pub(crate) fn started(&mut self, key: ObjectKey, group: Group) {
        *self.taken.entry(Arc::clone(&group)).or_default() += 1;
        self.running.insert(key, group);
    }

    pub(crate) fn ended(&mut self, key: &ObjectKey) {
        let Some(group) = self.running.remove(key) else {
            return;
        };
        if let Some(taken) = self.taken.get_mut(&group) {
            *taken -= 1;
            if *taken == 0 {
                self.taken.remove(&group);
            }
        }
        if self.waiting.contains_key(&group) {
            self.freed.push_back(group);
        }
    }

    /// The object waits, in line with its group.
    pub(crate) fn hold(&mut self, key: ObjectKey, group: Group, since: Instant) {
        if self.since.insert(key.clone(), since).is_none() {
            self.waiting.entry(group).or_default().push_back(key);
        }
    }

    pub(crate) fn holds(&self, key: &ObjectKey) -> bool {
        self.since.contains_key(key)
    }

    pub(crate) fn remove(&mut self, key: &ObjectKey) {
        self.since.remove(key);
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.since.len()
    }

    /// The next one whose group has room again.
    pub(crate) fn next(&mut self) -> Option<(ObjectKey, Instant)> {
        while let Some(group) = self.freed.pop_front() {
            if !self.has_room(&group) {
                continue;
            }
            let Some(line) = self.waiting.get_mut(&group) else {
                continue;
            };
            // Who was removed still stands in line, and is passed over.
            let next = std::iter::from_fn(|| line.pop_front())
                .find_map(|key| self.since.remove(&key).map(|since| (key, since)));
            if line.is_empty() {
                self.waiting.remove(&group);
            } else if next.is_some() {
                // More may have room; if not, the next end says so.
                self.freed.push_back(group);
            }
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// The group as a label: the first ones by name.
    pub(crate) fn label(&mut self, group: &Group) -> String {
        if !self.named.contains(group) {
            if self.named.len() >= NAMED && !mutated(Mutant::BoundedLabels) {
                return "other".to_owned();
            }
            self.named.push(Arc::clone(group));
        }
        group.to_string()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn key(name: &str) -> ObjectKey {
        ObjectKey::new(None, name)
    }

    #[test]
    fn a_group_takes_its_share_and_goes_on_in_order() {
        let mut groups = Groups::new(4, 0.5);
        let (big, now): (Group, _) = ("big".into(), Instant::now());
        for name in ["a", "b", "c", "d", "e"] {
            if groups.has_room(&big) {
                groups.started(key(name), Arc::clone(&big));
            } else {
                groups.hold(key(name), Arc::clone(&big), now);
            }
        }
        assert_eq!(groups.len(), 3);
        assert!(groups.has_room(&"small".into()));
        assert!(groups.next().is_none(), "no room yet");
        groups.remove(&key("c"));
        groups.ended(&key("a"));
        let (next, _) = groups.next().unwrap();
        assert_eq!(next, key("d"), "c was removed");
        groups.started(next, Arc::clone(&big));
        assert!(groups.next().is_none());
        groups.ended(&key("b"));
        assert_eq!(groups.next().unwrap().0, key("e"));
    }

    #[test]
    fn labels_are_few() {
        let mut groups = Groups::new(1, 1.0);
        for number in 0..100 {
            groups.label(&number.to_string().into());
        }
        assert_eq!(groups.label(&"0".into()), "0");
        assert_eq!(groups.label(&"99".into()), "other");
    }
}
