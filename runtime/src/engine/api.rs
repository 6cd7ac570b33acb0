//! The few requests a driver makes: one JSON patch, one read.

use std::marker::PhantomData;

use bytes::Bytes;
use http::{Request, StatusCode};
use kube::{Resource, core::Status};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    clients::Caller,
    engine::{envelope::Envelope, key::ObjectKey},
};

/// The objects of one kind on the server.
pub(crate) struct ObjectApi<K> {
    caller: Caller,
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

/// Most patches fit in so many bytes.
const BODY: usize = 1000;

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
    pub(crate) fn new(caller: Caller, manager: &str) -> Self {
        Self {
            caller,
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

    async fn send(
        &self,
        request: Result<Request<Bytes>, http::Error>,
    ) -> Result<Envelope<K>, kube::Error> {
        let request = request.map_err(|error| {
            kube::Error::BuildRequest(kube::core::request::Error::BuildRequest(error))
        })?;
        let (code, bytes) = self.caller.send(request).await?;
        decode(code, &bytes)
    }

    /// Sends one JSON patch: a list of operations.
    pub(crate) async fn patch(
        &self,
        key: &ObjectKey,
        part: Part,
        operations: &impl Serialize,
    ) -> Patched<K> {
        self.patch_with(key, part, body(operations)).await
    }

    /// The same of a list that is written already.
    pub(crate) async fn patch_with(&self, key: &ObjectKey, part: Part, body: Bytes) -> Patched<K> {
        let path = format!("{}?fieldManager={}", Self::path(key, part), self.manager);
        let request = Request::patch(path)
            .header(http::header::CONTENT_TYPE, "application/json-patch+json")
            .body(body);
        match self.send(request).await {
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
        let request = Request::get(Self::path(key, Part::Main)).body(Bytes::new());
        match self.send(request).await {
            Ok(envelope) => Ok(Some(envelope)),
            Err(kube::Error::Api(status)) if is_gone(&status, key) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The body of a JSON patch.
pub(crate) fn body(operations: &impl Serialize) -> Bytes {
    let mut body = Vec::with_capacity(BODY);
    if serde_json::to_writer(&mut body, operations).is_err() {
        body.clear(); // Refused by the server, in words.
    }
    body.into()
}

/// The object of an answer, or the error that it is.
fn decode<K: DeserializeOwned>(
    code: StatusCode,
    bytes: &Bytes,
) -> Result<Envelope<K>, kube::Error> {
    if code.is_client_error() || code.is_server_error() {
        let status = serde_json::from_slice::<Status>(bytes).unwrap_or_else(|_| {
            // A proxy answers in words of its own.
            let text = String::from_utf8_lossy(bytes);
            Status::failure(text.trim(), "the answer is no Status").with_code(code.as_u16())
        });
        return Err(kube::Error::Api(status.boxed()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Envelope::from_json(text).map_err(kube::Error::SerdeError),
        Err(error) => Err(kube::Error::Service(error.into())),
    }
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
