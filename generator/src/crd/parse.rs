//! One CustomResourceDefinition out of a YAML text.

use serde_json::Value;

use super::{
    check::Checks,
    document::{self, Nodes},
    error::CrdError,
    names, read,
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
        let (first_line, text, value) = read::crd(yaml_text, file_name, choice.kind)?;
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
