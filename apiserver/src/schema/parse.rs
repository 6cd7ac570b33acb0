//! From `openAPIV3Schema` to [`Schema`].

use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::cause::Cause;
use super::model::{Additional, ListType, MapType, Pattern, Schema, Type};
use super::rule::Rule;

impl Schema {
    /// Parses an `openAPIV3Schema`, compiling patterns and rules.
    ///
    /// # Errors
    /// Faults of patterns and rules, with paths relative to `openAPIV3Schema`. Whether the schema is structural is
    /// another question: [`super::structural_causes`].
    pub fn parse(schema: &Value) -> Result<Schema, Vec<Cause>> {
        Self::parse_at(schema, "openAPIV3Schema")
    }

    /// [`Schema::parse`], with `path` at the front of the paths in errors.
    ///
    /// # Errors
    /// As [`Schema::parse`].
    pub fn parse_at(schema: &Value, path: &str) -> Result<Schema, Vec<Cause>> {
        let mut parser = Parser { causes: Vec::new() };
        let parsed = parser.node(schema, path, true);
        if parser.causes.is_empty() {
            Ok(parsed)
        } else {
            Err(parser.causes)
        }
    }
}

struct Parser {
    causes: Vec<Cause>,
}

impl Parser {
    fn node(&mut self, json: &Value, path: &str, root: bool) -> Schema {
        let Some(map) = json.as_object() else {
            return Schema::default();
        };
        let mut schema = Schema {
            kind: map
                .get("type")
                .and_then(Value::as_str)
                .and_then(Type::from_name),
            nullable: flag(map, "nullable"),
            required: strings(map.get("required")),
            enumeration: map
                .get("enum")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default(),
            default: map.get("default").filter(|value| !value.is_null()).cloned(),
            format: text(map, "format"),
            unique_items: flag(map, "uniqueItems"),
            ..Schema::default()
        };
        numbers(&mut schema, map);
        extensions(&mut schema, map);
        self.pattern(&mut schema, map, path);
        self.children(&mut schema, map, path);
        self.value_validations(&mut schema, map, path);
        self.rules(&mut schema, map, path, root);
        summarise(&mut schema);
        schema
    }

    fn pattern(&mut self, schema: &mut Schema, map: &Map<String, Value>, path: &str) {
        let Some(source) = text(map, "pattern").filter(|source| !source.is_empty()) else {
            return;
        };
        match regex::Regex::new(&source) {
            Ok(regex) => schema.pattern = Some(Pattern { source, regex }),
            Err(error) => {
                let detail = format!("must be a valid regular expression, but isn't: {error}");
                self.causes.push(Cause::invalid(
                    format!("{path}.pattern"),
                    &Value::from(source),
                    detail,
                ));
            }
        }
    }

    fn children(&mut self, schema: &mut Schema, map: &Map<String, Value>, path: &str) {
        for (name, property) in object(map.get("properties")) {
            let node = self.node(property, &format!("{path}.properties[{name}]"), false);
            schema.properties.insert(name.clone(), node);
        }
        schema.additional = match map.get("additionalProperties") {
            Some(Value::Bool(true)) => Some(Additional::Any),
            Some(Value::Bool(false)) => Some(Additional::None),
            Some(values @ Value::Object(_)) => {
                let node = self.node(values, &format!("{path}.additionalProperties"), false);
                Some(Additional::Schema(Box::new(node)))
            }
            _ => None,
        };
        if let Some(items @ Value::Object(_)) = map.get("items") {
            schema.items = Some(Box::new(self.node(items, &format!("{path}.items"), false)));
        }
    }

