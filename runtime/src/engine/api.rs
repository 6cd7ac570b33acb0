//! The few requests a driver makes: one JSON patch, one read.

use std::marker::PhantomData;

use http::Request;
use kube::Resource;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::engine::{envelope::Envelope, key::ObjectKey};

/// The objects of one kind on the server.
pub(crate) struct ObjectApi<K> {
    client: kube::Client,
    manager: String,
    kind: PhantomData<fn() -> K>,
}

/// Which part of the object a patch addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Metadata and spec.
    Main,
    /// The status subresource.
    Status,
}

/// What came of a patch.
pub(crate) enum Patched<K> {
    /// Accepted: the object as it is now.
    Done(Envelope<K>),
    /// A `test` of the patch failed: somebody else wrote first.
    TestFailed,
    /// The object is gone.
    Gone,
    /// The server or an admission policy does not want it; trying the same again is no use.
    Refused(String),
    /// Anything else.
    Failed(kube::Error),
}

impl<K: Resource<DynamicType = ()> + Clone + DeserializeOwned> ObjectApi<K> {
    pub(crate) fn new(client: kube::Client, manager: &str) -> Self {
        Self {
            client,
            manager: manager.to_owned(),
            kind: PhantomData,
        }
    }

    fn path(key: &ObjectKey, part: Part) -> String {
        let base = K::url_path(&(), key.namespace.as_deref());
        match part {
            Part::Main => format!("{base}/{}", key.name),
            Part::Status => format!("{base}/{}/status", key.name),
        }
    }

    /// Sends one JSON patch.
    pub(crate) async fn patch(
        &self,
        key: &ObjectKey,
        part: Part,
        operations: &[Value],
    ) -> Patched<K> {
        let path = format!("{}?fieldManager={}", Self::path(key, part), self.manager);
        let body = serde_json::to_vec(operations).unwrap_or_default();
        let request = Request::patch(path)
            .header(http::header::CONTENT_TYPE, "application/json-patch+json")
            .body(body)
            .map_err(|error| {
                kube::Error::BuildRequest(kube::core::request::Error::BuildRequest(error))
            });
        let answer = match request {
            Ok(request) => self.client.request::<Value>(request).await,
            Err(error) => Err(error),
        };
        match answer.and_then(decode) {
            Ok(envelope) => Patched::Done(envelope),
            Err(kube::Error::Api(status)) => match status.code {
                404 if is_gone(&status, key) => Patched::Gone,
                422 if is_failed_test(&status) => Patched::TestFailed,
                400 | 403 | 405 | 413 | 422 => Patched::Refused(status.message),
                _ => Patched::Failed(kube::Error::Api(status)),
            },
            Err(error) => Patched::Failed(error),
        }
    }

    /// Reads the object, past the cache.
    pub(crate) async fn get(&self, key: &ObjectKey) -> Result<Option<Envelope<K>>, kube::Error> {
        let request = Request::get(Self::path(key, Part::Main))
            .body(Vec::new())
            .map_err(|error| {
                kube::Error::BuildRequest(kube::core::request::Error::BuildRequest(error))
            })?;
        match self.client.request::<Value>(request).await.and_then(decode) {
            Ok(envelope) => Ok(Some(envelope)),
            Err(kube::Error::Api(status)) if is_gone(&status, key) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn decode<K: DeserializeOwned>(value: Value) -> Result<Envelope<K>, kube::Error> {
    Envelope::from_value(value).map_err(kube::Error::SerdeError)
}

/// A 404 about an object names it. One that does not is about the path: a version that is not served at present, or a
/// proxy. It must not end the object's runs for good.
pub(crate) fn is_gone(status: &kube::core::Status, key: &ObjectKey) -> bool {
    status.code == 404
        && status
            .details
            .as_ref()
            .is_some_and(|details| details.name == *key.name)
}

/// A failed `test` is a 422 without causes; a schema's refusal names its causes.
fn is_failed_test(status: &kube::core::Status) -> bool {
    status
        .details
        .as_ref()
        .is_none_or(|details| details.causes.is_empty())
}
