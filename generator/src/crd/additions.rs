//! What a CRD lacks for a phase machine to live in its status.

use serde_json::{Map, Value, json};

use super::{
    conditions,
    document::escape,
    error::CrdError,
    insert,
    parse::CrdFile,
    schema::{Kind, Schema},
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

/// A version that objects pass through.
struct Live<'a> {
    /// JSON pointer of the version.
    at: String,
    version: &'a Value,
    root: Schema<'a>,
    status: Option<Schema<'a>>,
}

impl<'a> Live<'a> {
    fn of(crd: &CrdFile, index: usize, version: &'a Value) -> Result<Self, CrdError> {
        let at = format!("/spec/versions/{index}");
        let Some(schema) = version.pointer("/schema/openAPIV3Schema") else {
            let mend = "add `schema.openAPIV3Schema`: objects pass through every served and stored version";
            return Err(crd.error(&at, "the version has no structural schema", mend));
        };
        let root = Schema::new(schema);
        let status = root.property("status");
        let live = Self {
            at,
            version,
            root,
            status,
        };
        match status.map(Schema::kind) {
            None | Some(Kind::Object | Kind::Any) => Ok(live),
            Some(_) => {
                let pointer = format!("{}/properties/status", live.schema_at());
                Err(crd.error(
                    &pointer,
                    "the status is not an object, so a machine cannot live in it",
                    "declare it as `type: object`",
                ))
            }
        }
    }

    fn schema_at(&self) -> String {
        format!("{}/schema/openAPIV3Schema", self.at)
    }

    fn field(&self, name: &str) -> Option<Schema<'a>> {
        self.status.and_then(|status| status.property(name))
    }

    fn status_fields(&self, names: &Names, items: &mut Vec<Addition>) {
        let at = format!("{}/properties/status", self.schema_at());
        let mut missing: Vec<(String, Value, &str)> = Vec::new();
        for (name, value, why) in names.declarations() {
            if self.field(name).is_none() {
                missing.push((name.to_owned(), value, why));
            }
        }
        let Some(status) = self.status else {
            let properties: Map<String, Value> = missing
                .into_iter()
                .map(|(name, value, _)| (name, value))
                .collect();
            let value = json!({ "description": "What the operator has observed, and the phase it is in.", "type": "object", "properties": properties });
            let why = format!("the schema has no status; it holds {}", names.list());
            items.push(self.addition(&self.schema_at(), self.root.raw(), "status", value, why));
            return;
        };
        if status.raw().get("type").is_none() {
            let why = "declared fields need a type beside them".to_owned();
            items.push(Addition {
                parent: at.clone(),
                key: "type".to_owned(),
                value: json!("object"),
                why,
            });
        }
        if status.raw().get("properties").is_some_and(Value::is_object) {
            let parent = format!("{at}/properties");
            items.extend(missing.into_iter().map(|(key, value, why)| Addition {
                parent: parent.clone(),
                key,
                value,
                why: why.to_owned(),
            }));
        } else if !missing.is_empty() {
            let properties: Map<String, Value> = missing
                .into_iter()
                .map(|(name, value, _)| (name, value))
                .collect();
            let why = format!("the status declares no fields; these are {}", names.list());
            items.push(Addition {
                parent: at.clone(),
                key: "properties".to_owned(),
                value: Value::Object(properties),
                why,
            });
        }
        let list = self
            .field(&names.conditions)
            .and_then(|list| conditions::missing(list).ok())
            .unwrap_or_default();
        let parent = format!(
            "{at}/properties/{}/items/properties",
            escape(&names.conditions)
        );
        for name in list {
            let why =
                "the runtime sets it on each condition, and a server drops what is not declared"
                    .to_owned();
            items.push(Addition {
                parent: parent.clone(),
                key: name.to_owned(),
                value: conditions::field(name),
                why,
            });
        }
    }

    /// An addition to the properties of a schema that may have none yet.
    fn addition(&self, at: &str, schema: &Value, key: &str, value: Value, why: String) -> Addition {
        if schema.get("properties").is_some_and(Value::is_object) {
            return Addition {
                parent: format!("{at}/properties"),
                key: key.to_owned(),
                value,
                why,
            };
        }
        Addition {
            parent: at.to_owned(),
            key: "properties".to_owned(),
            value: json!({ key: value }),
            why,
        }
    }

    fn subresource(&self, items: &mut Vec<Addition>) {
        let why = "without the subresource each status write bumps the generation, and any user may write the status".to_owned();
        match self.version.get("subresources") {
            Some(Value::Object(subresources)) if subresources.contains_key("status") => {}
            Some(Value::Object(_)) => {
                items.push(Addition {
                    parent: format!("{}/subresources", self.at),
                    key: "status".to_owned(),
                    value: json!({}),
                    why,
                });
            }
            _ => items.push(Addition {
                parent: self.at.clone(),
                key: "subresources".to_owned(),
                value: json!({ "status": {} }),
                why,
            }),
        }
    }
}

