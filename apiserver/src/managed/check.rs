//! Whether a value has the type that the schema gives it: the errors of "failed to create typed patch object".

use std::fmt::Write as _;

use serde_json::Value;

use super::element::PathElement;
use super::types::{Atom, ListRef, MapRef, Scalar, TypeRef};

/// All errors in the words of the real server; `None` if there is none.
pub(super) fn problems(kind: TypeRef<'_>, value: &Value) -> Option<String> {
    let mut walker = Walker {
        path: Vec::new(),
        errors: Vec::new(),
    };
    walker.visit(kind, value);
    match walker.errors.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        many => {
            let lines: Vec<String> = many.iter().map(|line| format!("  {line}")).collect();
            Some(format!("errors:\n{}", lines.join("\n")))
        }
    }
}

struct Walker {
    path: Vec<PathElement>,
    errors: Vec<String>,
}

impl Walker {
    fn error(&mut self, text: &str) {
        let mut line = String::new();
        for element in &self.path {
            // Writing to a string cannot fail.
            let _ = write!(line, "{element}");
        }
        if !line.is_empty() {
            line.push_str(": ");
        }
        line.push_str(text);
        self.errors.push(line);
    }

    fn visit(&mut self, kind: TypeRef<'_>, value: &Value) {
        if value.is_null() {
            return;
        }
        match kind.atom(value) {
            Atom::Scalar(scalar) => self.scalar(scalar, value),
            Atom::List(list) => self.list(list, value),
            Atom::Map(map) => self.map(map, value),
        }
    }

    fn scalar(&mut self, scalar: Scalar, value: &Value) {
        let wrong = match (scalar, value) {
            (Scalar::Numeric, Value::Number(_))
            | (Scalar::String, Value::String(_))
            | (Scalar::Boolean, Value::Bool(_))
            | (Scalar::Untyped, Value::Number(_) | Value::String(_) | Value::Bool(_)) => return,
            (Scalar::Numeric, _) => {
                format!("expected numeric (int or float), got {}", go_type(value))
            }
            (Scalar::String, _) => format!(
                "expected string, got &value.valueUnstructured{{Value:{}}}",
                go_syntax(value)
            ),
            (Scalar::Boolean, _) => format!("expected boolean, got &{{{}}}", go_plain(value)),
            (Scalar::Untyped, _) => format!("expected any scalar, got &{{{}}}", go_plain(value)),
        };
        self.error(&wrong);
    }

    fn list(&mut self, list: ListRef<'_>, value: &Value) {
        let Value::Array(items) = value else {
            self.error(&format!("expected list, got &{{{}}}", go_plain(value)));
            return;
        };
        let mut seen = std::collections::BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            let element = if list.is_atomic() {
                PathElement::Index(i64::try_from(index).unwrap_or(i64::MAX))
            } else {
                match list.element(item) {
                    Ok(element) => element,
                    Err(text) => {
                        self.error(&format!("element {index}: {text}"));
                        return;
                    }
                }
            };
            if !list.is_atomic() && !seen.insert(element.clone()) {
                self.error(&format!("duplicate entries for key {element}"));
            }
            self.path.push(element);
            self.visit(list.item(), item);
            self.path.pop();
        }
    }

    fn map(&mut self, map: MapRef<'_>, value: &Value) {
        let Value::Object(fields) = value else {
            self.error(&format!("expected map, got &{{{}}}", go_plain(value)));
            return;
        };
        for (name, below) in fields {
            self.path.push(PathElement::field(name));
            match map.field(name) {
                Some(kind) => self.visit(kind, below),
                None => self.error("field not declared in schema"),
            }
            self.path.pop();
            if map.field(name).is_none() {
                // The real server stops at the first unknown field of an object.
                return;
            }
        }
    }
}

/// Go's `%T` of a decoded value.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Go's `%#v` of a decoded value.
fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(items) => {
            format!(
                "[]interface {{}}{{{}}}",
                items.iter().map(go_syntax).collect::<Vec<_>>().join(", ")
            )
        }
        Value::Object(map) => {
            let fields: Vec<String> = map
                .iter()
                .map(|(k, v)| format!("{}:{}", Value::from(k.as_str()), go_syntax(v)))
                .collect();
            format!("map[string]interface {{}}{{{}}}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// Go's `%v` of a decoded value.
fn go_plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(go_plain).collect::<Vec<_>>().join(" ")
        ),
        Value::Object(map) => {
            let fields: Vec<String> = map
                .iter()
                .map(|(k, v)| format!("{k}:{}", go_plain(v)))
                .collect();
            format!("map[{}]", fields.join(" "))
        }
        other => other.to_string(),
    }
}
