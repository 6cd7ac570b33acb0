//! The model as Rust text. It cannot fail: what could not be written was refused before.
//!
//! Text and not tokens, because the descriptions are comments and a token stream has none.

use std::fmt::Write as _;

use super::{
    additions::StatusPaths,
    default::Defaulting,
    model::{Body, Enum, Field, Module, Struct, Ty, TypeDef},
    names,
    types::Root,
};

/// Lints that a schema's own words and names set off, with no way for a generator to please them.
const ALLOWED: [&str; 6] = [
    "clippy::doc_lazy_continuation",
    "clippy::doc_overindented_list_items",
    "clippy::enum_variant_names",
    "clippy::large_enum_variant",
    "clippy::option_option",
    "clippy::upper_case_acronyms",
];

const DERIVES: &str = "Clone, Debug, PartialEq, Serialize, Deserialize";

/// What the resource is called.
pub(super) struct Head<'a> {
    pub(super) group: &'a str,
    pub(super) version: &'a str,
    pub(super) kind: &'a str,
    pub(super) plural: &'a str,
    pub(super) is_namespaced: bool,
    /// What was added to the schema, for the module's documentation.
    pub(super) additions: &'a [String],
}

/// The types and what was decided about them.
pub(super) struct Context<'a> {
    pub(super) module: &'a Module,
    pub(super) plan: &'a [Defaulting],
    pub(super) root: &'a Root,
    pub(super) paths: &'a StatusPaths,
    pub(super) is_machine: bool,
}

/// The whole module.
pub(super) fn module(context: &Context<'_>, head: &Head<'_>) -> String {
    let mut out = String::new();
    preamble(&mut out, context, head);
    for index in 0..context.module.types.len() {
        if index == 0 {
            context.root_type(&mut out, head);
        } else {
            context.type_def(&mut out, index);
        }
    }
    helpers(&mut out, context);
    out
}

fn preamble(out: &mut String, context: &Context<'_>, head: &Head<'_>) {
    let Head {
        group,
        version,
        kind,
        plural,
        ..
    } = head;
    line(
        out,
        &format!("//! The types of `{plural}.{group}`, version `{version}`."),
    );
    line(out, "//!");
    line(
        out,
        "//! Made from the CRD by `cargo opgen new --from-crd`. The CRD file is the truth: rules, defaults and patterns are in it and the",
    );
    line(
        out,
        &format!("//! server holds every `{kind}` to them; these types keep whatever passes."),
    );
    if !head.additions.is_empty() {
        line(out, "//!");
        line(
            out,
            "//! Added to the CRD, for a phase machine to live in its status:",
        );
        line(out, "//!");
        for addition in head.additions {
            let text = addition.replace('<', "\\<").replace('[', "\\[");
            line(out, &format!("//! - {text}"));
        }
    }
    line(out, "");
    line(out, "// What the schema's own names and texts set off.");
    line(out, &format!("#![allow({})]", ALLOWED.join(", ")));
    line(out, "");
    let module = context.module;
    let uses_map = module.any_type(&|ty| matches!(ty, Ty::Map(_)))
        || module.structs().any(|body| body.other.is_some());
    let uses_value =
        module.any_type(&|ty| *ty == Ty::Any) || module.structs().any(|body| body.other.is_some());
    line(
        out,
        if uses_map {
            "use std::{borrow::Cow, collections::BTreeMap};"
        } else {
            "use std::borrow::Cow;"
        },
    );
    line(out, "");
    line(
        out,
        "use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;",
    );
    line(
        out,
        if context.root.spec.is_some() {
            "use kube::core::object::{HasSpec, HasStatus};"
        } else {
            "use kube::core::object::HasStatus;"
        },
    );
    if context.is_machine {
        line(out, "use opgen_runtime::prelude::*;");
    }
    line(
        out,
        "use serde::{Deserialize, Serialize, ser::SerializeMap as _};",
    );
    let number = module.any_type(&|ty| *ty == Ty::Number);
    match (number, uses_value) {
        (true, true) => line(out, "use serde_json::{Number, Value};"),
        (true, false) => line(out, "use serde_json::Number;"),
        (false, true) => line(out, "use serde_json::Value;"),
        (false, false) => {}
    }
}

