//! Objects made from a schema.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    constraints::Overlay,
    parse::{CrdFile, Scope},
    pattern,
    random::Random,
    schema::{Additional, Kind, Schema},
    shape,
};

/// How deep optional fields are filled.
const DEPTH: usize = 9;

/// `count` random objects of the chosen version, the same ones for the same seed.
///
/// They keep to types, enums, nullability, bounds, lengths, formats, patterns, list-map keys and to constraints made of `required`. CEL
/// rules are not read.
#[must_use]
pub fn instances(crd: &CrdFile, seed: u64, count: usize) -> Vec<Value> {
    let mut maker = Maker {
        random: Some(Random::new(seed)),
    };
    (0..count)
        .map(|index| maker.object_of(crd, &format!("object-{index}")))
        .collect()
}

/// Makes values; without randomness the smallest.
pub(super) struct Maker {
    random: Option<Random>,
}

impl Maker {
    pub(super) fn minimal() -> Self {
        Self { random: None }
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.random.as_mut().map_or(0, |random| random.below(limit))
    }

    /// True once in `n` times; never in the smallest object.
    fn one_in(&mut self, n: usize) -> bool {
        self.random.as_mut().is_some_and(|random| random.one_in(n))
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        match &mut self.random {
            Some(random) => random.pick(items).cloned(),
            None => items.first().cloned(),
        }
    }

    /// A whole object.
    pub(super) fn object_of(&mut self, crd: &CrdFile, name: &str) -> Value {
        let schema = Schema::new(crd.schema());
        let mut object = match self.object(schema, 0, &Overlay::default()) {
            Value::Object(object) => object,
            _ => Map::new(),
        };
        if self.random.is_none() {
            object.remove("status");
            if let Some(spec) = schema
                .property("spec")
                .filter(|_| !object.contains_key("spec"))
            {
                object.insert("spec".to_owned(), self.value(spec, 1, &Overlay::default()));
            }
        }
        object.insert("apiVersion".to_owned(), json!(crd.api_version()));
        object.insert("kind".to_owned(), json!(crd.kind()));
        let mut metadata = json!({ "name": name });
        if self.one_in(2) {
            metadata["labels"] = json!({ "app": "x" });
        }
        if crd.scope() == Scope::Namespaced && self.random.is_some() {
            metadata["namespace"] = json!("default");
        }
        object.insert("metadata".to_owned(), metadata);
        Value::Object(object)
    }

    fn value(&mut self, schema: Schema<'_>, depth: usize, overlay: &Overlay<'_>) -> Value {
        if schema.is_nullable() && overlay.values.is_none() && self.one_in(5) {
            return Value::Null;
        }
        if let (None, Some(default)) = (&self.random, schema.default_value()) {
            return default.clone();
        }
        if let Some(values) = overlay.allowed(schema) {
            return self.pick(&values).unwrap_or(Value::Null);
        }
        match schema.kind() {
            Kind::Boolean => json!(self.one_in(2)),
            Kind::Integer => self.integer(schema),
            Kind::Number => self.number(schema),
            Kind::String => Value::String(self.text(schema)),
            Kind::IntOrString => self.int_or_string(schema),
            Kind::Any => self.anything(),
            Kind::Array => self.list(schema, depth),
            Kind::Object => self.object(schema, depth, overlay),
        }
    }

