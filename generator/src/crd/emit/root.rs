//! The root type: the resource itself.

use super::{
    Context, Head,
    body::serde_attribute,
    out::{Out, code},
};
use crate::crd::{
    default::Defaulting,
    model::{Body, Field, Struct},
};

impl Context<'_> {
    pub(super) fn root_type(&self, out: &mut Out, head: &Head<'_>) {
        let def = &self.module.types[0];
        let Body::Struct(body) = &def.body else {
            return;
        };
        let name = &def.name;
        let fallback = format!("{} of `{}/{}`.", code(head.kind), head.group, head.version);
        out.line("");
        out.docs(&def.doc, &fallback);
        let default = if self.plan[0] == Defaulting::None {
            ""
        } else {
            "Default, "
        };
        out.line(format!(
            "#[derive({default}Clone, Debug, PartialEq, Deserialize)]"
        ));
        out.line("#[serde(rename_all = \"camelCase\")]");
        out.line(format!("pub struct {name} {{"));
        for field in &body.fields {
            out.docs(&field.doc, &format!("{}.", code(&field.wire)));
            match field.wire.as_str() {
                "metadata" => out.line("#[serde(default)]"),
                "status" => {}
                _ => serde_attribute(out, field, false),
            }
            out.line(format!(
                "pub {}: {},",
                field.ident,
                self.root_field_ty(field)
            ));
        }
        if let Some(other) = &body.other {
            out.line("/// Fields that the schema keeps without declaring them.");
            out.line("#[serde(flatten, deserialize_with = \"undeclared\")]");
            out.line(format!("pub {other}: BTreeMap<String, Value>,"));
        }
        out.line("}");
        self.constructor(out, name, body);
        serialize(out, name, body, head);
        resource(out, name, head);
        self.has_parts(out, name, body);
    }

    /// As other fields, but a status is always an `Option`: an object begins without one.
    fn root_field_ty(&self, field: &Field) -> String {
        if field.wire == "status" {
            format!("Option<{}>", self.module.types[self.root.status].name)
        } else {
            self.field_ty(field)
        }
    }

    /// `new(name, spec)`, unless other fields are required that nobody could guess.
    fn constructor(&self, out: &mut Out, name: &str, body: &Struct) {
        let is_given =
            |field: &Field| matches!(field.wire.as_str(), "metadata" | "spec" | "status");
        let asks_more =
            |field: &&Field| !is_given(field) && field.is_required && !self.has_default(&field.ty);
        if body.fields.iter().any(|field| asks_more(&field)) {
            return;
        }
        let spec = self.root.spec.map(|index| &body.fields[index]);
        let argument = spec
            .map(|field| format!(", spec: {}", self.ty(&field.ty)))
            .unwrap_or_default();
        out.line("");
        out.line(format!("impl {name} {{"));
        out.lines(&[
            "/// An object of that name, in no namespace yet.",
            "#[must_use]",
        ]);
        out.line(format!("pub fn new(name: &str{argument}) -> Self {{"));
        out.line("Self {");
        for field in &body.fields {
            let ident = &field.ident;
            out.line(match field.wire.as_str() {
                "metadata" => {
                    "metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },"
                        .to_owned()
                }
                "spec" if field.is_required => "spec,".to_owned(),
                "spec" => "spec: Some(spec),".to_owned(),
                _ => format!("{ident}: Default::default(),"),
            });
        }
        if let Some(other) = &body.other {
            out.line(format!("{other}: BTreeMap::new(),"));
        }
        out.lines(&["}", "}", "}"]);
    }

    fn has_parts(&self, out: &mut Out, name: &str, body: &Struct) {
        if let Some(index) = self.root.spec {
            out.line("");
            out.line(format!("impl HasSpec for {name} {{"));
            out.line(format!(
                "type Spec = {};",
                self.field_ty(&body.fields[index])
            ));
            out.lines(&[
                "",
                "fn spec(&self) -> &Self::Spec {",
                "&self.spec",
                "}",
                "",
                "fn spec_mut(&mut self) -> &mut Self::Spec {",
                "&mut self.spec",
                "}",
                "}",
            ]);
        }
        out.line("");
        out.line(format!("impl HasStatus for {name} {{"));
        out.line(format!(
            "type Status = {};",
            self.module.types[self.root.status].name
        ));
        out.lines(&[
            "",
            "fn status(&self) -> Option<&Self::Status> {",
            "self.status.as_ref()",
            "}",
            "",
            "fn status_mut(&mut self) -> &mut Option<Self::Status> {",
            "&mut self.status",
            "}",
            "}",
        ]);
    }
}

/// `apiVersion` and `kind` are the type's, not an object's, so the root has no field for them and writes them itself.
fn serialize(out: &mut Out, name: &str, body: &Struct, head: &Head<'_>) {
    let api_version = format!("{}/{}", head.group, head.version);
    out.line("");
    out.line(format!("impl Serialize for {name} {{"));
    out.line(
        "fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {",
    );
    out.line("let mut map = serializer.serialize_map(None)?;");
    out.line(format!(
        "map.serialize_entry(\"apiVersion\", {api_version:?})?;"
    ));
    out.line(format!("map.serialize_entry(\"kind\", {:?})?;", head.kind));
    for Field {
        ident,
        wire,
        is_required,
        ..
    } in &body.fields
    {
        if *is_required && wire != "status" {
            out.line(format!("map.serialize_entry({wire:?}, &self.{ident})?;"));
        } else {
            out.line(format!("if let Some(value) = &self.{ident} {{"));
            out.line(format!("map.serialize_entry({wire:?}, value)?;"));
            out.line("}");
        }
    }
    if let Some(other) = &body.other {
        out.line(format!("for (name, value) in &self.{other} {{"));
        out.lines(&["map.serialize_entry(name, value)?;", "}"]);
    }
    out.lines(&["map.end()", "}", "}"]);
}

fn resource(out: &mut Out, name: &str, head: &Head<'_>) {
    let scope = if head.is_namespaced {
        "NamespaceResourceScope"
    } else {
        "ClusterResourceScope"
    };
    out.line("");
    out.line(format!("impl kube::Resource for {name} {{"));
    out.line("type DynamicType = ();");
    out.line(format!("type Scope = k8s_openapi::{scope};"));
    let names = [
        ("kind", head.kind),
        ("group", head.group),
        ("version", head.version),
        ("plural", head.plural),
    ];
    for (function, value) in names {
        out.line("");
        out.line(format!(
            "fn {function}((): &Self::DynamicType) -> Cow<'_, str> {{"
        ));
        out.line(format!("{value:?}.into()"));
        out.line("}");
    }
    out.lines(&[
        "",
        "fn meta(&self) -> &ObjectMeta {",
        "&self.metadata",
        "}",
        "",
        "fn meta_mut(&mut self) -> &mut ObjectMeta {",
        "&mut self.metadata",
        "}",
        "}",
    ]);
}