fn helpers(out: &mut String, context: &Context<'_>) {
    let module = context.module;
    if module.any_type(&|ty| *ty == Ty::IntOrString) {
        out.push_str(INT_OR_STRING);
    }
    if module
        .structs()
        .flat_map(|body| &body.fields)
        .any(|field| !field.is_required && field.ty.admits_null())
    {
        out.push_str(PRESENT);
    }
    if matches!(
        &module.types[0].body,
        Body::Struct(Struct { other: Some(_), .. })
    ) {
        out.push_str(UNDECLARED);
    }
}

const INT_OR_STRING: &str = "
/// A number or a text, such as a port or a quantity. Wider than `k8s-openapi`'s, whose 32 bits cannot hold a quantity of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum IntOrString {
    /// A whole number.
    Int(i64),
    /// A text.
    String(String),
}

impl Default for IntOrString {
    fn default() -> Self {
        Self::Int(0)
    }
}
";

const PRESENT: &str = "
/// Reads a field that is there, be it null, so that null is not taken for absent.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}
";

const UNDECLARED: &str = "
/// Reads the fields that the schema does not declare, without those that every object has.
fn undeclared<'de, D>(deserializer: D) -> Result<BTreeMap<String, Value>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    let mut fields = BTreeMap::<String, Value>::deserialize(deserializer)?;
    fields.retain(|name, _| name != \"apiVersion\" && name != \"kind\");
    Ok(fields)
}
";

