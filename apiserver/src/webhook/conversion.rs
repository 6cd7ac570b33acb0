//! Custom resources in the version that a request wants, converted by the webhook of their definition if it has one.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::call::{Call, Handled, Stop};
use crate::cluster::Shared;
use crate::document::Document;
use crate::error::ApiError;
use crate::object;
use crate::resource::Resource;
use crate::store::Stored;

const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";
const TIMEOUT: Duration = Duration::from_secs(30);

impl Shared {
    /// The object as this version shows it: converted and pruned, but not defaulted.
    pub(crate) fn present(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        document: &Document,
    ) -> Handled<Document> {
        if !resource.webhook || document.is_of_version(&resource.api_version) {
            return Ok(resource.present(document));
        }
        let shown = self.present_all(call, resource, vec![document.clone()])?;
        Ok(shown.into_iter().next().unwrap_or_else(|| document.clone()))
    }

    /// As [`Shared::present`], for many at once.
    pub(crate) fn present_all(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        mut documents: Vec<Document>,
    ) -> Handled<Vec<Document>> {
        if !resource.webhook {
            return Ok(documents
                .iter()
                .map(|document| resource.present(document))
                .collect());
        }
        let foreign: Vec<usize> = (0..documents.len())
            .filter(|place| !documents[*place].is_of_version(&resource.api_version))
            .collect();
        if foreign.is_empty() {
            return Ok(documents);
        }
        let objects = foreign
            .iter()
            .map(|place| documents[*place].to_value())
            .collect();
        let converted = self.convert_all(call, resource, &resource.api_version, objects)?;
        for (place, mut object) in foreign.into_iter().zip(converted) {
            crate::schema::prune(resource.model.schema(), &mut object);
            documents[place] = object.into();
        }
        Ok(documents)
    }

    /// Turns an object of the version of the request into the one that the store keeps.
    pub(crate) fn store_as(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        object: &mut Value,
    ) -> Handled<()> {
        if resource.webhook && object["apiVersion"] != *resource.stored_as {
            let converted =
                self.convert_all(call, resource, &resource.stored_as, vec![object.clone()])?;
            if let Some(converted) = converted.into_iter().next() {
                *object = converted;
            }
            let versions = resource.model.versions();
            if let Some(schema) = versions.and_then(|all| all.schema(&resource.stored_as)) {
                crate::schema::prune(schema, object);
            }
        }
        resource.to_stored(object);
        Ok(())
    }

    /// How an object will be shown once it is stored: after the commit no webhook can be asked any more.
    pub(crate) fn foresee(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        stored: &Value,
    ) -> Handled<Foreseen> {
        if !resource.webhook || resource.api_version == resource.stored_as {
            return Ok(Foreseen(None));
        }
        let document = Document::new(stored.clone());
        Ok(Foreseen(Some(self.present(call, resource, &document)?)))
    }

    /// As [`Shared::present`] for a watch, which has no request to come back to.
    pub(crate) async fn present_later(
        &self,
        resource: &Arc<Resource>,
        document: &Document,
    ) -> Result<Document, ApiError> {
        let mut call = Call::internal("GET", "/", "application/json", bytes::Bytes::new());
        loop {
            match self.present(&mut call, resource, document) {
                Err(Stop::Ask(question)) => call.answer(*question).await,
                Err(Stop::Refused(error)) => return Err(error),
                Err(_) => return Err(ApiError::internal("a conversion was interrupted")),
                Ok(shown) => return Ok(shown),
            }
        }
    }

