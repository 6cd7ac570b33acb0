//! What a life cost: the operator's requests, counted by the server.

use std::collections::BTreeMap;

use opgen_apiserver::LogEntry;
use serde_json::{Value, json};

/// Requests of one user, by verb and resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    counts: BTreeMap<(bool, String, String), usize>,
    refused: usize,
}

impl Cost {
    /// Counts the requests of `user` among the entries.
    pub(super) fn of(entries: &[LogEntry], user: &str) -> Self {
        let mut cost = Self::default();
        for entry in entries.iter().filter(|entry| entry.user == user) {
            let resource = if entry.subresource.is_empty() {
                entry.resource.clone()
            } else {
                format!("{}/{}", entry.resource, entry.subresource)
            };
            // A 404 is an answer: the lease that is not there yet is looked for first.
            cost.refused += usize::from(entry.code >= 400 && entry.code != 404);
            // Reads first: false sorts before true.
            *cost
                .counts
                .entry((entry.is_write_verb(), entry.verb.clone(), resource))
                .or_default() += 1;
        }
        cost
    }

    /// Requests about objects, the lease and events left out.
    fn total(&self, writes: bool) -> usize {
        self.counts
            .iter()
            .filter(|((write, _, resource), _)| *write == writes && !is_housekeeping(resource))
            .map(|(_, count)| count)
            .sum()
    }

    fn housekeeping(&self) -> usize {
        self.counts
            .iter()
            .filter(|((_, _, resource), _)| is_housekeeping(resource))
            .map(|(_, count)| count)
            .sum()
    }

    pub(super) fn to_json(&self) -> Value {
        let each: Vec<Value> = self
            .counts
            .iter()
            .map(|((_, verb, resource), count)| json!({"verb": verb, "resource": resource, "count": count}))
            .collect();
        json!({"reads": self.total(false), "writes": self.total(true), "refused": self.refused, "housekeeping": self.housekeeping(), "each": each})
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = format!(
            "API calls of the operator: {} reads, {} writes, {} refused, and {} for its lease and events\n",
            self.total(false),
            self.total(true),
            self.refused,
            self.housekeeping()
        );
        for ((_, verb, resource), count) in &self.counts {
            let resource = if resource.is_empty() {
                "(discovery)"
            } else {
                resource
            };
            text.push_str(&format!("  {count:>3}  {verb:<6} {resource}\n"));
        }
        text
    }
}

/// Leases and events are no writes to the object.
pub(super) fn is_housekeeping(resource: &str) -> bool {
    matches!(resource, "leases" | "events")
}
