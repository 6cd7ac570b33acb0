//! What a CRD lacks for a phase machine to live in its status.

use serde_json::Value;

use super::{
    document::escape, error::CrdError, insert, live::Live, machine_fields::Names, parse::CrdFile,
};

/// One thing added to the CRD.
#[derive(Clone, Debug, PartialEq)]
pub struct Addition {
    /// The object that gets a field, as a JSON pointer into the CRD.
    pub parent: String,
    /// The field's name.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// What it is for.
    pub why: String,
}

impl Addition {
    /// The added field as a JSON pointer into the CRD.
    #[must_use]
    pub fn pointer(&self) -> String {
        format!("{}/{}", self.parent, escape(&self.key))
    }
}

/// Where the machine's own fields are: JSON pointers relative to the status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusPaths {
    /// The phase's name.
    pub phase: String,
    /// When it was entered.
    pub phase_entered_at: String,
    /// The generation last seen.
    pub observed_generation: String,
    /// The conditions.
    pub conditions: String,
}

impl StatusPaths {
    pub(super) fn pairs(&self) -> [(&'static str, &str); 4] {
        [
            ("phase", &self.phase),
            ("phase_entered_at", &self.phase_entered_at),
            ("observed_generation", &self.observed_generation),
            ("conditions", &self.conditions),
        ]
    }
}

/// The additions to one CRD, and the CRD that results.
#[derive(Clone, Debug)]
pub struct Additions {
    items: Vec<Addition>,
    paths: StatusPaths,
    value: Value,
    yaml: String,
    keeps_text: bool,
    version: usize,
}

impl Additions {
    /// Works out what `crd` lacks.
    ///
    /// Fields that are there already are used if they can hold what the runtime writes. A field of the same name and another meaning is
    /// left alone, and the machine's is called `opgenPhase` and so on: a phase that another operator wrote would be one that ours does not
    /// know. Every version that is served or stored gets the same, since whatever a version does not declare is dropped on its way.
    ///
    /// # Errors
    /// If the status is not an object, or the names of the machine's fields are all taken by other things.
    pub fn for_crd(crd: &CrdFile) -> Result<Self, CrdError> {
        let live: Vec<Live<'_>> = crd
            .versions()
            .iter()
            .enumerate()
            .filter(|(_, version)| version["served"] == true || version["storage"] == true)
            .map(|(index, version)| Live::of(crd, index, version))
            .collect::<Result<_, _>>()?;
        let names = Names::choose(crd, &live)?;
        let mut items = Vec::new();
        for version in &live {
            version.status_fields(&names, &mut items);
            version.subresource(&mut items);
        }
        let mut value = crd.value().clone();
        for item in &items {
            if let Some(Value::Object(parent)) = value.pointer_mut(&item.parent) {
                parent.insert(item.key.clone(), item.value.clone());
            }
        }
        let text = insert::into_text(crd.text(), crd.nodes(), &items, &value);
        let keeps_text = text.is_some();
        let yaml = match text {
            Some(text) => text,
            None => serde_saphyr::to_string(&value).map_err(|error| {
                CrdError::new(
                    crd.file_name(),
                    format!("cannot be written as YAML again: {error}"),
                    "report this file",
                )
            })?,
        };
        Ok(Self {
            items,
            paths: names.paths(),
            value,
            yaml,
            keeps_text,
            version: crd.version_index(),
        })
    }

    /// The additions in the order of the file.
    #[must_use]
    pub fn items(&self) -> &[Addition] {
        &self.items
    }

    /// One line per addition: where, and why.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.items
            .iter()
            .map(|item| format!("`{}`: {}", item.pointer(), item.why))
            .collect()
    }

    /// Where the machine's fields are.
    #[must_use]
    pub fn status_paths(&self) -> &StatusPaths {
        &self.paths
    }

    /// The CRD with the additions.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The CRD's own text with the additions in it; comments and order are kept (but see [`Additions::keeps_text`]).
    #[must_use]
    pub fn yaml(&self) -> &str {
        &self.yaml
    }

    /// Whether [`Additions::yaml`] is the file's own text. It is not where a mapping to be added to is written in braces or is shared by an
    /// alias: then the same values are written anew, without comments.
    #[must_use]
    pub fn keeps_text(&self) -> bool {
        self.keeps_text
    }

    /// The chosen version's schema with the additions.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.value["spec"]["versions"][self.version]["schema"]["openAPIV3Schema"]
    }
}