    fn convert_all(
        &self,
        call: &mut Call,
        resource: &Resource,
        wanted: &str,
        objects: Vec<Value>,
    ) -> Handled<Vec<Value>> {
        let kind = format!("{}, Kind={}", object_version(&objects), resource.kind);
        let failed = |why: String| {
            ApiError::internal(format!("conversion webhook for {kind} failed: {why}"))
        };
        let mut hasher = DefaultHasher::new();
        for object in &objects {
            object.to_string().hash(&mut hasher);
        }
        let key = format!("convert {} {wanted} {:x}", resource.table, hasher.finish());
        let said = self.ask(call, key, |key| {
            let definition = self.store.get(DEFINITIONS, &resource.table);
            let webhook = definition.map_or(Value::Null, |definition| {
                definition.object.value()["spec"]["conversion"]["webhook"].clone()
            });
            let speaks_v1 = webhook["conversionReviewVersions"]
                .as_array()
                .is_some_and(|versions| versions.iter().any(|version| version == "v1"));
            if !speaks_v1 {
                return Err(ApiError::not_implemented(
                    "this server sends ConversionReview in version v1 only, which is not among conversionReviewVersions",
                )
                .into());
            }
            let review = json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
                "request": { "desiredAPIVersion": wanted, "objects": objects },
            });
            self.question(key, &webhook["clientConfig"], TIMEOUT, review)
        })?;
        let response = said.map_err(&failed)?;
        if response["result"]["status"] != "Success" {
            let why = response["result"]["message"].as_str().unwrap_or_default();
            return Err(failed(why.to_owned()).into());
        }
        let converted = response["convertedObjects"].as_array().cloned();
        let converted = converted.unwrap_or_default();
        if converted.len() != objects.len() {
            return Err(ApiError::internal(format!(
                "conversion webhook for {kind} returned {} objects, expected {}",
                converted.len(),
                objects.len()
            ))
            .into());
        }
        let pairs = objects.iter().zip(converted).enumerate();
        let checked: Result<Vec<Value>, String> = pairs
            .map(|(place, (before, after))| {
                accept(before, after, wanted)
                    .map_err(|why| format!("conversion webhook for {kind} returned invalid converted object at index {place}: {why}"))
            })
            .collect();
        Ok(checked.map_err(ApiError::internal)?)
    }
}

/// A stored object in the version of the request, apart from its revision.
pub(crate) struct Foreseen(Option<Document>);

impl Foreseen {
    /// What to show of what was stored.
    pub(crate) fn settle(self, resource: &Resource, stored: &Stored) -> Document {
        let Some(document) = self.0 else {
            return resource.present(&stored.object);
        };
        let mut shown = document.to_value();
        object::meta_mut(&mut shown)
            .insert("resourceVersion".into(), stored.revision.to_string().into());
        shown.into()
    }
}

fn object_version(objects: &[Value]) -> &str {
    objects
        .first()
        .and_then(|object| object["apiVersion"].as_str())
        .unwrap_or_default()
}

/// A converted object with the metadata that a webhook may not change put back.
fn accept(before: &Value, mut after: Value, wanted: &str) -> Result<Value, String> {
    let given = after["apiVersion"].as_str().unwrap_or_default();
    if given != wanted {
        return Err(format!(
            "invalid groupVersion, expected={wanted}, actual={given}"
        ));
    }
    if before["kind"] != after["kind"] {
        return Err(format!(
            "invalid kind, expected={}, actual={}",
            before["kind"].as_str().unwrap_or_default(),
            after["kind"].as_str().unwrap_or_default()
        ));
    }
    for field in ["name", "namespace", "uid"] {
        let (was, is) = (object::meta(before, field), object::meta(&after, field));
        if was != is {
            return Err(format!(
                "invalid metadata: must have the same {field}: {was} != {is}"
            ));
        }
    }
    let changed = |field: &str| after["metadata"].get(field).cloned();
    let mut metadata = before["metadata"].clone();
    let kept = [
        ("labels", changed("labels")),
        ("annotations", changed("annotations")),
    ];
    for (field, value) in kept {
        match value {
            Some(value) => object::top(&mut metadata).insert(field.into(), value),
            None => object::top(&mut metadata).remove(field),
        };
    }
    after["metadata"] = metadata;
    Ok(after)
}