    fn integer(&mut self, schema: Schema<'_>) -> Value {
        let (least, most) = match shape::integer(schema) {
            "i8" => (f64::from(i8::MIN), f64::from(i8::MAX)),
            "u8" => (0.0, f64::from(u8::MAX)),
            "i16" => (f64::from(i16::MIN), f64::from(i16::MAX)),
            "u16" => (0.0, f64::from(u16::MAX)),
            "i32" => (f64::from(i32::MIN), f64::from(i32::MAX)),
            "u32" => (0.0, f64::from(u32::MAX)),
            "u64" => (0.0, 9e18),
            _ => (-9e18, 9e18),
        };
        let step = schema
            .bound("multipleOf")
            .filter(|step| *step >= 1.0)
            .unwrap_or(1.0);
        let low = schema.bound("minimum").map_or(least, |low| low.max(least))
            + if schema.flag_of("exclusiveMinimum") {
                1.0
            } else {
                0.0
            };
        let high = schema.bound("maximum").map_or(most, |high| high.min(most))
            - if schema.flag_of("exclusiveMaximum") {
                1.0
            } else {
                0.0
            };
        let wanted = [1.0_f64, 0.0, low, high, 42.0, -7.0][self.below(6)];
        let number = ((wanted.clamp(low, high.max(low)) / step).ceil() * step) as i64;
        json!(number)
    }

    fn number(&mut self, schema: Schema<'_>) -> Value {
        let low = schema.bound("minimum").unwrap_or(f64::NEG_INFINITY);
        let high = schema.bound("maximum").unwrap_or(f64::INFINITY).max(low);
        // The server writes a whole number without a point, so a whole one is an integer here too.
        let wanted = [1.0_f64, 0.5, -2.25, 3.0, 1e-7, 1234.5][self.below(6)].clamp(low, high);
        if wanted.fract() == 0.0 {
            json!(wanted as i64)
        } else {
            json!(wanted)
        }
    }

    fn int_or_string(&mut self, schema: Schema<'_>) -> Value {
        if self.one_in(2) {
            // Beyond 32 bits now and then: a quantity of bytes.
            return json!([8080_i64, 0, 17_179_869_184][self.below(3)]);
        }
        match schema.pattern() {
            Some(_) => Value::String(self.text(schema)),
            None if self.random.is_none() => json!(1),
            None => json!("25%"),
        }
    }

    fn text(&mut self, schema: Schema<'_>) -> String {
        let (min, max) = (
            schema.count("minLength").unwrap_or(0),
            schema.count("maxLength").unwrap_or(usize::MAX),
        );
        if let Some(wanted) = schema.pattern() {
            let fits = |text: &String| (min..=max).contains(&text.chars().count());
            let first = pattern::matching(wanted, &mut self.random);
            // A sample with empty texts in it would say nothing.
            let says_much = |text: &String| self.random.is_some() || !text.is_empty();
            if let Some(text) = first.clone().filter(fits).filter(says_much) {
                return text;
            }
            let mut dice = Some(self.random.clone().unwrap_or_else(|| Random::new(7)));
            let mut try_once = || pattern::matching(wanted, &mut dice).filter(fits);
            let tried = (0..200).find_map(|_| try_once().filter(|text| !text.is_empty()));
            if let (Some(own), Some(used)) = (&mut self.random, dice) {
                *own = used;
            }
            return tried.or(first).unwrap_or_else(|| "example".to_owned());
        }
        if let Some(text) = schema.format().and_then(|format| self.formatted(format)) {
            return text;
        }
        let text = [
            "example",
            "",
            "Ünï ☸ \"quoted\" \\ back",
            "true",
            "12",
            "a\nb",
        ][self.below(6)];
        let mut text: String = text.chars().take(max).collect();
        while text.chars().count() < min {
            text.push('x');
        }
        text
    }

    fn formatted(&mut self, format: &str) -> Option<String> {
        let choices: &[&str] = match format {
            "date-time" => &[
                "2024-01-01T00:00:00Z",
                "2024-01-01T00:00:00.000Z",
                "2024-02-29T23:59:59.123456+05:30",
            ],
            "date" => &["2024-02-29"],
            "duration" => &["1h30m", "90s", "1h0m0s"],
            "byte" => &["aGVsbG8=", ""],
            "uuid" | "uuid4" => &["6d2b7f8e-3c1a-4f5e-9b0d-2a7c8e9f0a1b"],
            "ipv4" => &["192.0.2.1"],
            "ipv6" => &["2001:db8::1"],
            "cidr" => &["192.0.2.0/24"],
            "email" => &["a@example.com"],
            "hostname" => &["host.example.com"],
            "uri" => &["https://example.com/a?b=c"],
            "mac" => &["00:00:5e:00:53:01"],
            _ => return None,
        };
        self.pick(choices).map(str::to_owned)
    }

