//! An object as a watch brings it: its text, of which only name and version are known.
//!
//! Most of what the watch of an operator's own kind brings are the operator's own writes, whose answers it has decoded
//! already. They are told by their version, and not decoded again.

use std::{marker::PhantomData, ops::Range};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::Resource;
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{Body, Envelope, named_as_its_object, spans};
use crate::mutant::{Mutant, mutated};

/// Not decoded yet.
#[derive(Clone)]
pub(crate) struct Arrived<K> {
    text: Box<str>,
    /// Name, namespace, uid and resourceVersion.
    meta: Box<ObjectMeta>,
    kind: PhantomData<fn() -> K>,
}

impl<K: DeserializeOwned> Arrived<K> {
    /// Decodes it.
    pub(crate) fn open(self) -> Envelope<K> {
        Envelope::from_json(&self.text).unwrap_or_else(|error| Envelope {
            bytes: u32::try_from(self.text.len()).unwrap_or(u32::MAX),
            body: Body::Undecodable {
                error: error.to_string().into(),
                meta: self.meta,
            },
        })
    }
}

impl<'de, K: DeserializeOwned> Deserialize<'de> for Arrived<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Taken as a whole first, so that what is wrong inside harms nothing outside. kube decodes from a text in memory,
        // and a watch event names its type before its object: otherwise nothing could be borrowed here.
        let text = <&RawValue>::deserialize(deserializer)?.get();
        if mutated(Mutant::DecodedAlone) {
            Envelope::<K>::from_json(text).map_err(serde::de::Error::custom)?;
        }
        let meta = match named(text) {
            Some(meta) => meta,
            None => decoded_meta(text).map_err(serde::de::Error::custom)?,
        };
        let (text, meta, kind) = (text.into(), Box::new(meta), PhantomData);
        Ok(Self { text, meta, kind })
    }
}

/// What tells one version of an object from another, if it stands there without escapes.
fn named(text: &str) -> Option<ObjectMeta> {
    let spans = spans::find(text)?;
    let plain = |span: Option<Range<usize>>| {
        let text = text.get(span?)?.strip_prefix('"')?.strip_suffix('"')?;
        (!text.contains('\\')).then(|| text.to_owned())
    };
    Some(ObjectMeta {
        name: Some(plain(spans.name)?),
        // A cluster-scoped object has none.
        namespace: match spans.namespace {
            Some(namespace) => Some(plain(Some(namespace))?),
            None => None,
        },
        uid: Some(plain(spans.uid)?),
        resource_version: Some(plain(spans.resource_version)?),
        ..ObjectMeta::default()
    })
}

/// The same of an object that is written otherwise. A bookmark has no name, for one.
fn decoded_meta(text: &str) -> Result<ObjectMeta, serde_json::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Named {
        name: Option<String>,
        namespace: Option<String>,
        uid: Option<String>,
        resource_version: Option<String>,
    }

    #[derive(Deserialize)]
    struct Object {
        metadata: Named,
    }

    let Object { metadata } = serde_json::from_str(text)?;
    Ok(ObjectMeta {
        name: metadata.name,
        namespace: metadata.namespace,
        uid: metadata.uid,
        resource_version: metadata.resource_version,
        ..ObjectMeta::default()
    })
}

impl<K: Resource<DynamicType = ()>> Resource for Arrived<K> {
    named_as_its_object!();

    fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.meta
    }
}

impl<K> std::fmt::Debug for Arrived<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arrived")
            .field("name", &self.meta.name)
            .field("version", &self.meta.resource_version)
            .finish()
    }
}
