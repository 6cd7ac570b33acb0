//! Whether an object already is what is desired of it, whatever the server added.

use serde_json::{Map, Value};

use crate::status::quantity::Quantity;

/// Below these names, strings are quantities: `1000m` is `1`.
const QUANTITIES: &[&str] = &[
    "allocatable",
    "capacity",
    "default",
    "defaultRequest",
    "divisor",
    "hard",
    "limits",
    "max",
    "min",
    "overhead",
    "requests",
    "sizeLimit",
];
/// What tells the items of a list apart, in the order in which it is tried.
const KEYS: &[&[&str]] = &[
    &["name"],
    &["uid"],
    &["mountPath"],
    &["devicePath"],
    &["containerPort", "protocol"],
    &["port", "protocol"],
    &["key"],
    &["type"],
    &["ip"],
    &["topologyKey", "whenUnsatisfiable"],
];

/// What a comparison found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Containment {
    /// All that is desired is there.
    Contained,
    /// It is there, but a list has more items, which may be somebody else's or not: only the server knows.
    Unsure(String),
    /// The field at this path differs.
    Differs(String),
}

/// Compares `desired` with `live`.
pub(super) fn contained(desired: &Value, live: &Value) -> Containment {
    let mut walk = Walk {
        path: String::new(),
        unsure: None,
        in_quantities: false,
    };
    match walk.value(desired, live) {
        Err(path) => Containment::Differs(path),
        Ok(()) => walk
            .unsure
            .map_or(Containment::Contained, Containment::Unsure),
    }
}

struct Walk {
    path: String,
    unsure: Option<String>,
    in_quantities: bool,
}

type Found = Result<(), String>;

impl Walk {
    fn value(&mut self, desired: &Value, live: &Value) -> Found {
        match (desired, live) {
            (desired, _) if super::content::is_empty(desired) => Ok(()),
            (Value::Object(desired), Value::Object(live)) => self.fields(desired, live),
            (Value::Array(desired), Value::Array(live)) => self.items(desired, live),
            (Value::Number(desired), Value::Number(live)) if desired.as_f64() == live.as_f64() => {
                Ok(())
            }
            (Value::String(desired), Value::String(live)) if self.same_text(desired, live) => {
                Ok(())
            }
            (desired, live) if desired == live => Ok(()),
            _ => Err(self.path.clone()),
        }
    }

    fn same_text(&self, desired: &str, live: &str) -> bool {
        desired == live
            || (self.in_quantities
                && Quantity::parse(desired).is_some_and(|one| Some(one) == Quantity::parse(live)))
    }

    fn fields(&mut self, desired: &Map<String, Value>, live: &Map<String, Value>) -> Found {
        for (name, desired) in desired {
            let (length, in_quantities) = (self.path.len(), self.in_quantities);
            self.path.push('.');
            self.path.push_str(name);
            self.in_quantities |= QUANTITIES.contains(&name.as_str());
            self.value(desired, live.get(name).unwrap_or(&Value::Null))?;
            self.path.truncate(length);
            self.in_quantities = in_quantities;
        }
        Ok(())
    }

    fn items(&mut self, desired: &[Value], live: &[Value]) -> Found {
        if let Some(key) = KEYS.iter().find(|key| tells_apart(key, desired)) {
            for desired in desired {
                let found = live.iter().find(|live| same_key(key, desired, live));
                let length = self.path.len();
                self.path.push_str(&format!("[{}]", label(key, desired)));
                self.value(desired, found.unwrap_or(&Value::Null))?;
                self.path.truncate(length);
            }
            if live.len() > desired.len() {
                self.unsure.get_or_insert_with(|| self.path.clone());
            }
            return Ok(());
        }
        if desired.len() != live.len() {
            return Err(self.path.clone());
        }
        for (index, (desired, live)) in desired.iter().zip(live).enumerate() {
            let length = self.path.len();
            self.path.push_str(&format!("[{index}]"));
            self.value(desired, live)?;
            self.path.truncate(length);
        }
        Ok(())
    }
}

/// Whether every item has the first field of the key, and no two have the same.
fn tells_apart(key: &[&str], items: &[Value]) -> bool {
    let all = items.iter().all(|item| item.get(key[0]).is_some());
    all && items.iter().enumerate().all(|(index, item)| {
        !items[..index]
            .iter()
            .any(|other| same_key(key, item, other))
    })
}

fn same_key(key: &[&str], one: &Value, other: &Value) -> bool {
    key.iter()
        .all(|field| part(one, field) == part(other, field))
}

/// A part of a key; the server fills in a protocol that is left out.
fn part(item: &Value, field: &str) -> Value {
    match item.get(field) {
        Some(value) => value.clone(),
        None if field == "protocol" => Value::from("TCP"),
        None => Value::Null,
    }
}

fn label(key: &[&str], item: &Value) -> String {
    match part(item, key[0]) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn differs(path: &str) -> Containment {
        Containment::Differs(path.to_owned())
    }

    #[test]
    fn what_the_server_adds_does_not_count() {
        let desired = json!({"spec": {
            "replicas": 1,
            "strategy": {},
            "containers": [{"name": "web", "image": "x", "ports": [{"containerPort": 80}],
                "resources": {"requests": {"cpu": "1000m", "memory": "1024Mi"}}}],
        }});
        let live = json!({"spec": {
            "replicas": 1,
            "strategy": {"type": "RollingUpdate"},
            "containers": [{"name": "web", "image": "x", "imagePullPolicy": "Always",
                "ports": [{"containerPort": 80, "protocol": "TCP"}],
                "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}],
        }});
        assert_eq!(contained(&desired, &live), Containment::Contained);
    }

    #[test]
    fn a_difference_is_named() {
        let desired = json!({"spec": {"containers": [{"name": "web", "image": "x"}]}});
        let live = json!({"spec": {"containers": [{"name": "web", "image": "y"}]}});
        assert_eq!(
            contained(&desired, &live),
            differs(".spec.containers[web].image")
        );
        assert_eq!(
            contained(&desired, &json!({"spec": {}})),
            differs(".spec.containers")
        );
    }

    #[test]
    fn strings_in_lists_are_compared_as_they_stand() {
        let desired = json!({"args": ["a", "b"]});
        assert_eq!(
            contained(&desired, &json!({"args": ["b", "a"]})),
            differs(".args[0]")
        );
        assert_eq!(
            contained(&desired, &json!({"args": ["a", "b", "c"]})),
            differs(".args")
        );
        let text = json!({"env": [{"name": "A", "value": "1000m"}]});
        let other = json!({"env": [{"name": "A", "value": "1"}]});
        assert_eq!(contained(&text, &other), differs(".env[A].value"));
    }

    #[test]
    fn an_added_item_is_for_the_server_to_judge() {
        let desired = json!({"containers": [{"name": "web"}]});
        let live = json!({"containers": [{"name": "web"}, {"name": "sidecar"}]});
        assert_eq!(
            contained(&desired, &live),
            Containment::Unsure(".containers".to_owned())
        );
    }
}
