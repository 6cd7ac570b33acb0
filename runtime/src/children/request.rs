//! The requests that write and read children.

use std::sync::Arc;

use http::{Request, header::CONTENT_TYPE};
use serde_json::{Value, json};

use crate::mutant::{Mutant, mutated};
use crate::{
    children::ChildResource,
    engine::{api::is_gone, envelope::Envelope, key::ObjectKey},
};

/// The server's answer to an apply.
pub(super) enum Applied<T> {
    /// The object as it is now.
    Done(Arc<T>),
    /// It is gone, or there is another one of that name.
    Raced,
    /// Another manager has set the same field otherwise, and we do not force.
    Conflict(String),
    /// A field that may not change would.
    Immutable(String),
    /// The server does not want it; trying the same again is no use.
    Refused(String),
}

/// The server's answer to a delete.
pub(super) enum Deleted<T> {
    /// It is gone.
    Gone,
    /// It is going.
    Going(Arc<T>),
}

/// The server, as far as one kind of children is concerned.
pub(super) struct Requests<'a> {
    pub(super) client: &'a kube::Client,
    pub(super) manager: &'a str,
}

fn path<T: ChildResource>(key: &ObjectKey) -> String {
    let base = T::url_path(&(), key.namespace.as_deref());
    format!("{base}/{}", key.name)
}

fn build(builder: http::request::Builder, body: Vec<u8>) -> Result<Request<Vec<u8>>, kube::Error> {
    builder
        .body(body)
        .map_err(|error| kube::Error::BuildRequest(kube::core::request::Error::BuildRequest(error)))
}

fn decode<T: ChildResource>(value: Value) -> Result<Arc<T>, kube::Error> {
    let envelope = Envelope::<T>::from_value(value).map_err(kube::Error::SerdeError)?;
    match envelope.object() {
        Ok(object) => Ok(Arc::clone(object)),
        Err(error) => Err(kube::Error::SerdeError(serde::de::Error::custom(error))),
    }
}

impl Requests<'_> {
    /// Server-side apply.
    pub(super) async fn apply<T: ChildResource>(
        &self,
        key: &ObjectKey,
        body: &Value,
        force: bool,
    ) -> Result<Applied<T>, kube::Error> {
        let path = path::<T>(key);
        let builder = Request::patch(format!(
            "{path}?fieldManager={}&force={force}",
            self.manager
        ))
        .header(CONTENT_TYPE, "application/apply-patch+yaml");
        let request = build(builder, serde_json::to_vec(body).unwrap_or_default())?;
        match self.client.request::<Value>(request).await {
            Ok(value) => decode(value).map(Applied::Done),
            Err(kube::Error::Api(status)) => refusal(*status).map_err(kube::Error::Api),
            Err(error) => Err(error),
        }
    }

    /// Reads one object, past the cache.
    pub(super) async fn get<T: ChildResource>(
        &self,
        key: &ObjectKey,
    ) -> Result<Option<Arc<T>>, kube::Error> {
        let request = build(Request::get(path::<T>(key)), Vec::new())?;
        match self.client.request::<Value>(request).await {
            Ok(value) => decode(value).map(Some),
            Err(kube::Error::Api(status)) if is_gone(&status, key) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes the object with that uid and no other.
    pub(super) async fn delete<T: ChildResource>(
        &self,
        key: &ObjectKey,
        uid: &str,
    ) -> Result<Deleted<T>, kube::Error> {
        let mut options = json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "preconditions": {"uid": uid},
            "propagationPolicy": "Background",
        });
        if mutated(Mutant::DeletePrecondition) {
            options["preconditions"].take();
        }
        let builder = Request::delete(path::<T>(key)).header(CONTENT_TYPE, "application/json");
        let request = build(builder, serde_json::to_vec(&options).unwrap_or_default())?;
        match self.client.request::<Value>(request).await {
            Ok(value) if value["kind"] == "Status" => Ok(Deleted::Gone),
            Ok(value) => decode(value).map(Deleted::Going),
            // 409: another one of that name is there, so the one we meant is gone.
            Err(kube::Error::Api(status)) if status.code == 409 || is_gone(&status, key) => {
                Ok(Deleted::Gone)
            }
            Err(error) => Err(error),
        }
    }

    /// Takes one owner reference off an object.
    pub(super) async fn disown<T: ChildResource>(
        &self,
        key: &ObjectKey,
        index: usize,
        owner_uid: &str,
    ) -> Result<(), kube::Error> {
        let reference = format!("/metadata/ownerReferences/{index}");
        let operations = json!([
            {"op": "test", "path": format!("{reference}/uid"), "value": owner_uid},
            {"op": "remove", "path": reference},
        ]);
        let path = path::<T>(key);
        let builder = Request::patch(format!("{path}?fieldManager={}", self.manager))
            .header(CONTENT_TYPE, "application/json-patch+json");
        let request = build(builder, serde_json::to_vec(&operations).unwrap_or_default())?;
        self.client.request::<Value>(request).await.map(drop)
    }
}

/// How the texts of the server name a field that may not change.
const IMMUTABLE: &[&str] = &[
    "immutable",
    "updates to ",
    "may not be changed",
    "may not change",
    "cannot be changed",
];

/// Only a cause counts: the message as a whole may quote a value, or a policy's opinion.
fn is_immutable(cause: &kube::core::response::StatusCause) -> bool {
    IMMUTABLE.iter().any(|text| cause.message.contains(text))
}

fn refusal<T>(status: kube::core::Status) -> Result<Applied<T>, Box<kube::core::Status>> {
    let causes = status
        .details
        .as_ref()
        .map_or(&[][..], |details| &details.causes);
    let is = |field: &str| causes.iter().any(|cause| cause.field == field);
    let conflicts = causes
        .iter()
        .any(|cause| cause.reason == "FieldManagerConflict");
    let message = status.message.clone();
    Ok(match status.code {
        409 if conflicts => Applied::Conflict(message),
        409 => Applied::Raced,
        // The uid that we know is not the one that is there.
        422 if is("metadata.uid") => Applied::Raced,
        422 if causes.iter().any(is_immutable) => Applied::Immutable(message),
        400 | 405 | 413 | 415 | 422 => Applied::Refused(message),
        _ => return Err(Box::new(status)),
    })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    fn refused(causes: Value) -> Applied<ConfigMap> {
        let status = json!({
            "code": 422,
            "message": "policy: labels are immutable by decree",
            "details": {"causes": causes},
        });
        match refusal(serde_json::from_value(status).expect("a status")) {
            Ok(applied) => applied,
            Err(status) => panic!("{status:?}"),
        }
    }

    #[test]
    fn only_a_cause_makes_a_field_immutable() {
        assert!(matches!(refused(json!([])), Applied::Refused(_)));
        let cause = json!([{"field": "spec.template", "message": "field is immutable"}]);
        assert!(matches!(refused(cause), Applied::Immutable(_)));
    }
}
