//! How large a status may become: etcd refuses objects above 1.5 MB with a bare 500.

use std::io;

use serde_json::Value;

use super::rules::Node;
use crate::mutant::{Mutant, mutated};

/// How large a status may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the whole status as JSON.
    pub status_bytes: usize,
}

impl Default for Limits {
    /// 256 KiB: a sixth of what etcd takes, so that spec, metadata and managedFields have room too.
    fn default() -> Self {
        Self {
            status_bytes: 256 * 1024,
        }
    }
}

/// The size of a value as JSON, in bytes; nothing is allocated.
#[must_use]
pub fn json_bytes(value: &Value) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // Neither the counter nor a `Value` can fail to be written.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

/// Drops the oldest items of bounded lists that are too long; says how many.
pub(super) fn cut_lists(node: &Node, value: &mut Value) -> usize {
    let mut dropped = 0;
    if mutated(Mutant::BoundedLists) {
        return dropped;
    }
    visit(node, value, &mut |most, items| {
        let excess = items.len().saturating_sub(most);
        items.drain(..excess);
        dropped += excess;
    });
    dropped
}

/// Drops the oldest items of bounded lists, of the longest first, until the value fits or they are empty. Returns the
/// size and how many items went.
pub(super) fn fit(node: &Node, value: &mut Value, limit: usize) -> (usize, usize) {
    let mut dropped = 0;
    loop {
        let bytes = json_bytes(value);
        let mut longest = 0;
        if bytes > limit {
            visit(node, value, &mut |_, items| {
                longest = longest.max(items.len())
            });
        }
        if longest == 0 {
            return (bytes, dropped);
        }
        let mut excess = bytes - limit;
        visit(node, value, &mut |_, items| {
            if items.len() < longest || excess == 0 {
                return;
            }
            let mut count = 0;
            for item in items.iter() {
                if excess == 0 {
                    break;
                }
                // An item and its comma.
                excess = excess.saturating_sub(json_bytes(item) + 1);
                count += 1;
            }
            items.drain(..count);
            dropped += count;
        });
    }
}

/// Calls `work` with the bound of every bounded list, and the list.
fn visit(node: &Node, value: &mut Value, work: &mut impl FnMut(usize, &mut Vec<Value>)) {
    if !node.holds_bounds {
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                visit(node.child(name), value, work);
            }
        }
        Value::Array(items) => {
            if let Some(most) = node.bound {
                work(most, items);
            }
            for item in items {
                visit(node.item(), item, work);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::status::{FieldRule, MachinePaths, Rule, Rules};

    fn rules(bounds: &[(&str, usize)]) -> Rules {
        let rules: Vec<_> = bounds
            .iter()
            .map(|(path, most)| FieldRule {
                path: (*path).to_owned(),
                rule: Rule::Bounded(*most),
            })
            .collect();
        Rules::new(&rules, MachinePaths::DEFAULT)
    }

    #[test]
    fn bytes_are_those_of_the_text() {
        let value = json!({"a": [1, 2.5, "ä\n"], "b": null});
        assert_eq!(json_bytes(&value), value.to_string().len());
    }

    #[test]
    fn the_oldest_items_go_at_any_depth() {
        let rules = rules(&[("/history", 2), ("/parts/*/log", 1)]);
        let mut value = json!({"history": [1, 2, 3], "parts": [{"log": [1, 2]}, {"log": []}], "free": [1, 2, 3]});
        assert_eq!(cut_lists(rules.root(), &mut value), 2);
        let expected =
            json!({"history": [2, 3], "parts": [{"log": [2]}, {"log": []}], "free": [1, 2, 3]});
        assert_eq!(value, expected);
    }

    #[test]
    fn a_status_too_large_loses_no_more_than_it_must() {
        let rules = rules(&[("/history", 100)]);
        let items: Vec<_> = (100..200).collect();
        let mut value = json!({"history": items, "keep": "x".repeat(50)});
        let (bytes, dropped) = fit(rules.root(), &mut value, 300);
        assert_eq!(bytes, json_bytes(&value));
        assert!((297..=300).contains(&bytes), "{bytes}");
        assert_eq!(value["history"][0], 100 + dropped);
        assert_eq!(value["keep"], "x".repeat(50));
    }

    #[test]
    fn what_cannot_fit_is_reported() {
        let rules = rules(&[("/history", 100)]);
        let mut value = json!({"history": [1, 2], "keep": "x".repeat(50)});
        let (bytes, dropped) = fit(rules.root(), &mut value, 10);
        assert!(bytes > 10);
        assert_eq!(dropped, 2);
    }
}
