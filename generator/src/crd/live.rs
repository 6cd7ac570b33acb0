//! A version of a CRD that objects pass through, and what it lacks.

use serde_json::{Map, Value, json};

use super::{
    additions::Addition,
    conditions,
    document::escape,
    error::CrdError,
    machine_fields::Names,
    parse::CrdFile,
    schema::{Kind, Schema},
};

/// A version that objects pass through.
pub(super) struct Live<'a> {
    /// JSON pointer of the version.
    at: String,
    version: &'a Value,
    root: Schema<'a>,
    status: Option<Schema<'a>>,
}

impl<'a> Live<'a> {
    pub(super) fn of(crd: &CrdFile, index: usize, version: &'a Value) -> Result<Self, CrdError> {
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

    pub(super) fn field(&self, name: &str) -> Option<Schema<'a>> {
        self.status.and_then(|status| status.property(name))
    }

    pub(super) fn status_fields(&self, names: &Names, items: &mut Vec<Addition>) {
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

    pub(super) fn subresource(&self, items: &mut Vec<Addition>) {
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
