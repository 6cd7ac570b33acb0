//! How server-side apply sees a schema: every value is a scalar, a list or a map.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use super::element::PathElement;
use crate::schema::{Additional, ListType, MapType, PatchStrategy, Schema, Type};

/// The type of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TypeRef<'a> {
    /// A whole object: `apiVersion`, `kind` and `metadata` are known beside the schema's fields.
    Object(&'a Schema),
    /// A value with a schema.
    Node(&'a Schema),
    /// Known by the value only: maps merge by key, lists are atomic.
    Deduced,
}

/// What a scalar may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Numeric,
    String,
    Boolean,
    Untyped,
}

/// What a type means for a given value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Atom<'a> {
    Scalar(Scalar),
    List(ListRef<'a>),
    Map(MapRef<'a>),
}

/// A list type.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListRef<'a> {
    pub(super) how: ListType,
    schema: Option<&'a Schema>,
}

/// A map or object type.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapRef<'a> {
    pub(super) atomic: bool,
    of: TypeRef<'a>,
}

impl<'a> TypeRef<'a> {
    /// The type of a node: objects embedded in it have metadata.
    pub(super) fn of(schema: &'a Schema) -> Self {
        if schema.embedded_resource {
            Self::Object(schema)
        } else {
            Self::Node(schema)
        }
    }

    /// What it means for `value`; `null` takes the form that the type prefers.
    pub(super) fn atom(self, value: &Value) -> Atom<'a> {
        let schema = match self {
            Self::Object(_) => {
                return Atom::Map(MapRef {
                    atomic: false,
                    of: self,
                });
            }
            Self::Deduced => return deduced(value),
            Self::Node(schema) => schema,
        };
        match schema.kind {
            Some(Type::Object) => Atom::Map(MapRef {
                atomic: schema.map_type() == MapType::Atomic,
                of: self,
            }),
            Some(Type::Array) => Atom::List(ListRef {
                how: schema.list_type(),
                schema: Some(schema),
            }),
            Some(Type::String) => Atom::Scalar(Scalar::String),
            Some(Type::Integer | Type::Number) => Atom::Scalar(Scalar::Numeric),
            Some(Type::Boolean) => Atom::Scalar(Scalar::Boolean),
            None if schema.int_or_string => Atom::Scalar(Scalar::Untyped),
            None => deduced(value),
        }
    }

    /// The schema behind it, if there is one.
    pub(crate) fn schema(self) -> Option<&'a Schema> {
        match self {
            Self::Object(schema) | Self::Node(schema) => Some(schema),
            Self::Deduced => None,
        }
    }

    /// The type of the field `name`, whether declared (`true`) or a free key. `None`: no such field.
    pub(crate) fn field(self, name: &str) -> Option<(TypeRef<'a>, bool)> {
        let schema = match self {
            Self::Deduced => return Some((TypeRef::Deduced, false)),
            Self::Object(schema) => match name {
                "metadata" => return Some((TypeRef::Node(&METADATA), true)),
                "apiVersion" | "kind" => return Some((TypeRef::Node(&STRING), true)),
                _ => schema,
            },
            Self::Node(schema) => schema,
        };
        if let Some(declared) = schema.properties.get(name) {
            return Some((TypeRef::of(declared), true));
        }
        match &schema.additional {
            Some(Additional::Schema(values)) => Some((TypeRef::of(values), false)),
            Some(Additional::Any) => Some((TypeRef::Deduced, false)),
            _ if schema.preserve_unknown || schema.kind.is_none() => {
                Some((TypeRef::Deduced, false))
            }
            _ => None,
        }
    }

    /// Whether the field `name` is a declared one.
    pub(super) fn declares(self, name: &str) -> bool {
        match self {
            Self::Deduced => false,
            Self::Object(schema) => {
                matches!(name, "metadata" | "apiVersion" | "kind")
                    || schema.properties.contains_key(name)
            }
            Self::Node(schema) => schema.properties.contains_key(name),
        }
    }

    /// The type of list items.
    pub(crate) fn item(self) -> TypeRef<'a> {
        self.schema()
            .and_then(Schema::item)
            .map_or(TypeRef::Deduced, TypeRef::of)
    }
}

fn deduced<'a>(value: &Value) -> Atom<'a> {
    match value {
        Value::Array(_) => Atom::List(ListRef {
            how: ListType::Atomic,
            schema: None,
        }),
        Value::Object(_) | Value::Null => Atom::Map(MapRef {
            atomic: false,
            of: TypeRef::Deduced,
        }),
        _ => Atom::Scalar(Scalar::Untyped),
    }
}

impl<'a> MapRef<'a> {
    pub(super) fn field(self, name: &str) -> Option<TypeRef<'a>> {
        self.of.field(name).map(|(kind, _)| kind)
    }

    pub(super) fn declares(self, name: &str) -> bool {
        self.of.declares(name)
    }
}

impl<'a> ListRef<'a> {
    pub(super) fn is_atomic(self) -> bool {
        self.how == ListType::Atomic
    }