    fn value_validations(&mut self, schema: &mut Schema, map: &Map<String, Value>, path: &str) {
        let mut all = |keyword: &str| -> Vec<Schema> {
            let Some(list) = map.get(keyword).and_then(Value::as_array) else {
                return Vec::new();
            };
            let nodes = list.iter().enumerate();
            nodes
                .map(|(index, node)| self.node(node, &format!("{path}.{keyword}[{index}]"), false))
                .collect()
        };
        schema.all_of = all("allOf");
        schema.any_of = all("anyOf");
        schema.one_of = all("oneOf");
        if let Some(node) = map.get("not").filter(|node| node.is_object()) {
            schema.not = Some(Box::new(self.node(node, &format!("{path}.not"), false)));
        }
    }

    fn rules(&mut self, schema: &mut Schema, map: &Map<String, Value>, path: &str, root: bool) {
        let Some(rules) = map
            .get("x-kubernetes-validations")
            .and_then(Value::as_array)
        else {
            return;
        };
        for (index, rule) in rules.iter().enumerate() {
            match Rule::compile(
                rule,
                &format!("{path}.x-kubernetes-validations[{index}]"),
                schema,
                root,
            ) {
                Ok(rule) => schema.rules.push(Arc::new(rule)),
                Err(causes) => self.causes.extend(causes),
            }
        }
    }
}

fn numbers(schema: &mut Schema, map: &Map<String, Value>) {
    let number = |key: &str| -> Option<Number> { map.get(key).and_then(Value::as_number).cloned() };
    let count = |key: &str| -> Option<u64> {
        let value = map.get(key)?;
        value.as_u64().or_else(|| {
            value
                .as_f64()
                .filter(|f| *f >= 0.0 && f.fract() == 0.0)
                .map(|f| f as u64)
        })
    };
    schema.minimum = number("minimum");
    schema.maximum = number("maximum");
    schema.multiple_of = number("multipleOf");
    schema.exclusive_minimum = flag(map, "exclusiveMinimum");
    schema.exclusive_maximum = flag(map, "exclusiveMaximum");
    schema.min_length = count("minLength");
    schema.max_length = count("maxLength");
    schema.min_items = count("minItems");
    schema.max_items = count("maxItems");
    schema.min_properties = count("minProperties");
    schema.max_properties = count("maxProperties");
}

fn extensions(schema: &mut Schema, map: &Map<String, Value>) {
    schema.int_or_string = flag(map, "x-kubernetes-int-or-string");
    schema.preserve_unknown = flag(map, "x-kubernetes-preserve-unknown-fields");
    schema.embedded_resource = flag(map, "x-kubernetes-embedded-resource");
    schema.list_map_keys = strings(map.get("x-kubernetes-list-map-keys"));
    schema.list_type = match map.get("x-kubernetes-list-type").and_then(Value::as_str) {
        Some("set") => Some(ListType::Set),
        Some("map") => Some(ListType::Map),
        Some("atomic") => Some(ListType::Atomic),
        _ => None,
    };
    schema.map_type = match map.get("x-kubernetes-map-type").and_then(Value::as_str) {
        Some("atomic") => Some(MapType::Atomic),
        Some("granular") => Some(MapType::Granular),
        _ => None,
    };
}

/// Notes for the node whether the walks for rules, defaults, lists and embedded resources have to come by.
pub(crate) fn summarise(schema: &mut Schema) {
    let below = |test: fn(&Schema) -> bool| {
        schema.properties.values().any(test)
            || schema.items.as_deref().is_some_and(test)
            || matches!(&schema.additional, Some(Additional::Schema(node)) if test(node))
    };
    let rules = !schema.rules.is_empty() || below(|node| node.has_rules);
    let defaults = schema.default.is_some() || below(|node| node.has_defaults);
    let keyed = schema.list_type() != ListType::Atomic || below(|node| node.has_keyed_lists);
    let embedded = schema.embedded_resource || below(|node| node.has_embedded);
    schema.has_rules = rules;
    schema.has_defaults = defaults;
    schema.has_keyed_lists = keyed;
    schema.has_embedded = embedded;
}

fn flag(map: &Map<String, Value>, key: &str) -> bool {
    map.get(key).and_then(Value::as_bool).unwrap_or_default()
}

fn text(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn object(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}