    fn anything(&mut self) -> Value {
        let choices = [
            json!({ "a": [1, 2.5, null, { "b": "c" }] }),
            json!("text"),
            json!(7),
            json!([]),
            json!(true),
            json!({}),
        ];
        self.pick(&choices).unwrap_or_default()
    }

    fn list(&mut self, schema: Schema<'_>, depth: usize) -> Value {
        let min = schema.count("minItems").unwrap_or(0);
        let max = schema.count("maxItems").unwrap_or(usize::MAX);
        let wanted = (min + self.below(if depth > DEPTH { 1 } else { 4 })).min(max);
        let keys = schema.list_keys();
        let is_unique = matches!(schema.list_type(), Some("map" | "set"));
        let mut items: Vec<Value> = Vec::new();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for _ in 0..wanted * 4 {
            if items.len() == wanted {
                break;
            }
            let item = match schema.items() {
                Some(items) => self.value(items, depth + 1, &Overlay::default()),
                None => self.anything(),
            };
            let identity = if keys.is_empty() {
                item.to_string()
            } else {
                keys.iter()
                    .map(|key| item.get(key).map(Value::to_string).unwrap_or_default())
                    .collect::<Vec<_>>()
                    .join("\u{0}")
            };
            // Keys of a list-map are never null and never absent, unless the schema fills them in.
            let has_keys = keys.iter().all(|key| {
                item.get(key).is_some_and(|value| !value.is_null()) || self.random.is_none()
            });
            if !is_unique || has_keys && seen.insert(identity) {
                items.push(item);
            }
        }
        Value::Array(items)
    }

    fn object(&mut self, schema: Schema<'_>, depth: usize, overlay: &Overlay<'_>) -> Value {
        let mut object = Map::new();
        let constraints = self.constraints(schema, overlay);
        for (name, property) in schema.properties() {
            let chance = if depth < 3 { 2 } else { 4 };
            let wanted = constraints.include.contains(name)
                || !constraints.exclude.contains(name) && depth <= DEPTH && self.one_in(chance);
            if wanted && !(depth == 0 && matches!(name, "apiVersion" | "kind" | "metadata")) {
                let inner = Overlay::of(&constraints.properties, name);
                object.insert(name.to_owned(), self.value(property, depth + 1, &inner));
            }
        }
        let min = schema.count("minProperties").unwrap_or(0);
        let max = schema.count("maxProperties").unwrap_or(usize::MAX);
        let additional = schema.additional();
        if !matches!(additional, Additional::None) {
            for index in 0..(min + self.below(3)).min(max) {
                let value = match additional {
                    Additional::Of(values) => self.value(values, depth + 1, &Overlay::default()),
                    _ => self.anything(),
                };
                object.insert(
                    [
                        "key",
                        "example.com/other-key",
                        "Third_key",
                        "k4",
                        "k5",
                        "k6",
                    ][index % 6]
                        .to_owned(),
                    value,
                );
            }
        } else if schema.is_embedded() {
            object.insert("apiVersion".to_owned(), json!("v1"));
            object.insert("kind".to_owned(), json!("ConfigMap"));
        } else if schema.keeps_unknown() && self.one_in(2) {
            object.insert("x-not-declared".to_owned(), self.anything());
        }
        for (name, property) in schema.properties() {
            if object.len() < min
                && !object.contains_key(name)
                && !constraints.exclude.contains(name)
            {
                object.insert(
                    name.to_owned(),
                    self.value(property, depth + 1, &Overlay::default()),
                );
            }
        }
        while object.len() > max {
            let Some(name) = object
                .keys()
                .find(|name| !constraints.include.contains(name.as_str()))
                .cloned()
            else {
                break;
            };
            object.remove(&name);
        }
        Value::Object(object)
    }
}
