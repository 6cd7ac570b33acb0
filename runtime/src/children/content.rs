//! Numbers that change with what matters of an object, and with nothing else.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{engine::print::Print, identity::Fnv};

/// What the server keeps books with.
const BOOKKEEPING: &[&str] = &[
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
];
/// Times in a status that move although nothing else does.
const VOLATILE: &[&str] = &[
    "lastHeartbeatTime",
    "lastProbeTime",
    "lastTransitionTime",
    "lastUpdateTime",
];
/// Annotations by which the Deployment controller keeps books.
const CONTROLLERS: &str = "deployment.kubernetes.io/";

/// An object in two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content {
    /// All that its writers decide: spec, data, labels, annotations, owners, finalizers.
    pub(super) desired: u64,
    /// Its status, without times that move by themselves.
    pub(super) status: u64,
}

impl Content {
    pub(super) fn of<T: Serialize>(object: &T) -> Self {
        // What does not serialise was never deserialised either: there is no such object.
        let Ok(Value::Object(mut fields)) = serde_json::to_value(object) else {
            return Self {
                desired: 0,
                status: 0,
            };
        };
        let status = fields.remove("status");
        fields.remove("apiVersion");
        fields.remove("kind");
        if let Some(Value::Object(meta)) = fields.get_mut("metadata") {
            for name in BOOKKEEPING {
                meta.remove(*name);
            }
            if let Some(Value::Object(annotations)) = meta.get_mut("annotations") {
                annotations.retain(|name, _| !name.starts_with(CONTROLLERS));
            }
        }
        Self {
            desired: hash(&Value::Object(fields), &[]),
            status: status.map_or(0, |status| hash(&status, VOLATILE)),
        }
    }

    /// The print of the dependency that has it: it changes with what it holds, and with which object it is. One made
    /// anew, or one that begins to terminate, is another, however equal the rest.
    pub(super) fn print(self, kind: &str, meta: &ObjectMeta) -> Print {
        let mut identity = Fnv::default();
        for part in [
            kind,
            meta.namespace.as_deref().unwrap_or_default(),
            meta.name.as_deref().unwrap_or_default(),
        ] {
            identity.write(part.as_bytes());
            identity.write(&[0xff]);
        }
        identity.write(meta.uid.as_deref().unwrap_or_default().as_bytes());
        let terminating = u64::from(meta.deletion_timestamp.is_some());
        Print {
            all: mix(&[identity.0, terminating, self.desired, self.status]),
            decided: mix(&[identity.0, terminating, self.desired]),
        }
    }
}

/// A hash that does not tell an empty field from an absent one, nor one order of a map from another.
pub(super) fn hash(value: &Value, without: &[&str]) -> u64 {
    let mut hash = Fnv::default();
    write(&mut hash, value, without);
    hash.0
}

/// Mixes numbers into one.
fn mix(parts: &[u64]) -> u64 {
    let mut hash = Fnv::default();
    for part in parts {
        hash.write(&part.to_be_bytes());
    }
    hash.0
}

pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(is_empty),
        _ => false,
    }
}

fn write(hash: &mut Fnv, value: &Value, without: &[&str]) {
    match value {
        Value::Null => hash.write(b"n"),
        Value::Bool(value) => hash.write(if *value { b"t" } else { b"f" }),
        Value::Number(number) => {
            hash.write(b"#");
            hash.write(number.to_string().as_bytes());
        }
        Value::String(text) => {
            hash.write(b"s");
            hash.write(text.as_bytes());
        }
        Value::Array(items) => {
            hash.write(b"[");
            for item in items {
                write(hash, item, without);
            }
            hash.write(b"]");
        }
        Value::Object(fields) => write_fields(hash, fields, without),
    }
    hash.write(&[0xff]);
}

fn write_fields(hash: &mut Fnv, fields: &Map<String, Value>, without: &[&str]) {
    // The order of a JSON map depends on a feature that any crate of the build may turn on.
    let mut sorted: Vec<_> = fields
        .iter()
        .filter(|(name, value)| !without.contains(&name.as_str()) && !is_empty(value))
        .collect();
    sorted.sort_by_key(|(name, _)| *name);
    hash.write(b"{");
    for (name, value) in sorted {
        hash.write(name.as_bytes());
        hash.write(&[0xfe]);
        write(hash, value, without);
    }
    hash.write(b"}");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::owned_bell::Change;

    #[test]
    fn bookkeeping_and_moving_times_do_not_count() {
        let one = json!({
            "metadata": {"name": "a", "resourceVersion": "1", "generation": 1, "labels": {}},
            "spec": {"replicas": 1, "paused": null},
            "status": {"conditions": [{"type": "Available", "status": "True", "lastUpdateTime": "x"}]},
        });
        let other = json!({
            "metadata": {"resourceVersion": "2", "name": "a"},
            "spec": {"replicas": 1},
            "status": {"conditions": [{"type": "Available", "status": "True", "lastUpdateTime": "y"}]},
        });
        assert_eq!(Content::of(&one), Content::of(&other));
    }

    #[test]
    fn only_a_status_is_only_a_status() {
        let print = |object: Value| {
            let meta = serde_json::from_value(object["metadata"].clone()).unwrap_or_default();
            Content::of(&object).print("Secret", &meta)
        };
        let known = print(json!({"metadata": {"name": "a"}, "status": {"ready": 1}}));
        let change = |object| known.change_to(print(object));
        let same = json!({"metadata": {"name": "a", "generation": 2}, "status": {"ready": 1}});
        assert_eq!(change(same), Change::None);
        let status = json!({"metadata": {"name": "a"}, "status": {"ready": 2}});
        assert_eq!(change(status), Change::Status);
        let anew = json!({"metadata": {"name": "a", "uid": "2"}, "status": {"ready": 1}});
        assert_eq!(change(anew), Change::Content);
        let at = "2026-01-01T00:00:00Z";
        let ends =
            json!({"metadata": {"name": "a", "deletionTimestamp": at}, "status": {"ready": 1}});
        assert_eq!(change(ends), Change::Content);
    }

    #[test]
    fn spec_and_status_count_apart() {
        let one = Content::of(&json!({"spec": {"replicas": 1}, "status": {"ready": 1}}));
        let other = Content::of(&json!({"spec": {"replicas": 2}, "status": {"ready": 1}}));
        assert_ne!(one.desired, other.desired);
        assert_eq!(one.status, other.status);
    }
}