impl Context<'_> {
    /// A field of the root.
    pub(super) fn root_field(&self, index: usize) -> &Field {
        match &self.module.types[0].body {
            Body::Struct(body) => &body.fields[index],
            Body::Enum(_) => unreachable!("the root of a schema is an object"),
        }
    }

    /// The type of a field of the root, without the `Option` of an optional one.
    pub(super) fn field_type_name(&self, index: usize) -> String {
        self.ty(&self.root_field(index).ty)
    }

    fn ty(&self, ty: &Ty) -> String {
        match ty {
            Ty::Bool => "bool".to_owned(),
            Ty::Int(name) => (*name).to_owned(),
            Ty::Number => "Number".to_owned(),
            Ty::String => "String".to_owned(),
            Ty::IntOrString => "IntOrString".to_owned(),
            Ty::Any => "Value".to_owned(),
            Ty::ObjectMeta => "ObjectMeta".to_owned(),
            Ty::List(inner) => format!("Vec<{}>", self.ty(inner)),
            Ty::Map(inner) => format!("BTreeMap<String, {}>", self.ty(inner)),
            Ty::Nullable(inner) => format!("Option<{}>", self.ty(inner)),
            Ty::Named(index) => self.module.types[*index].name.clone(),
        }
    }

    fn field_ty(&self, field: &Field) -> String {
        let ty = self.ty(&field.ty);
        if field.is_required {
            ty
        } else {
            format!("Option<{ty}>")
        }
    }

    fn type_def(&self, out: &mut String, index: usize) {
        let def = &self.module.types[index];
        line(out, "");
        docs(
            out,
            &def.doc,
            &format!("`{}` of a `{}`.", def.place, self.module.types[0].name),
        );
        match &def.body {
            Body::Enum(body) => self.enumeration(out, def, body, index),
            Body::Struct(body) => self.structure(out, def, body, index),
        }
    }

    fn enumeration(&self, out: &mut String, def: &TypeDef, body: &Enum, index: usize) {
        let has_default = self.plan[index] == Defaulting::Derive;
        let default = if has_default { "Default, " } else { "" };
        line(
            out,
            &format!(
                "#[derive(Clone, Debug, {default}PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]"
            ),
        );
        line(out, &format!("pub enum {} {{", def.name));
        for (at, variant) in body.variants.iter().enumerate() {
            line(out, &format!("/// {}", code(&variant.value)));
            if has_default && at == body.default.unwrap_or(0) {
                line(out, "#[default]");
            }
            if variant.ident != variant.value {
                line(out, &format!("#[serde(rename = {:?})]", variant.value));
            }
            line(out, &format!("{},", variant.ident));
        }
        line(
            out,
            "/// A value that this version of the schema does not list, kept as it is.",
        );
        line(out, "#[serde(untagged)]");
        line(out, &format!("{}(String),", body.unknown));
        line(out, "}");
    }

    fn structure(&self, out: &mut String, def: &TypeDef, body: &Struct, index: usize) {
        let default = if self.plan[index] == Defaulting::Derive {
            "Default, "
        } else {
            ""
        };
        let diff = if index == self.root.status && self.is_machine {
            ", StatusDiff"
        } else {
            ""
        };
        line(out, &format!("#[derive({default}{DERIVES}{diff})]"));
        if !body.fields.is_empty() {
            line(out, "#[serde(rename_all = \"camelCase\")]");
        }
        let is_status = index == self.root.status && self.is_machine;
        if is_status {
            self.status_paths(out);
        }
        line(out, &format!("pub struct {} {{", def.name));
        for field in &body.fields {
            docs(out, &field.doc, &format!("{}.", code(&field.wire)));
            serde_attribute(out, field);
            if is_status {
                list_keys(out, field);
            }
            line(
                out,
                &format!("pub {}: {},", field.ident, self.field_ty(field)),
            );
        }
        if let Some(other) = &body.other {
            line(
                out,
                "/// Fields that the schema keeps without declaring them.",
            );
            line(out, "#[serde(flatten)]");
            line(out, &format!("pub {other}: BTreeMap<String, Value>,"));
        }
        line(out, "}");
        if self.plan[index] == Defaulting::Written {
            self.written_default(out, def, body);
        }
    }

    /// The container attribute that tells the runtime where its fields are, if they are not where it looks by itself.
    fn status_paths(&self, out: &mut String) {
        let moved: Vec<String> = self
            .paths
            .pairs()
            .into_iter()
            .filter(|(key, path)| *path != StatusPaths::default_of(key))
            .map(|(key, path)| format!("{key} = {path:?}"))
            .collect();
        if !moved.is_empty() {
            line(out, &format!("#[status({})]", moved.join(", ")));
        }
    }

    fn written_default(&self, out: &mut String, def: &TypeDef, body: &Struct) {
        line(out, "");
        line(out, &format!("impl Default for {} {{", def.name));
        line(out, "fn default() -> Self {");
        line(out, "Self {");
        for field in &body.fields {
            let value = if field.is_required && field.ty == Ty::Number {
                "Number::from(0)"
            } else {
                "Default::default()"
            };
            line(out, &format!("{}: {value},", field.ident));
        }
        if let Some(other) = &body.other {
            line(out, &format!("{other}: BTreeMap::new(),"));
        }
        out.push_str("}\n}\n}\n");
    }

    fn root_type(&self, out: &mut String, head: &Head<'_>) {
        let def = &self.module.types[0];
        let Body::Struct(body) = &def.body else {
            return;
        };
        let name = &def.name;
        line(out, "");
        docs(
            out,
            &def.doc,
            &format!("{} of `{}/{}`.", code(head.kind), head.group, head.version),
        );
        let default = if self.plan[0] == Defaulting::None {
            ""
        } else {
            "Default, "
        };
        line(
            out,
            &format!("#[derive({default}Clone, Debug, PartialEq, Deserialize)]"),
        );
        line(out, "#[serde(rename_all = \"camelCase\")]");
        line(out, &format!("pub struct {name} {{"));
        for field in &body.fields {
            docs(out, &field.doc, &format!("{}.", code(&field.wire)));
            match field.wire.as_str() {
                "metadata" => line(out, "#[serde(default)]"),
                "status" => {}
                _ => serde_attribute(out, field),
            }
            line(
                out,
                &format!("pub {}: {},", field.ident, self.root_field_ty(field)),
            );
        }
        if let Some(other) = &body.other {
            line(
                out,
                "/// Fields that the schema keeps without declaring them.",
            );
            line(out, "#[serde(flatten, deserialize_with = \"undeclared\")]");
            line(out, &format!("pub {other}: BTreeMap<String, Value>,"));
        }
        line(out, "}");
        self.constructor(out, name, body);
        serialize(out, name, body, head);
        resource(out, name, head);
        self.has_parts(out, name);
    }

    /// As other fields, but a status is always an `Option`: an object begins without one.
    fn root_field_ty(&self, field: &Field) -> String {
        if field.wire == "status" {
            format!("Option<{}>", self.module.types[self.root.status].name)
        } else {
            self.field_ty(field)
        }
    }

    fn constructor(&self, out: &mut String, name: &str, body: &Struct) {
        let is_given =
            |field: &Field| matches!(field.wire.as_str(), "metadata" | "spec" | "status");
        let has_default = |ty: &Ty| match ty {
            Ty::Number => false,
            Ty::Named(index) => self.plan[*index] != Defaulting::None,
            _ => true,
        };
        if body
            .fields
            .iter()
            .any(|field| !is_given(field) && field.is_required && !has_default(&field.ty))
        {
            return;
        }
        let spec = body.fields.iter().find(|field| field.wire == "spec");
        let argument = spec
            .map(|field| format!(", spec: {}", self.ty(&field.ty)))
            .unwrap_or_default();
        line(out, "");
        line(out, &format!("impl {name} {{"));
        line(out, "/// An object of that name, in no namespace yet.");
        line(out, "#[must_use]");
        line(out, &format!("pub fn new(name: &str{argument}) -> Self {{"));
        line(out, "Self {");
        for field in &body.fields {
            let value = match field.wire.as_str() {
                "metadata" => "ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }",
                "spec" if field.is_required => "spec",
                "spec" => "Some(spec)",
                _ => "Default::default()",
            };
            let ident = &field.ident;
            line(
                out,
                &if value == ident {
                    format!("{ident},")
                } else {
                    format!("{ident}: {value},")
                },
            );
        }
        if let Some(other) = &body.other {
            line(out, &format!("{other}: BTreeMap::new(),"));
        }
        out.push_str("}\n}\n}\n");
    }

    fn has_parts(&self, out: &mut String, name: &str) {
        if let Some(index) = self.root.spec {
            let field = self.root_field(index);
            line(out, "");
            line(out, &format!("impl HasSpec for {name} {{"));
            line(out, &format!("type Spec = {};", self.field_ty(field)));
            line(out, "");
            line(out, "fn spec(&self) -> &Self::Spec {\n&self.spec\n}");
            line(out, "");
            line(
                out,
                "fn spec_mut(&mut self) -> &mut Self::Spec {\n&mut self.spec\n}\n}",
            );
        }
        line(out, "");
        line(out, &format!("impl HasStatus for {name} {{"));
        line(
            out,
            &format!(
                "type Status = {};",
                self.module.types[self.root.status].name
            ),
        );
        line(out, "");
        line(
            out,
            "fn status(&self) -> Option<&Self::Status> {\nself.status.as_ref()\n}",
        );
        line(out, "");
        line(
            out,
            "fn status_mut(&mut self) -> &mut Option<Self::Status> {\n&mut self.status\n}\n}",
        );
    }
}