    pub(super) fn item(self) -> TypeRef<'a> {
        self.schema
            .map_or(TypeRef::Deduced, |schema| TypeRef::Node(schema).item())
    }

    /// The path element that names an item of a set or list-map.
    pub(super) fn element(self, item: &Value) -> Result<PathElement, String> {
        match self.schema {
            Some(schema) if self.how == ListType::Map && !schema.list_map_keys.is_empty() => {
                keyed(schema, item)
            }
            _ => scalar(item),
        }
    }
}

impl ListRef<'_> {
    /// Whether two items of a list-map have the same keys; makes no path elements.
    fn same_keys(self, a: &Value, b: &Value) -> bool {
        let Some(schema) = self.schema else {
            return false;
        };
        schema
            .list_map_keys
            .iter()
            .any(|name| a.get(name).is_some())
            && schema.list_map_keys.iter().all(|name| {
                let default = schema.key_default(name);
                a.get(name).or(default) == b.get(name).or(default)
            })
    }

    /// Whether both are the same items of a list-map, each once, in the same order. Never said of long lists.
    pub(super) fn are_aligned(self, before: &[Value], after: &[Value]) -> bool {
        const LONG: usize = 32;
        self.how == ListType::Map
            && before.len() == after.len()
            && before.len() <= LONG
            && before.iter().zip(after).all(|(a, b)| self.same_keys(a, b))
            && (1..before.len()).all(|i| {
                !before[..i]
                    .iter()
                    .any(|item| self.same_keys(item, &before[i]))
            })
    }
}

fn keyed(list: &Schema, item: &Value) -> Result<PathElement, String> {
    let map = match item {
        Value::Object(map) => map,
        Value::Null => {
            return Err("associative list with keys may not have a null element".to_owned());
        }
        _ => return Err("associative list with keys may not have non-map elements".to_owned()),
    };
    let value = |key: &String| map.get(key).or_else(|| list.key_default(key));
    let keys: Vec<(Box<str>, Value)> = list
        .list_map_keys
        .iter()
        .filter_map(|key| Some((key.as_str().into(), value(key)?.clone())))
        .collect();
    if keys.is_empty() {
        let names: Vec<String> = list
            .list_map_keys
            .iter()
            .map(|key| format!("{key:?}"))
            .collect();
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
            names.join(" ")
        ));
    }
    Ok(PathElement::key(keys))
}

fn scalar(item: &Value) -> Result<PathElement, String> {
    match item {
        Value::Object(_) => {
            Err("associative list without keys has an element that's a map type".to_owned())
        }
        Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
        Value::Null => {
            Err("associative list without keys has an element that's an explicit null".to_owned())
        }
        _ => Ok(PathElement::Value(item.clone())),
    }
}

static STRING: LazyLock<Schema> = LazyLock::new(|| of_type(Type::String));

/// `ObjectMeta`, which every object has whatever its own schema says.
static METADATA: LazyLock<Schema> = LazyLock::new(|| {
    let strings = || Schema {
        additional: Some(Additional::Schema(Box::new(of_type(Type::String)))),
        ..of_type(Type::Object)
    };
    let texts = [
        "name",
        "generateName",
        "namespace",
        "selfLink",
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "deletionTimestamp",
    ];
    let mut properties: BTreeMap<String, Schema> = texts
        .iter()
        .map(|name| ((*name).to_owned(), of_type(Type::String)))
        .collect();
    for name in ["generation", "deletionGracePeriodSeconds"] {
        properties.insert(name.to_owned(), of_type(Type::Integer));
    }
    for name in ["labels", "annotations"] {
        properties.insert(name.to_owned(), strings());
    }
    properties.insert("finalizers".to_owned(), finalizers());
    properties.insert("ownerReferences".to_owned(), owner_references());
    properties.insert(
        "managedFields".to_owned(),
        list(Schema::default(), ListType::Atomic),
    );
    Schema {
        properties,
        ..of_type(Type::Object)
    }
});

fn of_type(kind: Type) -> Schema {
    Schema {
        kind: Some(kind),
        ..Schema::default()
    }
}

fn list(item: Schema, how: ListType) -> Schema {
    Schema {
        items: Some(Box::new(item)),
        list_type: Some(how),
        ..of_type(Type::Array)
    }
}

fn finalizers() -> Schema {
    Schema {
        patch_strategy: PatchStrategy::Merge,
        ..list(of_type(Type::String), ListType::Set)
    }
}

fn owner_references() -> Schema {
    let mut properties = BTreeMap::new();
    for name in ["apiVersion", "kind", "name", "uid"] {
        properties.insert(name.to_owned(), of_type(Type::String));
    }
    for name in ["controller", "blockOwnerDeletion"] {
        properties.insert(name.to_owned(), of_type(Type::Boolean));
    }
    let reference = Schema {
        properties,
        map_type: Some(MapType::Atomic),
        ..of_type(Type::Object)
    };
    Schema {
        list_map_keys: vec!["uid".to_owned()],
        patch_merge_key: Some("uid".to_owned()),
        patch_strategy: PatchStrategy::Merge,
        ..list(reference, ListType::Map)
    }
}
