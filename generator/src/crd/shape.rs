//! The model out of a structural schema.

use std::collections::BTreeMap;

use super::{
    docs,
    model::{Body, Enum, Field, Module, Struct, Ty, TypeDef, Variant},
    names,
    schema::{Additional, Kind, Schema},
    type_names::{self, Segment},
};

/// Fields of the root that have types of their own.
const ROOT_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The types of a root schema; the first is the root.
pub(super) fn module(type_name: &str, schema: Schema<'_>) -> Module {
    let mut shaper = Shaper::default();
    shaper.root(schema);
    let mut pinned = BTreeMap::from([(0, type_name.to_owned())]);
    for (index, way) in shaper.ways.iter().enumerate() {
        if let [only] = way.as_slice()
            && matches!(only.name.as_str(), "spec" | "status")
            && !only.is_item
        {
            pinned.insert(index, format!("{type_name}{}", names::camel(&only.name)));
        }
    }
    let named = type_names::types(type_name, &shaper.ways, &pinned);
    for (def, name) in shaper.types.iter_mut().zip(named) {
        def.name = name;
    }
    Module {
        types: shaper.types,
    }
}

/// The Rust type of an `integer`: as wide as what an API server lets through.
///
/// A server checks `int32`, `uint32`, `int64` and `uint64`, takes an integer without a format for 64 bits, and knows no narrower format:
/// a `uint16` is one only if its bounds say so.
pub(super) fn integer(schema: Schema<'_>) -> &'static str {
    let low = schema.bound("minimum").unwrap_or(f64::NEG_INFINITY);
    let high = schema.bound("maximum").unwrap_or(f64::INFINITY);
    let within = |from: f64, to: f64| low >= from && high <= to;
    match schema.format() {
        Some("int32") => "i32",
        Some("uint32") => "u32",
        Some("uint64") => "u64",
        Some("uint8") if within(0.0, f64::from(u8::MAX)) => "u8",
        Some("uint16") if within(0.0, f64::from(u16::MAX)) => "u16",
        Some("int8") if within(f64::from(i8::MIN), f64::from(i8::MAX)) => "i8",
        Some("int16") if within(f64::from(i16::MIN), f64::from(i16::MAX)) => "i16",
        _ => "i64",
    }
}

/// Collects types while it walks the schema. Depth is that of the schema, which the YAML reader has bounded.
#[derive(Default)]
struct Shaper {
    types: Vec<TypeDef>,
    ways: Vec<Vec<Segment>>,
    /// Types by their last segment and schema: the same thing under the same name is one type, as it was where the CRD came from.
    shared: BTreeMap<(String, String), usize>,
}

impl Shaper {
    fn root(&mut self, schema: Schema<'_>) {
        let index = self.reserve(schema, &[]);
        let mut body = self.object(schema, &[], &ROOT_FIELDS);
        let metadata = Field {
            ident: "metadata".to_owned(),
            wire: "metadata".to_owned(),
            doc: vec!["Name, namespace, labels and what else every object has.".to_owned()],
            ty: Ty::ObjectMeta,
            is_required: true,
            list_keys: Vec::new(),
            is_time: false,
        };
        body.fields.insert(0, metadata);
        self.types[index].body = Body::Struct(body);
    }

    /// Takes the next index, so that a type stands before those inside it.
    fn reserve(&mut self, schema: Schema<'_>, way: &[Segment]) -> usize {
        let place = way.iter().fold(String::new(), |place, segment| {
            format!(
                "{place}/{}{}",
                segment.name,
                if segment.is_item { "/*" } else { "" }
            )
        });
        self.types.push(TypeDef {
            name: String::new(),
            place,
            doc: schema.description().map(docs::lines).unwrap_or_default(),
            body: Body::Struct(Struct::default()),
        });
        self.ways.push(way.to_vec());
        self.types.len() - 1
    }

    /// The fields of an object but those in `skip`.
    fn object(&mut self, schema: Schema<'_>, way: &[Segment], skip: &[&str]) -> Struct {
        let properties: Vec<_> = schema
            .properties()
            .into_iter()
            .filter(|(name, _)| !skip.contains(name))
            .collect();
        let names: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
        let mut taken: Vec<&str> = Vec::new();
        if way.is_empty() {
            taken.push("metadata");
        }
        let mut idents = names::fields(&names, &taken);
        let keeps = schema.keeps_unknown() || !matches!(schema.additional(), Additional::None);
        let other = keeps.then(|| {
            let mut with_other = names.clone();
            with_other.push("other");
            names::fields(&with_other, &taken).pop().unwrap_or_default()
        });
        let required = schema.required();
        let fields = properties
            .iter()
            .zip(idents.drain(..))
            .map(|((name, property), ident)| {
                let mut way = way.to_vec();
                way.push(Segment {
                    name: (*name).to_owned(),
                    is_item: false,
                });
                Field {
                    ident,
                    wire: (*name).to_owned(),
                    doc: field_doc(*property),
                    ty: self.ty(*property, &way),
                    is_required: required.contains(name),
                    list_keys: property
                        .list_keys()
                        .into_iter()
                        .map(str::to_owned)
                        .collect(),
                    is_time: property.kind() == Kind::String
                        && property.format() == Some("date-time"),
                }
            })
            .collect();
        Struct { fields, other }
    }

    fn ty(&mut self, schema: Schema<'_>, way: &[Segment]) -> Ty {
        let ty = self.plain(schema, way);
        if schema.is_nullable() && !ty.admits_null() {
            Ty::Nullable(Box::new(ty))
        } else {
            ty
        }
    }

    fn plain(&mut self, schema: Schema<'_>, way: &[Segment]) -> Ty {
        match schema.kind() {
            Kind::Boolean => Ty::Bool,
            Kind::Integer => Ty::Int(integer(schema)),
            Kind::Number => Ty::Number,
            Kind::IntOrString => Ty::IntOrString,
            Kind::Any => Ty::Any,
            Kind::String => match schema.string_enum() {
                Some(values) => Ty::Named(self.enumeration(schema, &values, way)),
                None => Ty::String,
            },
            Kind::Array => Ty::List(Box::new(match schema.items() {
                Some(items) => self.ty(items, &item(way)),
                None => Ty::Any,
            })),
            Kind::Object => self.object_ty(schema, way),
        }
    }

    fn object_ty(&mut self, schema: Schema<'_>, way: &[Segment]) -> Ty {
        if schema.properties().is_empty() {
            match schema.additional() {
                Additional::Of(values) => return Ty::Map(Box::new(self.ty(values, &item(way)))),
                Additional::Any => return Ty::Map(Box::new(Ty::Any)),
                Additional::None if schema.keeps_unknown() => return Ty::Map(Box::new(Ty::Any)),
                // Nothing survives in it but `{}`, which says something by being there.
                Additional::None => {}
            }
        }
        let identity = identity(schema, way);
        if let Some(index) = self.shared.get(&identity) {
            return Ty::Named(*index);
        }
        let index = self.reserve(schema, way);
        let body = self.object(schema, way, &[]);
        self.types[index].body = Body::Struct(body);
        self.shared.insert(identity, index);
        Ty::Named(index)
    }

    fn enumeration(&mut self, schema: Schema<'_>, values: &[&str], way: &[Segment]) -> usize {
        let identity = identity(schema, way);
        if let Some(index) = self.shared.get(&identity) {
            return *index;
        }
        let index = self.reserve(schema, way);
        self.shared.insert(identity, index);
        let mut distinct: Vec<&str> = Vec::new();
        for value in values {
            if !distinct.contains(value) {
                distinct.push(value);
            }
        }
        let mut idents = names::variants(&distinct, &[]);
        let unknown = ["Unrecognized".to_owned(), "UnrecognizedValue".to_owned()]
            .into_iter()
            .find(|name| !idents.contains(name))
            .unwrap_or_else(|| format!("Unrecognized{}", idents.len() + 1));
        let default = schema
            .default_value()
            .and_then(|value| distinct.iter().position(|known| *value == **known));
        let variants = idents
            .drain(..)
            .zip(&distinct)
            .map(|(ident, value)| Variant {
                ident,
                value: (*value).to_owned(),
            })
            .collect();
        self.types[index].body = Body::Enum(Enum {
            variants,
            unknown,
            default,
        });
        index
    }
}

/// What makes two schemas one type: the name of the field, and all that is said of the values but what is said of the field.
fn identity(schema: Schema<'_>, way: &[Segment]) -> (String, String) {
    // Spec and status are types of their own whatever is in them.
    let name = match way {
        [only] => format!("/{}", only.name),
        _ => way.last().map(Segment::camel).unwrap_or_default(),
    };
    let mut fields = schema.as_map().cloned().unwrap_or_default();
    for of_the_field in ["description", "nullable"] {
        fields.remove(of_the_field);
    }
    if schema.kind() == Kind::Object {
        fields.remove("default");
    }
    (name, serde_json::Value::Object(fields).to_string())
}

/// The way to the items of a list or the values of a map.
fn item(way: &[Segment]) -> Vec<Segment> {
    let mut way = way.to_vec();
    if let Some(last) = way.last_mut() {
        last.is_item = true;
    }
    way
}

/// A field's description, and what the server does with it that a reader of the type would not see.
fn field_doc(schema: Schema<'_>) -> Vec<String> {
    let mut lines = schema.description().map(docs::lines).unwrap_or_default();
    let mut notes = Vec::new();
    if let Some(value) = schema.default_value() {
        notes.push(format!(
            "The server's default: `{}`.",
            value.to_string().replace('`', "'")
        ));
    }
    let keys = schema.list_keys();
    if !keys.is_empty() {
        notes.push(format!("Items are told apart by `{}`.", keys.join("`, `")));
    }
    if !lines.is_empty() && !notes.is_empty() {
        lines.push(String::new());
    }
    lines.extend(notes);
    lines
}
