//! The Lease object: read with what is unknown to us kept, and written back whole.

use crate::mutant::{Mutant, mutated};

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

/// A Lease as the server has it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record(Value);

impl Record {
    pub(super) fn new(lease: Value) -> Self {
        Self(lease)
    }

    /// A Lease that does not exist yet.
    pub(super) fn blank(name: &str, namespace: &str) -> Self {
        Self(json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": name, "namespace": namespace},
        }))
    }

    /// Who holds it; empty if nobody does.
    pub(super) fn holder(&self) -> &str {
        self.text("/spec/holderIdentity")
    }

    /// How long its holder may hold it without a renewal.
    pub(super) fn duration(&self) -> Option<Duration> {
        let seconds = self.0.pointer("/spec/leaseDurationSeconds")?.as_u64()?;
        Some(Duration::from_secs(seconds))
    }

    /// What a renewal changes: two equal ones mean that nobody renewed in between. Labels do not count.
    pub(super) fn beat(&self) -> Value {
        self.0.get("spec").cloned().unwrap_or_default()
    }

    /// The same, taken by `identity`.
    pub(super) fn taken(&self, identity: &str, duration: Duration, now: Timestamp) -> Value {
        let transitions = self
            .0
            .pointer("/spec/leaseTransitions")
            .and_then(Value::as_u64)
            .unwrap_or(0);
        let anew = self.holder() != identity;
        let first = self.beat().is_null();
        let mut lease = self.renewed(duration, now);
        lease["spec"]["holderIdentity"] = json!(identity);
        if anew {
            lease["spec"]["acquireTime"] = json!(micro_time(now));
            lease["spec"]["leaseTransitions"] = json!(transitions + u64::from(!first));
        }
        lease
    }

    /// The same, renewed. Its resourceVersion goes along: whoever wrote in between makes the write a conflict.
    pub(super) fn renewed(&self, duration: Duration, now: Timestamp) -> Value {
        let mut lease = self.0.clone();
        if mutated(Mutant::LeaseVersion) {
            lease["metadata"]["resourceVersion"].take();
        }
        lease["spec"]["leaseDurationSeconds"] = json!(duration.as_secs().max(1));
        lease["spec"]["renewTime"] = json!(micro_time(now));
        lease
    }

    /// The same, free for the next one.
    pub(super) fn released(&self, now: Timestamp) -> Value {
        let mut lease = self.renewed(Duration::from_secs(1), now);
        lease["spec"]["holderIdentity"] = json!("");
        lease
    }

    /// Its resourceVersion as a number; 0 if it has none.
    pub(super) fn version(&self) -> u64 {
        let text = self.text("/metadata/resourceVersion");
        text.parse().unwrap_or(0)
    }

    fn text(&self, pointer: &str) -> &str {
        self.0
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

/// The server takes exactly six fraction digits.
fn micro_time(time: Timestamp) -> String {
    format!("{time:.6}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const DURATION: Duration = Duration::from_secs(15);

    #[test]
    fn times_have_six_fraction_digits() {
        for (nanoseconds, text) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (1_500_000_000, "1970-01-01T00:00:01.500000Z"),
            (1_234_567_891, "1970-01-01T00:00:01.234567Z"),
        ] {
            let time = Timestamp::from_nanosecond(nanoseconds).unwrap();
            assert_eq!(micro_time(time), text);
        }
    }

    #[test]
    fn taking_it_over_counts_and_keeps_what_others_wrote() {
        let now = Timestamp::UNIX_EPOCH;
        let first = Record::blank("a", "home").taken("one", DURATION, now);
        assert_eq!(first["spec"]["leaseTransitions"], 0);
        let mut held = first;
        held["metadata"]["resourceVersion"] = json!("7");
        held["metadata"]["labels"] = json!({"a": "b"});
        let held = Record::new(held);
        assert_eq!(
            held.taken("one", DURATION, now)["spec"]["leaseTransitions"],
            0
        );
        let second = held.taken("two", DURATION, now);
        assert_eq!(second["spec"]["leaseTransitions"], 1);
        assert_eq!(second["spec"]["holderIdentity"], "two");
        assert_eq!(second["metadata"]["resourceVersion"], "7");
        assert_eq!(second["metadata"]["labels"]["a"], "b");
        assert_eq!(held.released(now)["spec"]["holderIdentity"], "");
    }
}
