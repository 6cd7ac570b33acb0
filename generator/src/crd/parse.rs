//! One CustomResourceDefinition out of a YAML text.

use serde_json::Value;

use super::{
    document::{self, Nodes},
    error::CrdError,
    names,
};

/// Which CRD of a file, and which of its versions. The default takes the only CRD, and the version that is stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice<'a> {
    /// The kind, where the file holds several CRDs.
    pub kind: Option<&'a str>,
    /// The version, where it shall not be the stored one.
    pub version: Option<&'a str>,
}

/// Where the objects of a kind live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// Beside the namespaces.
    Cluster,
}

/// One CRD, read and checked as far as a generator must.
#[derive(Clone, Debug)]
pub struct CrdFile {
    file: String,
    /// Where the document starts in the file, from 1.
    first_line: usize,
    text: String,
    value: Value,
    nodes: Nodes,
    group: String,
    version_index: usize,
    version: String,
    scope: Scope,
}

impl CrdFile {
    /// Reads the only CRD of `yaml_text` at its stored version. `file_name` is for messages.
    ///
    /// # Errors
    /// As [`CrdFile::choose`].
    pub fn parse(yaml_text: &str, file_name: &str) -> Result<Self, CrdError> {
        Self::choose(yaml_text, file_name, Choice::default())
    }

    /// Reads a CRD out of `yaml_text`, which may hold other documents.
    ///
    /// # Errors
    /// If the text is not YAML, holds no CRD or several without a choice, or the CRD has no version, schema or name to work with.
    pub fn choose(yaml_text: &str, file_name: &str, choice: Choice<'_>) -> Result<Self, CrdError> {
        let (first_line, text, value) = pick(read(yaml_text, file_name)?, file_name, choice.kind)?;
        let nodes = document::nodes(&text).unwrap_or_default();
        let checks = Checks {
            file: file_name,
            first_line,
            value: &value,
            nodes: &nodes,
        };
        let group = checks.text("/spec/group")?;
        for name in ["kind", "plural"] {
            checks.text(&format!("/spec/names/{name}"))?;
        }
        let scope = match checks.text("/spec/scope")?.as_str() {
            "Namespaced" => Scope::Namespaced,
            "Cluster" => Scope::Cluster,
            other => {
                let what = format!("scope `{other}` does not exist");
                return Err(checks.error("/spec/scope", what, "write `Namespaced` or `Cluster`"));
            }
        };
        let version_index = checks.version(choice.version)?;
        checks.schema(version_index)?;
        let version = checks.text(&format!("/spec/versions/{version_index}/name"))?;
        Ok(Self {
            file: file_name.to_owned(),
            first_line,
            text,
            value,
            nodes,
            group,
            version_index,
            version,
            scope,
        })
    }

    /// The file's name as it was given.
    #[must_use]
    pub fn file_name(&self) -> &str {
        &self.file
    }

    /// The text of the one document that holds the CRD.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The CRD as it was read.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// `spec.group`.
    #[must_use]
    pub fn group(&self) -> &str {
        &self.group
    }

    /// The version that types are made of: the stored one unless another was chosen.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// `group/version`.
    #[must_use]
    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }

    /// `spec.names.kind`, which may be lower case.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.name("kind").unwrap_or_default()
    }

    /// The Rust type of the kind: upper camel case, apart from names that Rust code needs for itself.
    #[must_use]
    pub fn type_name(&self) -> String {
        names::kind_type(self.kind())
    }

    /// `spec.names.plural`.
    #[must_use]
    pub fn plural(&self) -> &str {
        self.name("plural").unwrap_or_default()
    }

    /// `spec.names.singular`; an API server fills in the lower-case kind.
    #[must_use]
    pub fn singular(&self) -> String {
        self.name("singular")
            .map_or_else(|| self.kind().to_lowercase(), str::to_owned)
    }

    /// `spec.names.shortNames`.
    #[must_use]
    pub fn short_names(&self) -> Vec<&str> {
        self.names("shortNames")
    }

    /// `spec.names.categories`.
    #[must_use]
    pub fn categories(&self) -> Vec<&str> {
        self.names("categories")
    }

    /// Namespaced or not.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Whether the chosen version has a status in its schema *and* as a subresource.
    #[must_use]
    pub fn has_status(&self) -> bool {
        let version = &self.value["spec"]["versions"][self.version_index];
        version.pointer("/subresources/status").is_some()
            && self.schema().pointer("/properties/status").is_some()
    }

    /// The structural schema of the chosen version, before any addition.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.value["spec"]["versions"][self.version_index]["schema"]["openAPIV3Schema"]
    }

    /// What a user should know and no check can decide, one sentence each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (index, version) in self.versions().iter().enumerate() {
            let name = version["name"].as_str().unwrap_or_default();
            if index == self.version_index {
                if version["deprecated"] == true {
                    notes.push(format!("version {name} is deprecated"));
                }
                if version["storage"] != true {
                    notes.push(format!(
                        "version {name} is served but not stored: each read is converted"
                    ));
                }
            } else if version["served"] == true {
                notes.push(format!(
                    "version {name} is served too: the machine's fields are added to its schema, and whatever converts it must keep them"
                ));
            }
        }
        notes
    }

    pub(super) fn versions(&self) -> &[Value] {
        self.value["spec"]["versions"]
            .as_array()
            .map_or(&[], Vec::as_slice)
    }

    pub(super) fn version_index(&self) -> usize {
        self.version_index
    }

    pub(super) fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    pub(super) fn error(
        &self,
        pointer: &str,
        what: impl Into<String>,
        mend: impl Into<String>,
    ) -> CrdError {
        let line = document::line_of(&self.nodes, pointer).map(|line| line + self.first_line - 1);
        CrdError::new(&self.file, what, mend)
            .at_field(pointer)
            .at_line(line)
    }

    fn name(&self, key: &str) -> Option<&str> {
        self.value["spec"]["names"][key]
            .as_str()
            .filter(|name| !name.is_empty())
    }

    fn names(&self, key: &str) -> Vec<&str> {
        self.value["spec"]["names"][key]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }
}