/// What the machine's fields are called in this CRD.
struct Names {
    phase: String,
    phase_entered_at: String,
    observed_generation: String,
    conditions: String,
}

impl Names {
    fn choose(crd: &CrdFile, live: &[Live<'_>]) -> Result<Self, CrdError> {
        let all = |test: &dyn Fn(&Live<'_>) -> bool| live.iter().all(test);
        let phase = ["phase", "opgenPhase"].into_iter().find(|name| {
            let entered = format!("{name}EnteredAt");
            all(&|version| {
                let stamp = version.field(&entered);
                // A phase without our time stamp beside it is another operator's.
                let is_ours = version
                    .field(name)
                    .is_none_or(|field| holds_phase(field) && stamp.is_some());
                is_ours && stamp.is_none_or(holds_time)
            })
        });
        let generation = ["observedGeneration", "opgenObservedGeneration"]
            .into_iter()
            .find(|name| all(&|version| version.field(name).is_none_or(holds_generation)));
        let conditions = ["conditions", "opgenConditions"].into_iter().find(|name| {
            all(&|version| {
                version
                    .field(name)
                    .is_none_or(|field| conditions::missing(field).is_ok())
            })
        });
        let name = |found: Option<&str>, wanted: &str| {
            found.map(str::to_owned).ok_or_else(|| {
                let at = format!("/spec/versions/{}/schema/openAPIV3Schema/properties/status/properties/{wanted}", crd.version_index());
                crd.error(&at, format!("`{wanted}` is taken by something else"), "rename it, or give its schema the shape that opgen writes")
            })
        };
        let phase = name(phase, "opgenPhase")?;
        Ok(Self {
            phase_entered_at: format!("{phase}EnteredAt"),
            phase,
            observed_generation: name(generation, "opgenObservedGeneration")?,
            conditions: name(conditions, "opgenConditions")?,
        })
    }

    fn list(&self) -> String {
        [
            &self.phase,
            &self.phase_entered_at,
            &self.observed_generation,
            &self.conditions,
        ]
        .map(|name| format!("`{name}`"))
        .join(", ")
    }

    fn paths(&self) -> StatusPaths {
        StatusPaths {
            phase: format!("/{}", self.phase),
            phase_entered_at: format!("/{}", self.phase_entered_at),
            observed_generation: format!("/{}", self.observed_generation),
            conditions: format!("/{}", self.conditions),
        }
    }

    /// Name, schema and reason of each field. The phase has no enum: a version of the operator must be able to store a phase that the
    /// version before it, or after a rollback, does not know.
    fn declarations(&self) -> [(&str, Value, &'static str); 4] {
        let phase = json!({ "description": "The phase of the object's life.", "type": "string" });
        let entered = json!({ "description": "When the phase was entered.", "type": "string", "format": "date-time" });
        let generation = json!({
            "description": "The metadata.generation that the operator has seen.", "type": "integer", "format": "int64",
        });
        [
            (
                &self.phase,
                phase,
                "the phase of the machine; no enum, so that a rollback can store what it does not know",
            ),
            (
                &self.phase_entered_at,
                entered,
                "phase deadlines count from it, and it tells two visits to a phase apart",
            ),
            (
                &self.observed_generation,
                generation,
                "the generation that the operator has seen",
            ),
            (
                &self.conditions,
                conditions::list(),
                "Ready, Reconciling and Stalled, as kstatus reads them",
            ),
        ]
    }
}

fn holds_phase(field: Schema<'_>) -> bool {
    field.kind() == Kind::String
        && field.enum_values().is_none()
        && field.pattern().is_none()
        && field.format().is_none()
        && field.count("maxLength").is_none_or(|max| max >= 63)
}

fn holds_time(field: Schema<'_>) -> bool {
    field.kind() == Kind::String
        && matches!(field.format(), None | Some("date-time"))
        && field.pattern().is_none()
        && field.enum_values().is_none()
}

fn holds_generation(field: Schema<'_>) -> bool {
    field.kind() == Kind::Integer
        && matches!(field.format(), None | Some("int64"))
        && field.enum_values().is_none()
        && field.bound("minimum").is_none_or(|low| low <= 1.0)
        && field.bound("maximum").is_none_or(|high| high >= 9e15)
}
