//! `opgen.toml`: the scaffold's desired state, read with its positions and written in a fixed form.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml_edit::{Document, DocumentMut, Item, Table, value};

use crate::error::{Failure, Place, Problem, Result, SourceText};
use crate::model::{Crates, Operator, Phase, Related};

/// The file's name in a project.
pub const FILE: &str = "opgen.toml";

/// The layout of the file that this version writes, and the only one it reads.
const SCHEMA: i64 = 1;

/// The file's fields, as written; nothing is checked beyond their types.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Fields {
    /// The layout's number.
    pub schema: Option<i64>,
    /// The package's name.
    pub name: Option<String>,
    /// The Kubernetes version.
    pub k8s_version: Option<String>,
    /// Which opgen.
    #[serde(default)]
    pub opgen: OpgenFields,
    /// The kinds.
    #[serde(default)]
    pub kind: Vec<KindFields>,
}

/// `[opgen]`: which program rendered the project, and where its crates come from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpgenFields {
    /// The version that rendered the project.
    pub version: Option<String>,
    /// `registry`, `path` or `vendor`.
    pub source: Option<String>,
    /// The checkout, for `path`.
    pub path: Option<PathBuf>,
}

/// `[[kind]]`: one kind.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KindFields {
    /// The kind.
    pub kind: Option<String>,
    /// Its group.
    pub group: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its plural.
    pub plural: Option<String>,
    /// Its short names.
    pub short: Option<Vec<String>>,
    /// Its scope.
    pub scope: Option<String>,
    /// What it manages outside.
    pub external: Option<String>,
    /// Kinds of its children.
    pub owns: Option<Vec<String>>,
    /// Kinds it refers to.
    pub watches: Option<Vec<String>>,
    /// Its phases.
    pub phases: Option<Vec<String>>,
    /// The CRD file it was adopted from, relative to this file.
    pub from_crd: Option<PathBuf>,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What it says.
    pub fields: Fields,
    source: SourceText,
    document: Document<String>,
}

impl Settings {
    /// Reads a file that has to be there.
    ///
    /// # Errors
    /// If it cannot be read, is no TOML, or has a field that does not exist.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| {
            let mut failure = Failure::io("reading the settings", path, &error);
            failure.exit = crate::error::Exit::Input;
            failure
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            Problem::new(format!(
                "the settings are not UTF-8 from byte {} on",
                error.utf8_error().valid_up_to()
            ))
            .at(Place::Path(path.to_path_buf()))
            .mend("save the file as UTF-8")
            .input()
        })?;
        Self::parse(path, text)
    }

    /// Parses a file's text.
    ///
    /// # Errors
    /// As [`Settings::read`].
    pub fn parse(path: &Path, text: String) -> Result<Self> {
        let source = SourceText {
            path: path.to_path_buf(),
            text: text.as_str().into(),
        };
        let at = |span: Option<Range<usize>>| Place::Text {
            source: source.clone(),
            span: span.unwrap_or(0..0),
            field: None,
        };
        let document = Document::parse(text).map_err(|error| {
            Problem::new(format!("this is not TOML: {}", one_line(error.message())))
                .at(at(error.span()))
                .mend("mend the syntax; https://toml.io shows it")
                .input()
        })?;
        let fields: Fields = toml_edit::de::from_document(document.clone()).map_err(|error| {
            Problem::new(one_line(error.message()))
                .at(at(error.span()))
                .mend("the fields are those of the opgen.toml that every project has; phases are a list: phases = [\"Pending>Ready\", \"Ready:steady\"]")
                .input()
        })?;
        let settings = Self {
            fields,
            source,
            document,
        };
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<()> {
        if let Some(schema) = self.fields.schema.filter(|schema| *schema != SCHEMA) {
            return Err(Problem::new(format!(
                "layout {schema} of this file is not known to opgen {}",
                env!("CARGO_PKG_VERSION")
            ))
            .at(self.place(&["schema"]))
            .mend(format!(
                "this version writes and reads layout {SCHEMA}: use a newer cargo-opgen"
            ))
            .input());
        }
        Ok(())
    }

    /// Where a field stands. Numbers address the items of a list.
    pub fn place(&self, path: &[&str]) -> Place {
        let mut span = None;
        let mut item: Option<&Item> = Some(self.document.as_item());
        for step in path {
            item = item.and_then(|item| match step.parse::<usize>() {
                Ok(index) => item.get(index),
                Err(_) => item.get(step),
            });
            // A list's item is a value, which `get` of an inline array does not reach; the list's own place will do.
            span = item.and_then(Item::span).or(span);
        }
        Place::Text {
            source: self.source.clone(),
            span: span.unwrap_or(0..0),
            field: Some(
                path.iter()
                    .filter(|step| step.parse::<usize>().is_err())
                    .copied()
                    .collect::<Vec<_>>()
                    .join("."),
            ),
        }
    }

    /// Where an entry of a list of plain values stands.
    pub fn place_in(&self, path: &[&str], index: usize) -> Place {
        let mut item: Option<&Item> = Some(self.document.as_item());
        for step in path {
            item = item.and_then(|item| match step.parse::<usize>() {
                Ok(index) => item.get(index),
                Err(_) => item.get(step),
            });
        }
        let entry = item
            .and_then(Item::as_array)
            .and_then(|array| array.get(index))
            .and_then(toml_edit::Value::span);
        match (entry, self.place(path)) {
            (Some(span), Place::Text { source, field, .. }) => Place::Text {
                source,
                span,
                field,
            },
            (_, place) => place,
        }
    }
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(", ")
}

