//! The notation in which built-in kinds are written down.
//!
//! A line that starts at the margin begins a type, `Name`, or `Name atomic`; the indented lines after it are fields:
//!
//! ```text
//! Container
//!   name      str!
//!   ports     [ContainerPort]   key=containerPort,protocol merge=containerPort
//!   resources ResourceRequirements!
//! ```
//!
//! Types: `str int long bool num ios qty time microtime bytes any`, `[T]`, `<T>` (a map), or a name. A mark behind the
//! type says what becomes of a zero value: `!` it is always there, filled in where missing; `*` it is kept as given;
//! no mark: strings, numbers, flags, lists and maps are left out when empty, objects are kept.
//! Words behind the type: `key=a,b` (a list-map), `set`, `atomic`, `merge` and `merge=name` (strategic merge, with the
//! key), `retain` (retainKeys), `=JSON` (a default).
//!
//! A line `kind Kind plural word…` declares a resource, and `| Name type source` lines after it its table columns.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::schema::parse::summarise;
use crate::schema::{Additional, Coding, ListType, MapType, PatchStrategy, Schema, Type};

/// A type as written: its flags and its lines of fields.
#[derive(Debug)]
pub(super) struct TypeText {
    atomic: bool,
    fields: Vec<&'static str>,
}

/// A `kind` line with its columns.
#[derive(Debug)]
pub(super) struct KindText {
    pub(super) name: &'static str,
    pub(super) plural: &'static str,
    pub(super) words: Vec<&'static str>,
    pub(super) columns: Vec<ColumnText>,
}

/// A `|` line.
#[derive(Debug)]
pub(super) struct ColumnText {
    pub(super) name: String,
    pub(super) kind: &'static str,
    /// `.a.b` a path, `age`, or nothing: computed by the group.
    pub(super) source: &'static str,
    /// `wide` columns have priority 1.
    pub(super) wide: bool,
}

/// Everything the texts declare.
#[derive(Debug, Default)]
pub(super) struct Types {
    types: HashMap<&'static str, TypeText>,
}

impl Types {
    /// Reads a text; its types go into `self`, its kinds are returned.
    pub(super) fn read(&mut self, text: &'static str) -> Vec<KindText> {
        let mut kinds: Vec<KindText> = Vec::new();
        let mut current = "";
        for line in text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        {
            if let Some(rest) = line.strip_prefix("kind ") {
                let mut words = rest.split_whitespace();
                kinds.push(KindText {
                    name: words.next().unwrap_or_default(),
                    plural: words.next().unwrap_or_default(),
                    words: words.collect(),
                    columns: Vec::new(),
                });
            } else if let Some(rest) = line.strip_prefix("| ") {
                if let Some(kind) = kinds.last_mut() {
                    kind.columns.push(column(rest));
                }
            } else if let Some(field) = line.strip_prefix("  ") {
                if let Some(text) = self.types.get_mut(current) {
                    text.fields.push(field);
                }
            } else {
                let (name, flags) = line.split_once(' ').unwrap_or((line, ""));
                current = name;
                self.types.insert(
                    name,
                    TypeText {
                        atomic: flags.contains("atomic"),
                        fields: Vec::new(),
                    },
                );
            }
        }
        kinds
    }

    /// The schema of a named type. An unknown name gives a node that accepts anything; a test forbids those.
    pub(super) fn schema(&self, name: &str) -> Schema {
        let Some((name, text)) = self.types.get_key_value(name) else {
            return Schema {
                preserve_unknown: true,
                ..Schema::default()
            };
        };
        let mut schema = Schema {
            kind: Some(Type::Object),
            type_name: Some(name),
            map_type: text.atomic.then_some(MapType::Atomic),
            ..Schema::default()
        };
        for field in &text.fields {
            let mut words = field.split_whitespace();
            let (Some(field), Some(kind)) = (words.next(), words.next()) else {
                continue;
            };
            let mut node = self.node(kind);
            for word in words {
                apply(&mut node, word);
            }
            summarise(&mut node);
            schema.properties.insert(field.to_owned(), node);
        }
        summarise(&mut schema);
        schema
    }

    fn node(&self, text: &'static str) -> Schema {
        let (text, mark) = match text.strip_suffix(['!', '*']) {
            Some(rest) => (rest, text.chars().last()),
            None => (text, None),
        };
        let mut node = if let Some(inner) = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
        {
            let items = Schema {
                omit_empty: false,
                ..self.node(inner)
            };
            Schema {
                kind: Some(Type::Array),
                items: Some(Box::new(items)),
                ..Schema::default()
            }
        } else if let Some(inner) = text
            .strip_prefix('<')
            .and_then(|text| text.strip_suffix('>'))
        {
            let values = Schema {
                omit_empty: false,
                ..self.node(inner)
            };
            let additional = Some(Additional::Schema(Box::new(values)));
            Schema {
                kind: Some(Type::Object),
                additional,
                ..Schema::default()
            }
        } else {
            scalar(text).unwrap_or_else(|| self.schema(text))
        };
        let structure =
            node.kind == Some(Type::Object) && node.additional.is_none() || node.kind.is_none();
        node.omit_empty = mark.is_none() && !structure && !node.int_or_string;
        if mark == Some('!') {
            node.default = Some(zero(&node));
            node.nullable = node.default == Some(Value::Null);
        }
        summarise(&mut node);
        node
    }

