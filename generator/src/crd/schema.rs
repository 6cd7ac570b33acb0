//! A view of one node of a structural schema: what it says, not how JSON spells it.

use serde_json::{Map, Value};

/// One schema node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schema<'a>(&'a Value);

impl<'a> Schema<'a> {
    pub(super) fn new(value: &'a Value) -> Self {
        Self(value)
    }

    pub(super) fn raw(self) -> &'a Value {
        self.0
    }

    fn text(self, key: &str) -> Option<&'a str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn flag(self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// `type`, or the type that other keywords give away where a generator left it out.
    pub(super) fn kind(self) -> Kind {
        match self.text("type") {
            _ if self.flag("x-kubernetes-int-or-string") => Kind::IntOrString,
            Some("object") => Kind::Object,
            Some("array") => Kind::Array,
            Some("string") => Kind::String,
            Some("integer") => Kind::Integer,
            Some("number") => Kind::Number,
            Some("boolean") => Kind::Boolean,
            _ if self.0.get("properties").is_some() || self.is_embedded() => Kind::Object,
            _ => Kind::Any,
        }
    }

    pub(super) fn description(self) -> Option<&'a str> {
        self.text("description")
            .map(str::trim)
            .filter(|text| !text.is_empty())
    }

    pub(super) fn format(self) -> Option<&'a str> {
        self.text("format")
    }

    pub(super) fn pattern(self) -> Option<&'a str> {
        self.text("pattern")
    }

    pub(super) fn is_nullable(self) -> bool {
        self.flag("nullable")
    }

    pub(super) fn is_embedded(self) -> bool {
        self.flag("x-kubernetes-embedded-resource")
    }

    /// Whether fields that are not declared are kept. An embedded resource keeps `apiVersion`, `kind` and `metadata` undeclared.
    pub(super) fn keeps_unknown(self) -> bool {
        self.flag("x-kubernetes-preserve-unknown-fields") || self.is_embedded()
    }

    /// The declared properties by name, in the order of their names.
    pub(super) fn properties(self) -> Vec<(&'a str, Schema<'a>)> {
        let mut all: Vec<_> = self
            .0
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, schema)| (name.as_str(), Schema(schema)))
            .collect();
        all.sort_by_key(|(name, _)| *name);
        all
    }

    pub(super) fn property(self, name: &str) -> Option<Schema<'a>> {
        self.0.get("properties")?.get(name).map(Schema)
    }

    pub(super) fn required(self) -> Vec<&'a str> {
        self.strings("required")
    }

    pub(super) fn items(self) -> Option<Schema<'a>> {
        self.0.get("items").map(Schema)
    }

    pub(super) fn additional(self) -> Additional<'a> {
        match self.0.get("additionalProperties") {
            None | Some(Value::Bool(false)) => Additional::None,
            Some(Value::Bool(true)) => Additional::Any,
            Some(schema) => Additional::Of(Schema(schema)),
        }
    }

    /// The values of a string enum without null; `None` where there is no enum or it is not of strings.
    pub(super) fn string_enum(self) -> Option<Vec<&'a str>> {
        let values = self.0.get("enum")?.as_array()?;
        let texts: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        let others = values
            .iter()
            .filter(|value| !value.is_string() && !value.is_null())
            .count();
        (!texts.is_empty() && others == 0).then_some(texts)
    }

    pub(super) fn enum_values(self) -> Option<&'a Vec<Value>> {
        self.0
            .get("enum")
            .and_then(Value::as_array)
            .filter(|values| !values.is_empty())
    }

    pub(super) fn default_value(self) -> Option<&'a Value> {
        self.0.get("default")
    }

    /// The fields that tell the items of a list-map apart.
    pub(super) fn list_keys(self) -> Vec<&'a str> {
        if self.text("x-kubernetes-list-type") == Some("map") {
            self.strings("x-kubernetes-list-map-keys")
        } else {
            Vec::new()
        }
    }

    pub(super) fn list_type(self) -> Option<&'a str> {
        self.text("x-kubernetes-list-type")
    }

    pub(super) fn count(self, key: &str) -> Option<usize> {
        let value = self.0.get(key)?;
        value
            .as_u64()
            .or_else(|| value.as_f64().map(|number| number as u64))
            .and_then(|count| usize::try_from(count).ok())
    }

    /// A bound such as `minimum`, which some generators write as a float (`0.0`).
    pub(super) fn bound(self, key: &str) -> Option<f64> {
        self.0.get(key).and_then(Value::as_f64)
    }

    pub(super) fn flag_of(self, key: &str) -> bool {
        self.flag(key)
    }

    /// The members of `oneOf`, `anyOf` or `allOf`: constraints, never types.
    pub(super) fn branches(self, key: &str) -> Vec<Schema<'a>> {
        self.0
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(Schema)
            .collect()
    }

    pub(super) fn negated(self) -> Option<Schema<'a>> {
        self.0.get("not").map(Schema)
    }

    fn strings(self, key: &str) -> Vec<&'a str> {
        self.0
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    pub(super) fn as_map(self) -> Option<&'a Map<String, Value>> {
        self.0.as_object()
    }
}

/// What a schema node's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
    IntOrString,
    /// Untyped: anything at all.
    Any,
}

/// What `additionalProperties` says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Additional<'a> {
    None,
    Any,
    Of(Schema<'a>),
}