/// Writes the file for an operator.
pub fn write(operator: &Operator) -> String {
    let mut document = DocumentMut::new();
    document["schema"] = value(SCHEMA);
    document["name"] = value(operator.name.as_str());
    document["k8s-version"] = value(operator.k8s.to_string());

    let mut opgen = Table::new();
    opgen["version"] = value(env!("CARGO_PKG_VERSION"));
    match &operator.crates {
        Crates::Registry => opgen["source"] = value("registry"),
        Crates::Path(path) => {
            opgen["source"] = value("path");
            opgen["path"] = value(path.to_string_lossy().into_owned());
        }
        Crates::Vendored { .. } => opgen["source"] = value("vendor"),
    }
    document["opgen"] = Item::Table(opgen);

    let mut kinds = toml_edit::ArrayOfTables::new();
    for resource in &operator.resources {
        let mut kind = Table::new();
        kind["kind"] = value(resource.kind.as_str());
        kind["group"] = value(resource.group.as_str());
        kind["version"] = value(resource.version.as_str());
        kind["plural"] = value(resource.plural.as_str());
        kind["short"] = value(list(
            resource.short.iter().map(|short| short.to_string()),
            false,
        ));
        kind["scope"] = value(resource.scope.as_str());
        kind["external"] = value(resource.external.as_str());
        for (name, related) in [("owns", &resource.owns), ("watches", &resource.watches)] {
            if !related.is_empty() {
                kind[name] = value(list(related.iter().map(Related::spelled), false));
            }
        }
        if resource.adopted.is_some() {
            kind["from-crd"] = value(format!("crds/{}.yaml", resource.plural));
        }
        kind["phases"] = value(list(
            resource.machine.phases().iter().map(Phase::spelled),
            true,
        ));
        kinds.push(kind);
    }
    document["kind"] = Item::ArrayOfTables(kinds);
    format!(
        "# The scaffold's desired state: what `cargo opgen` made this project from.\n{document}"
    )
}

/// A list, one entry a line where asked for.
fn list(entries: impl Iterator<Item = String>, lines: bool) -> toml_edit::Array {
    let mut array: toml_edit::Array = entries.collect();
    if lines {
        for entry in array.iter_mut() {
            entry.decor_mut().set_prefix("\n    ");
        }
        array.set_trailing("\n");
        array.set_trailing_comma(true);
    }
    array
}