/// `apiVersion` and `kind` are the type's, not an object's, so the root has no field for them and writes them itself.
fn serialize(out: &mut String, name: &str, body: &Struct, head: &Head<'_>) {
    line(out, "");
    line(out, &format!("impl Serialize for {name} {{"));
    line(
        out,
        "fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {",
    );
    line(out, "let mut map = serializer.serialize_map(None)?;");
    line(
        out,
        &format!(
            "map.serialize_entry(\"apiVersion\", {:?})?;",
            format!("{}/{}", head.group, head.version)
        ),
    );
    line(
        out,
        &format!("map.serialize_entry(\"kind\", {:?})?;", head.kind),
    );
    for field in &body.fields {
        let Field { ident, wire, .. } = field;
        if field.is_required && wire != "status" {
            line(
                out,
                &format!("map.serialize_entry({wire:?}, &self.{ident})?;"),
            );
        } else {
            line(
                out,
                &format!(
                    "if let Some(value) = &self.{ident} {{\nmap.serialize_entry({wire:?}, value)?;\n}}"
                ),
            );
        }
    }
    if let Some(other) = &body.other {
        line(
            out,
            &format!(
                "for (name, value) in &self.{other} {{\nmap.serialize_entry(name, value)?;\n}}"
            ),
        );
    }
    out.push_str("map.end()\n}\n}\n");
}

