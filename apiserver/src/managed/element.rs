//! One step of a path into an object, as server-side apply names it.

use std::cmp::Ordering;
use std::fmt;

use serde_json::{Number, Value};

/// One step of a path. The order is that of the real server: fields, keys, values, indices.
#[derive(Clone, Debug)]
pub enum PathElement {
    /// `f:name`: a field of an object or a key of a map.
    Field(Box<str>),
    /// `k:{"name":"x"}`: the item of a list-map with these keys, sorted by name.
    Key(Box<[(Box<str>, Value)]>),
    /// `v:"x"`: the item of a set.
    Value(Value),
    /// `i:0`: the item of a list at that place.
    Index(i64),
}

impl PathElement {
    /// The field `name`.
    pub fn field(name: &str) -> Self {
        Self::Field(name.into())
    }

    /// The list-map item with these keys, in any order.
    pub fn key(mut keys: Vec<(Box<str>, Value)>) -> Self {
        keys.sort_by(|a, b| a.0.cmp(&b.0));
        Self::Key(keys.into())
    }

    /// The element that a key of `fieldsV1` stands for. `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let (head, rest) = text.split_once(':')?;
        match head {
            "f" => Some(Self::field(rest)),
            "v" => serde_json::from_str(rest).ok().map(Self::Value),
            "i" => rest.parse().ok().map(Self::Index),
            "k" => match serde_json::from_str(rest).ok()? {
                Value::Object(map) => Some(Self::key(
                    map.into_iter().map(|(k, v)| (k.into(), v)).collect(),
                )),
                _ => None,
            },
            _ => None,
        }
    }

    /// Writes the key of `fieldsV1` into `out`, whose content is replaced.
    pub(super) fn print_into(&self, out: &mut String) {
        out.clear();
        match self {
            Self::Field(name) => {
                out.push_str("f:");
                out.push_str(name);
            }
            Self::Value(value) => {
                out.push_str("v:");
                out.push_str(&value.to_string());
            }
            Self::Index(index) => {
                out.push_str("i:");
                out.push_str(&index.to_string());
            }
            Self::Key(keys) => {
                out.push_str("k:{");
                for (place, (name, value)) in keys.iter().enumerate() {
                    if place > 0 {
                        out.push(',');
                    }
                    out.push_str(&Value::from(&**name).to_string());
                    out.push(':');
                    out.push_str(&value.to_string());
                }
                out.push('}');
            }
        }
    }

    /// The key of `fieldsV1`.
    pub fn print(&self) -> String {
        let mut out = String::with_capacity(match self {
            Self::Field(name) => name.len() + 2,
            _ => 32,
        });
        self.print_into(&mut out);
        out
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

/// The form of error messages: `.name`, `[name="x"]`, `[="x"]`, `[0]`.
impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Value(value) => write!(f, "[={value}]"),
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Key(keys) => {
                let shown: Vec<String> = keys
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                write!(f, "[{}]", shown.join(","))
            }
        }
    }
}

impl Ord for PathElement {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(a), Self::Field(b)) => a.cmp(b),
            (Self::Key(a), Self::Key(b)) => {
                let pairs = a.iter().zip(b.iter());
                let differing = pairs
                    .map(|(a, b)| a.0.cmp(&b.0).then_with(|| compare_values(&a.1, &b.1)))
                    .find(|order| order.is_ne());
                differing.unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            (Self::Value(a), Self::Value(b)) => compare_values(a, b),
            (Self::Index(a), Self::Index(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for PathElement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PathElement {}

fn value_rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

fn compare_numbers(a: &Number, b: &Number) -> Ordering {
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a
            .as_f64()
            .unwrap_or(f64::NAN)
            .total_cmp(&b.as_f64().unwrap_or(f64::NAN)),
    }
}

/// The order of values: numbers, strings, booleans, lists, objects, null.
pub(super) fn compare_values(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare_numbers(a, b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => {
            let differing = a
                .iter()
                .zip(b)
                .map(|(a, b)| compare_values(a, b))
                .find(|order| order.is_ne());
            differing.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Object(a), Value::Object(b)) => {
            let pairs = a.iter().zip(b);
            let differing = pairs
                .map(|(a, b)| a.0.cmp(b.0).then_with(|| compare_values(a.1, b.1)))
                .find(|order| order.is_ne());
            differing.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        _ => value_rank(a).cmp(&value_rank(b)),
    }
}

/// Whether two values are the same, `1` and `1.0` included.
pub(super) fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || compare_numbers(a, b).is_eq(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, value)| b.get(key).is_some_and(|other| same_value(value, other)))
        }
        _ => a == b,
    }
}