/// A document: its first line, its text, its value.
type Document = (usize, String, Value);

/// All documents of a text.
fn read(text: &str, file: &str) -> Result<Vec<Document>, CrdError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let options = serde_saphyr::options! {
        // Schemas nest deeper than the crate's default of 64 allows: three levels of YAML per level of schema.
        budget: serde_saphyr::budget! { max_depth: 400 },
    };
    let mend = if text.contains("{{") {
        "this looks like a template: render it first (`helm template`) and give the result"
    } else {
        "mend the YAML; a CRD as `kubectl get crd NAME -o yaml` prints it will do"
    };
    let values: Vec<Value> =
        serde_saphyr::from_multiple_with_options(text, options).map_err(|error| {
            let line = error
                .location()
                .map(|place| usize::try_from(place.line()).unwrap_or(usize::MAX));
            let message = error.without_snippet().render_with_options(plain());
            let first = message
                .lines()
                .next()
                .unwrap_or_default()
                .trim_start_matches("error: ")
                .to_owned();
            CrdError::new(file, format!("not readable as YAML: {first}"), mend).at_line(line)
        })?;
    let empty = || {
        CrdError::new(
            file,
            "holds no document",
            "give a file with a CustomResourceDefinition in it",
        )
    };
    // A reader of values skips empty documents, a splitter of text does not: pair them by reading each piece alone.
    let pieces = document::split(text).ok_or_else(empty)?;
    if pieces.len() == values.len() {
        return Ok(pieces
            .into_iter()
            .zip(values)
            .map(|((line, text), value)| (line, text, value))
            .collect());
    }
    let mut documents = Vec::new();
    for (line, piece) in pieces {
        let options = serde_saphyr::options! { budget: serde_saphyr::budget! { max_depth: 400 } };
        if let Ok(value @ Value::Object(_)) = serde_saphyr::from_str_with_options(&piece, options) {
            documents.push((line, piece, value));
        }
    }
    Ok(documents)
}

fn plain() -> serde_saphyr::RenderOptions<'static> {
    serde_saphyr::render_options! { snippets: serde_saphyr::SnippetMode::Off }
}

/// The one CRD that is meant.
fn pick(documents: Vec<Document>, file: &str, kind: Option<&str>) -> Result<Document, CrdError> {
    let mut crds = Vec::new();
    let mut others = Vec::new();
    for document in documents {
        let value = &document.2;
        let (api, name) = (
            value["apiVersion"].as_str().unwrap_or_default(),
            value["kind"].as_str().unwrap_or_default(),
        );
        match (api, name) {
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition") => crds.push(document),
            (_, "CustomResourceDefinition") => {
                let what =
                    format!("a CustomResourceDefinition of `{api}`, which Kubernetes 1.22 removed");
                let mend =
                    "write it as `apiextensions.k8s.io/v1`, with a schema under each version";
                return Err(CrdError::new(file, what, mend)
                    .at_line(Some(document.0))
                    .at_field("/apiVersion"));
            }
            ("v1", "List") => {
                let mend = "give the items as documents of their own, separated by `---`";
                return Err(
                    CrdError::new(file, "a List, not a CustomResourceDefinition", mend)
                        .at_line(Some(document.0)),
                );
            }
            _ if !value.is_null() => others.push(if name.is_empty() {
                "something without a kind".to_owned()
            } else {
                name.to_owned()
            }),
            _ => {}
        }
    }
    let kinds: Vec<String> = crds
        .iter()
        .map(|crd| {
            crd.2["spec"]["names"]["kind"]
                .as_str()
                .unwrap_or("?")
                .to_owned()
        })
        .collect();
    if let Some(kind) = kind {
        let Some(index) = kinds.iter().position(|name| name == kind) else {
            let what = format!("no CustomResourceDefinition of kind `{kind}`");
            let mend = if kinds.is_empty() {
                "give another file".to_owned()
            } else {
                format!("choose one of: {}", kinds.join(", "))
            };
            return Err(CrdError::new(file, what, mend));
        };
        return Ok(crds.swap_remove(index));
    }
    if crds.len() > 1 {
        let what = format!("holds {} CustomResourceDefinitions", crds.len());
        return Err(CrdError::new(
            file,
            what,
            format!("choose one with --kind: {}", kinds.join(", ")),
        ));
    }
    crds.pop().ok_or_else(|| {
        let what = match others.as_slice() {
            [] => "holds no document".to_owned(),
            kinds => format!(
                "no CustomResourceDefinition here, only {}",
                kinds.join(", ")
            ),
        };
        CrdError::new(
            file,
            what,
            "give a file with a CustomResourceDefinition of apiextensions.k8s.io/v1 in it",
        )
    })
}

/// The checks of one document, which know where it came from.
struct Checks<'a> {
    file: &'a str,
    first_line: usize,
    value: &'a Value,
    nodes: &'a Nodes,
}

impl Checks<'_> {
    fn error(&self, pointer: &str, what: impl Into<String>, mend: impl Into<String>) -> CrdError {
        let line = document::line_of(self.nodes, pointer).map(|line| line + self.first_line - 1);
        CrdError::new(self.file, what, mend)
            .at_field(pointer)
            .at_line(line)
    }

    fn text(&self, pointer: &str) -> Result<String, CrdError> {
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
    fn version(&self, wanted: Option<&str>) -> Result<usize, CrdError> {
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
    fn schema(&self, version: usize) -> Result<(), CrdError> {
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