    /// Names that fields mention and no text declares.
    #[cfg(test)]
    pub(super) fn undeclared(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for text in self.types.values() {
            for field in &text.fields {
                let kind = field.split_whitespace().nth(1).unwrap_or_default();
                let name = kind.trim_matches(['[', ']', '<', '>', '!', '*']);
                if scalar(name).is_none() && !self.types.contains_key(name) {
                    missing.push(format!("{field} of {name}"));
                }
            }
        }
        missing
    }
}

fn column(line: &'static str) -> ColumnText {
    let mut words = line.split_whitespace();
    let name = words.next().unwrap_or_default().replace('_', " ");
    let kind = words.next().unwrap_or("string");
    let rest: Vec<&str> = words.collect();
    let source = rest
        .iter()
        .copied()
        .find(|word| *word != "wide")
        .unwrap_or_default();
    ColumnText {
        name,
        kind,
        source,
        wide: rest.contains(&"wide"),
    }
}

fn scalar(name: &str) -> Option<Schema> {
    let node = |kind: Type, type_name: &'static str| Schema {
        kind: Some(kind),
        type_name: Some(type_name),
        ..Schema::default()
    };
    let coded = |coding: Coding, type_name: &'static str| Schema {
        coding,
        ..node(Type::String, type_name)
    };
    Some(match name {
        "str" => node(Type::String, "string"),
        "int" => Schema {
            format: Some("int32".to_owned()),
            ..node(Type::Integer, "int32")
        },
        "long" => Schema {
            format: Some("int64".to_owned()),
            ..node(Type::Integer, "int64")
        },
        "num" => node(Type::Number, "float64"),
        "bool" => node(Type::Boolean, "bool"),
        "ios" => Schema {
            int_or_string: true,
            ..Schema::default()
        },
        "qty" => Schema {
            int_or_string: true,
            ..coded(Coding::Quantity, "resource.Quantity")
        },
        "time" => Schema {
            nullable: true,
            ..coded(Coding::Time, "v1.Time")
        },
        "microtime" => Schema {
            nullable: true,
            ..coded(Coding::MicroTime, "v1.MicroTime")
        },
        "bytes" => coded(Coding::Bytes, "[]uint8"),
        "any" => Schema {
            preserve_unknown: true,
            ..Schema::default()
        },
        _ => return None,
    })
}

fn apply(node: &mut Schema, word: &str) {
    if let Some(keys) = word.strip_prefix("key=") {
        node.list_type = Some(ListType::Map);
        node.list_map_keys = keys.split(',').map(str::to_owned).collect();
    } else if let Some(key) = word.strip_prefix("merge=") {
        node.patch_strategy = match node.patch_strategy {
            PatchStrategy::RetainKeys => PatchStrategy::MergeRetainKeys,
            _ => PatchStrategy::Merge,
        };
        node.patch_merge_key = Some(key.to_owned());
    } else if let Some(default) = word.strip_prefix('=') {
        node.default = serde_json::from_str(default).ok();
    } else {
        match word {
            "set" => node.list_type = Some(ListType::Set),
            "atomic" if node.kind == Some(Type::Array) => node.list_type = Some(ListType::Atomic),
            "atomic" => node.map_type = Some(MapType::Atomic),
            "merge" => node.patch_strategy = PatchStrategy::Merge,
            "retain" => {
                node.patch_strategy = match node.patch_strategy {
                    PatchStrategy::Merge => PatchStrategy::MergeRetainKeys,
                    _ => PatchStrategy::RetainKeys,
                }
            }
            "replace" => node.patch_strategy = PatchStrategy::Replace,
            _ => {}
        }
    }
}

fn zero(node: &Schema) -> Value {
    match (node.kind, node.coding) {
        (_, Coding::Time | Coding::MicroTime | Coding::Bytes) => Value::Null,
        (_, Coding::Quantity) => json!("0"),
        (Some(Type::Object), _) if node.additional.is_some() => Value::Null,
        (Some(Type::Object), _) => json!({}),
        (Some(Type::String), _) => json!(""),
        (Some(Type::Integer | Type::Number), _) => json!(0),
        (Some(Type::Boolean), _) => json!(false),
        (Some(Type::Array), _) => Value::Null,
        (None, _) if node.int_or_string => json!(0),
        (None, _) => Value::Null,
    }
}

/// A node for plain text.
pub(super) fn text() -> Schema {
    scalar("str").unwrap_or_default()
}
