//! Structs and enums.

use super::{
    Context,
    out::{Out, code},
};
use crate::crd::{
    default::Defaulting,
    model::{Body, Enum, Field, Struct, Ty, TypeDef},
    names,
};

const DERIVES: &str = "Clone, Debug, PartialEq, Serialize, Deserialize";
const ENUM_DERIVES: &str = "PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize";

impl Context<'_> {
    pub(super) fn type_def(&self, out: &mut Out, index: usize) {
        let def = &self.module.types[index];
        let place = format!("`{}` of a `{}`.", def.place, self.module.types[0].name);
        out.line("");
        out.docs(&def.doc, &place);
        match &def.body {
            Body::Enum(body) => self.enumeration(out, def, body, index),
            Body::Struct(body) => self.structure(out, def, body, index),
        }
    }

    fn enumeration(&self, out: &mut Out, def: &TypeDef, body: &Enum, index: usize) {
        let has_default = self.plan[index] == Defaulting::Derive;
        let default = if has_default { "Default, " } else { "" };
        out.line(format!("#[derive(Clone, Debug, {default}{ENUM_DERIVES})]"));
        out.line(format!("pub enum {} {{", def.name));
        for (at, variant) in body.variants.iter().enumerate() {
            out.line(format!("/// {}", code(&variant.value)));
            if has_default && at == body.default.unwrap_or(0) {
                out.line("#[default]");
            }
            if variant.ident != variant.value {
                out.line(format!("#[serde(rename = {:?})]", variant.value));
            }
            out.line(format!("{},", variant.ident));
        }
        out.line("/// A value that this version of the schema does not list, kept as it is.");
        out.line("#[serde(untagged)]");
        out.line(format!("{}(String),", body.unknown));
        out.line("}");
    }

    fn structure(&self, out: &mut Out, def: &TypeDef, body: &Struct, index: usize) {
        let is_status = index == self.root.status && self.is_machine;
        let compares = is_status || self.parts[index];
        let default = if self.plan[index] == Defaulting::Derive {
            "Default, "
        } else {
            ""
        };
        let diff = if compares { ", StatusDiff" } else { "" };
        out.line(format!("#[derive({default}{DERIVES}{diff})]"));
        if !body.fields.is_empty() {
            out.line("#[serde(rename_all = \"camelCase\")]");
        }
        if is_status {
            let paths = self
                .paths
                .pairs()
                .map(|(key, path)| format!("{key} = {path:?}"));
            out.line(format!("#[status({})]", paths.join(", ")));
        } else if compares {
            out.line("#[status(part)]");
        }
        out.line(format!("pub struct {} {{", def.name));
        for field in &body.fields {
            out.docs(&field.doc, &format!("{}.", code(&field.wire)));
            serde_attribute(out, field, true);
            if compares && !(is_status && self.is_own(field)) {
                self.status_attribute(out, field);
            }
            out.line(format!("pub {}: {},", field.ident, self.field_ty(field)));
        }
        if let Some(other) = &body.other {
            out.line("/// Fields that the schema keeps without declaring them.");
            out.line("#[serde(flatten)]");
            out.line(format!("pub {other}: BTreeMap<String, Value>,"));
        }
        out.line("}");
        if self.plan[index] == Defaulting::Written {
            written_default(out, def, body);
        }
    }

    /// Whether a field of the status is the machine's own, which the runtime knows by its path.
    fn is_own(&self, field: &Field) -> bool {
        self.paths
            .pairs()
            .iter()
            .any(|(_, path)| path.strip_prefix('/') == Some(&field.wire))
    }

    /// How a field of the status compares.
    fn status_attribute(&self, out: &mut Out, field: &Field) {
        let mut parts = Vec::new();
        match field.list_keys.as_slice() {
            [] => {}
            [key] => parts.push(format!("key = {key:?}")),
            keys => {
                let keys: Vec<String> = keys.iter().map(|key| format!("{key:?}")).collect();
                parts.push(format!("keys({})", keys.join(", ")));
            }
        }
        if field.is_time {
            parts.push("time".to_owned());
        }
        if field.ty.named().is_some_and(|index| self.parts[index]) {
            parts.push("nested".to_owned());
        }
        if !parts.is_empty() {
            out.line(format!("#[status({})]", parts.join(", ")));
        }
    }
}

fn written_default(out: &mut Out, def: &TypeDef, body: &Struct) {
    out.line("");
    out.line(format!("impl Default for {} {{", def.name));
    out.lines(&["fn default() -> Self {", "Self {"]);
    for field in &body.fields {
        let is_number = field.is_required && field.ty == Ty::Number;
        let value = if is_number {
            "Number::from(0)"
        } else {
            "Default::default()"
        };
        out.line(format!("{}: {value},", field.ident));
    }
    if let Some(other) = &body.other {
        out.line(format!("{other}: BTreeMap::new(),"));
    }
    out.lines(&["}", "}", "}"]);
}

/// How serde reads a field, and how it writes it unless the struct writes itself.
pub(super) fn serde_attribute(out: &mut Out, field: &Field, is_written: bool) {
    let mut parts = Vec::new();
    if names::serde_camel(&field.ident) != field.wire {
        parts.push(format!("rename = {:?}", field.wire));
    }
    if !field.is_required {
        if field.ty.admits_null() {
            parts.push("default".to_owned());
            parts.push("deserialize_with = \"present\"".to_owned());
        }
        if is_written {
            parts.push("skip_serializing_if = \"Option::is_none\"".to_owned());
        }
    }
    if !parts.is_empty() {
        out.line(format!("#[serde({})]", parts.join(", ")));
    }
}
