//! The typed form of a structural schema.
//!
//! One node type serves custom resources (parsed from `openAPIV3Schema`) and built-in kinds (written in the
//! notation of [`crate::builtin`]). Every consumer, from pruning to server-side apply, walks this tree.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::rule::Rule;

/// The JSON type of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A JSON object.
    Object,
    /// A JSON array.
    Array,
    /// A string.
    String,
    /// A number without a fraction.
    Integer,
    /// Any number.
    Number,
    /// `true` or `false`.
    Boolean,
}

impl Type {
    /// The name as written in a schema.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }

    /// The type with that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "object" => Self::Object,
            "array" => Self::Array,
            "string" => Self::String,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            _ => return None,
        })
    }
}

/// What `additionalProperties` says.
#[derive(Clone, Debug)]
pub enum Additional {
    /// `true`: any value under any key.
    Any,
    /// `false`: no further key.
    None,
    /// A schema for every value.
    Schema(Box<Schema>),
}

/// How a list merges (`x-kubernetes-list-type`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListType {
    /// Replaced as a whole.
    #[default]
    Atomic,
    /// Scalars, each at most once.
    Set,
    /// Objects known by their keys (`x-kubernetes-list-map-keys`).
    Map,
}

/// How a map or an object merges (`x-kubernetes-map-type`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapType {
    /// Field by field.
    #[default]
    Granular,
    /// Replaced as a whole.
    Atomic,
}

/// How a strategic merge patch treats a list or an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PatchStrategy {
    /// No annotation: lists are replaced, objects merged.
    #[default]
    None,
    /// `merge`.
    Merge,
    /// `replace`.
    Replace,
    /// `retainKeys`, alone or with `merge`.
    RetainKeys,
    /// `merge,retainKeys`.
    MergeRetainKeys,
}

/// What a string of a built-in kind has to decode as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coding {
    /// Any text.
    #[default]
    Plain,
    /// Base64.
    Bytes,
    /// RFC 3339, shown in seconds.
    Time,
    /// RFC 3339 with exactly six digits after the second.
    MicroTime,
    /// A resource quantity, kept in its canonical form; written as a number too.
    Quantity,
}

/// A compiled `pattern` and its source, which error messages quote.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// As written in the schema.
    pub source: String,
    /// Compiled.
    pub regex: regex::Regex,
}

/// A node of a structural schema.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// The type; `None` for int-or-string, for preserved unknown values, and inside of value validations.
    pub kind: Option<Type>,
    /// Whether `null` is a value.
    pub nullable: bool,
    /// The declared fields.
    pub properties: BTreeMap<String, Schema>,
    /// What other keys may hold.
    pub additional: Option<Additional>,
    /// The schema of list items.
    pub items: Option<Box<Schema>>,
    /// Fields that must be there.
    pub required: Vec<String>,
    /// The values allowed.
    pub enumeration: Vec<Value>,
    /// Filled in where nothing was given.
    pub default: Option<Value>,
    /// `format`, known or not.
    pub format: Option<String>,
    /// `pattern`.
    pub pattern: Option<Pattern>,
    /// `minimum`, as written (messages quote it).
    pub minimum: Option<serde_json::Number>,
    /// `maximum`, as written.
    pub maximum: Option<serde_json::Number>,
    /// `exclusiveMinimum`.
    pub exclusive_minimum: bool,
    /// `exclusiveMaximum`.
    pub exclusive_maximum: bool,
    /// `multipleOf`, as written.
    pub multiple_of: Option<serde_json::Number>,
    /// `minLength`, in characters.
    pub min_length: Option<u64>,
    /// `maxLength`, in characters.
    pub max_length: Option<u64>,
    /// `minItems`.
    pub min_items: Option<u64>,
    /// `maxItems`.
    pub max_items: Option<u64>,
    /// `minProperties`.
    pub min_properties: Option<u64>,
    /// `maxProperties`.
    pub max_properties: Option<u64>,
    /// `uniqueItems`.
    pub unique_items: bool,
    /// `allOf`: value validations only.
    pub all_of: Vec<Schema>,
    /// `anyOf`: value validations only.
    pub any_of: Vec<Schema>,
    /// `oneOf`: value validations only.
    pub one_of: Vec<Schema>,
    /// `not`: value validations only.
    pub not: Option<Box<Schema>>,
    /// `x-kubernetes-int-or-string`.
    pub int_or_string: bool,
    /// `x-kubernetes-preserve-unknown-fields`.
    pub preserve_unknown: bool,
    /// `x-kubernetes-embedded-resource`.
    pub embedded_resource: bool,
    /// `x-kubernetes-list-type`; `None` where not said (which means atomic).
    pub list_type: Option<ListType>,
    /// `x-kubernetes-list-map-keys`, in their order.
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-map-type`; `None` where not said (which means granular).
    pub map_type: Option<MapType>,
    /// The key by which a strategic merge patch matches items; built-in kinds only.
    pub patch_merge_key: Option<String>,
    /// How a strategic merge patch treats the node; built-in kinds only.
    pub patch_strategy: PatchStrategy,
    /// Whether a zero value (`""`, 0, `false`, an empty list or map) is left out of the object; built-in kinds only.
    pub omit_empty: bool,
    /// The name that decoding errors give the type; built-in kinds only.
    pub type_name: Option<&'static str>,
    /// How a string is decoded; built-in kinds only.
    pub coding: Coding,
    /// `x-kubernetes-validations`, compiled.
    pub rules: Vec<Arc<Rule>>,
    /// Whether this node or one below it has rules.
    pub has_rules: bool,
    /// Whether this node or one below it has a default.
    pub has_defaults: bool,
    /// Whether this node or one below is a set or a list-map.
    pub has_keyed_lists: bool,
    /// Whether this node or one below is an embedded resource.
    pub has_embedded: bool,
}

impl Schema {
    /// The schema of the field `name`: declared, or that of the other keys. `None` where nothing is said about it.
    pub fn field(&self, name: &str) -> Option<&Schema> {
        self.properties.get(name).or(match &self.additional {
            Some(Additional::Schema(schema)) => Some(schema),
            _ => None,
        })
    }

    /// The schema of list items.
    pub fn item(&self) -> Option<&Schema> {
        self.items.as_deref()
    }

    /// How a list here merges.
    pub fn list_type(&self) -> ListType {
        self.list_type.unwrap_or_default()
    }

    /// How an object here merges.
    pub fn map_type(&self) -> MapType {
        self.map_type.unwrap_or_default()
    }

    /// Whether the node is a map, with values of one schema under free keys.
    pub fn is_map(&self) -> bool {
        self.properties.is_empty()
            && matches!(
                self.additional,
                Some(Additional::Schema(_) | Additional::Any)
            )
    }

    /// The defaults of the list-map keys, for items that leave a key out (`protocol: TCP` of a port).
    pub fn key_default(&self, key: &str) -> Option<&Value> {
        self.item()?.properties.get(key)?.default.as_ref()
    }
}