fn resource(out: &mut String, name: &str, head: &Head<'_>) {
    let scope = if head.is_namespaced {
        "NamespaceResourceScope"
    } else {
        "ClusterResourceScope"
    };
    line(out, "");
    line(out, &format!("impl kube::Resource for {name} {{"));
    line(out, "type DynamicType = ();");
    line(out, &format!("type Scope = k8s_openapi::{scope};"));
    for (function, value) in [
        ("kind", head.kind),
        ("group", head.group),
        ("version", head.version),
        ("plural", head.plural),
    ] {
        line(out, "");
        line(
            out,
            &format!(
                "fn {function}((): &Self::DynamicType) -> Cow<'_, str> {{\n{value:?}.into()\n}}"
            ),
        );
    }
    line(out, "");
    line(out, "fn meta(&self) -> &ObjectMeta {\n&self.metadata\n}");
    line(out, "");
    line(
        out,
        "fn meta_mut(&mut self) -> &mut ObjectMeta {\n&mut self.metadata\n}\n}",
    );
}

fn serde_attribute(out: &mut String, field: &Field) {
    let mut parts = Vec::new();
    if names::serde_camel(&field.ident) != field.wire {
        parts.push(format!("rename = {:?}", field.wire));
    }
    if !field.is_required {
        if field.ty.admits_null() {
            parts.push("default".to_owned());
            parts.push("deserialize_with = \"present\"".to_owned());
        }
        parts.push("skip_serializing_if = \"Option::is_none\"".to_owned());
    }
    if !parts.is_empty() {
        line(out, &format!("#[serde({})]", parts.join(", ")));
    }
}

fn list_keys(out: &mut String, field: &Field) {
    match field.list_keys.as_slice() {
        [] => {}
        [key] => line(out, &format!("#[status(key = {key:?})]")),
        keys => {
            let keys: Vec<String> = keys.iter().map(|key| format!("{key:?}")).collect();
            line(out, &format!("#[status(keys({}))]", keys.join(", ")));
        }
    }
}

fn docs(out: &mut String, lines: &[String], fallback: &str) {
    if lines.is_empty() {
        line(out, &format!("/// {fallback}"));
    }
    for text in lines {
        line(out, format!("/// {text}").trim_end());
    }
}

/// A text as inline code, whatever is in it.
fn code(text: &str) -> String {
    let clean: String = text
        .chars()
        .map(|c| if c == '`' { '\'' } else { c })
        .filter(|c| !c.is_control())
        .collect();
    if clean.trim().is_empty() {
        format!("`{clean:?}`")
    } else {
        format!("`{clean}`")
    }
}

fn line(out: &mut String, text: &str) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "{text}");
}
