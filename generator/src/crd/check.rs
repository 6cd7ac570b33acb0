//! What a CRD must have for a generator to work with it.

use serde_json::Value;

use super::{
    document::{self, Nodes},
    error::CrdError,
};

/// The checks of one document, which know where it came from.
pub(super) struct Checks<'a> {
    pub(super) file: &'a str,
    pub(super) first_line: usize,
    pub(super) value: &'a Value,
    pub(super) nodes: &'a Nodes,
}

impl Checks<'_> {
    pub(super) fn error(
        &self,
        pointer: &str,
        what: impl Into<String>,
        mend: impl Into<String>,
    ) -> CrdError {
        let line = document::line_of(self.nodes, pointer).map(|line| line + self.first_line - 1);
        CrdError::new(self.file, what, mend)
            .at_field(pointer)
            .at_line(line)
    }

    pub(super) fn text(&self, pointer: &str) -> Result<String, CrdError> {
        match self.value.pointer(pointer) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
            Some(_) => {
                Err(self.error(pointer, "not a text, or an empty one", "write a name there"))
            }
            None => Err(self.error(
                pointer,
                "a field is missing",
                "add it: an API server would refuse the file too",
            )),
        }
    }

    /// The index of the version to use.
    pub(super) fn version(&self, wanted: Option<&str>) -> Result<usize, CrdError> {
        let at = "/spec/versions";
        let versions = self
            .value
            .pointer(at)
            .and_then(Value::as_array)
            .filter(|versions| !versions.is_empty());
        let Some(versions) = versions else {
            return Err(self.error(at, "no version", "list at least one version with a schema"));
        };
        let name = |version: &Value| version["name"].as_str().unwrap_or("?").to_owned();
        let served: Vec<String> = versions
            .iter()
            .filter(|version| version["served"] == true)
            .map(name)
            .collect();
        let offer = if served.is_empty() {
            "serve one: none is".to_owned()
        } else {
            format!("choose one that is served: {}", served.join(", "))
        };
        let index = match wanted {
            Some(wanted) => versions
                .iter()
                .position(|version| version["name"] == wanted)
                .ok_or_else(|| self.error(at, format!("no version `{wanted}`"), offer.clone()))?,
            None => versions
                .iter()
                .position(|version| version["storage"] == true)
                .ok_or_else(|| {
                    self.error(
                        at,
                        "no version has `storage: true`",
                        "mark the stored one, or choose a version",
                    )
                })?,
        };
        if versions[index]["served"] != true {
            let what = format!(
                "version `{}` is not served, so nothing could watch it",
                name(&versions[index])
            );
            return Err(self.error(&format!("{at}/{index}/served"), what, offer));
        }
        Ok(index)
    }

    /// Refuses what is not a structural schema of an object.
    pub(super) fn schema(&self, version: usize) -> Result<(), CrdError> {
        let at = format!("/spec/versions/{version}/schema/openAPIV3Schema");
        let Some(schema) = self.value.pointer(&at).filter(|schema| schema.is_object()) else {
            return Err(self.error(
                &at,
                "the version has no structural schema",
                "add `schema.openAPIV3Schema`: v1 CRDs need one",
            ));
        };
        if schema["type"] != "object" {
            return Err(self.error(
                &at,
                "the schema's root is not `type: object`",
                "write `type: object` there",
            ));
        }
        self.no_references(&at, schema)
    }

    /// `$ref` is not allowed in a structural schema, and would hide a type. A *property* may be called so.
    fn no_references(&self, at: &str, schema: &Value) -> Result<(), CrdError> {
        let Some(fields) = schema.as_object() else {
            return Ok(());
        };
        if fields.contains_key("$ref") {
            return Err(self.error(
                &format!("{at}/$ref"),
                "`$ref` in a structural schema",
                "write the schema out in its place",
            ));
        }
        for (key, value) in fields {
            match (key.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        self.no_references(
                            &format!("{at}/properties/{}", document::escape(name)),
                            property,
                        )?;
                    }
                }
                ("items" | "additionalProperties", value) => {
                    self.no_references(&format!("{at}/{key}"), value)?
                }
                _ => {}
            }
        }
        Ok(())
    }
}
