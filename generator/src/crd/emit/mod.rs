//! The model as Rust text. It cannot fail: what could not be written was refused before.
//!
//! Text and not tokens, because the descriptions are comments and a token stream has none.

mod body;
mod out;
mod root;

use super::{
    additions::StatusPaths,
    default::Defaulting,
    model::{Body, Field, Module, Struct, Ty},
    types::Root,
};
use out::Out;

/// Lints that a schema's own words and names set off, with no way for a generator to please them.
const ALLOWED: [&str; 6] = [
    "clippy::doc_lazy_continuation",
    "clippy::doc_overindented_list_items",
    "clippy::enum_variant_names",
    "clippy::large_enum_variant",
    "clippy::option_option",
    "clippy::upper_case_acronyms",
];

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
    /// Types inside the status that say how they compare.
    pub(super) parts: Vec<bool>,
}

/// The whole module.
pub(super) fn module(context: &Context<'_>, head: &Head<'_>) -> String {
    let mut out = Out::default();
    context.preamble(&mut out, head);
    context.root_type(&mut out, head);
    for index in 1..context.module.types.len() {
        context.type_def(&mut out, index);
    }
    context.helpers(&mut out);
    out.text()
}

impl Context<'_> {
    fn preamble(&self, out: &mut Out, head: &Head<'_>) {
        let Head {
            group,
            version,
            kind,
            plural,
            ..
        } = head;
        out.line(format!(
            "//! The types of `{plural}.{group}`, version `{version}`."
        ));
        out.lines(&[
            "//!",
            "//! Made from the CRD by `cargo opgen new --from-crd`. The CRD file is the truth: rules, defaults and patterns",
        ]);
        out.line(format!("//! are in it and the server holds every `{kind}` to them; these types keep whatever passes."));
        if !head.additions.is_empty() {
            out.lines(&[
                "//!",
                "//! Added to the CRD, for a phase machine to live in its status:",
                "//!",
            ]);
            for addition in head.additions {
                out.line(format!(
                    "//! - {}",
                    addition.replace('<', "\\<").replace('[', "\\[")
                ));
            }
        }
        out.lines(&["", "// What the schema's own names and texts set off."]);
        out.line(format!("#![allow({})]", ALLOWED.join(", ")));
        self.imports(out);
    }

    fn imports(&self, out: &mut Out) {
        let module = self.module;
        let has_other = module.structs().any(|body| body.other.is_some());
        let uses_map = has_other || module.any_type(&|ty| matches!(ty, Ty::Map(_)));
        let uses_value = has_other || module.any_type(&|ty| *ty == Ty::Any);
        let uses_number = module.any_type(&|ty| *ty == Ty::Number);
        out.lines(&[
            "",
            if uses_map {
                "use std::{borrow::Cow, collections::BTreeMap};"
            } else {
                "use std::borrow::Cow;"
            },
            "",
            "use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;",
            match self.root.spec {
                Some(_) => "use kube::core::object::{HasSpec, HasStatus};",
                None => "use kube::core::object::HasStatus;",
            },
        ]);
        if self.is_machine {
            out.line("use opgen_runtime::prelude::*;");
        }
        out.line("use serde::{Deserialize, Serialize, ser::SerializeMap as _};");
        match (uses_number, uses_value) {
            (true, true) => out.line("use serde_json::{Number, Value};"),
            (true, false) => out.line("use serde_json::Number;"),
            (false, true) => out.line("use serde_json::Value;"),
            (false, false) => {}
        }
    }

    fn helpers(&self, out: &mut Out) {
        let module = self.module;
        if module.any_type(&|ty| *ty == Ty::IntOrString) {
            out.block(INT_OR_STRING);
        }
        let mut fields = module.structs().flat_map(|body| &body.fields);
        if fields.any(|field| !field.is_required && field.ty.admits_null()) {
            out.block(PRESENT);
        }
        if matches!(
            &module.types[0].body,
            Body::Struct(Struct { other: Some(_), .. })
        ) {
            out.block(UNDECLARED);
        }
    }

    /// The type of a field's value where there is one.
    pub(super) fn ty(&self, ty: &Ty) -> String {
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

    /// Whether a value of that type can be made without being told.
    fn has_default(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Number => false,
            Ty::Named(index) => self.plan[*index] != Defaulting::None,
            _ => true,
        }
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
