//! One object as the server sent it: decoded on its own, so that one that does not parse harms no other.

mod arrived;
mod spans;

use std::{borrow::Cow, fmt, ops::Range, sync::Arc};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::Resource;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::mutant::{Mutant, mutated};
pub(crate) use arrived::Arrived;

/// The part of [`Resource`] that a wrapper of a `K` takes from it.
macro_rules! named_as_its_object {
    () => {
        type DynamicType = ();
        type Scope = kube::core::DynamicResourceScope;

        fn kind((): &()) -> std::borrow::Cow<'_, str> {
            std::borrow::Cow::Owned(K::kind(&()).into_owned())
        }

        fn group((): &()) -> std::borrow::Cow<'_, str> {
            std::borrow::Cow::Owned(K::group(&()).into_owned())
        }

        fn version((): &()) -> std::borrow::Cow<'_, str> {
            std::borrow::Cow::Owned(K::version(&()).into_owned())
        }

        fn plural((): &()) -> std::borrow::Cow<'_, str> {
            std::borrow::Cow::Owned(K::plural(&()).into_owned())
        }
    };
}
use named_as_its_object;

/// An object beside the status as the server has it: the typed status may know less than the server.
#[derive(Clone)]
pub(crate) struct Envelope<K> {
    body: Body<K>,
    /// About as many bytes as it has as JSON.
    bytes: u32,
}

#[derive(Clone)]
enum Body<K> {
    Decoded {
        object: Arc<K>,
        status: Option<Arc<str>>,
    },
    Undecodable {
        meta: Box<ObjectMeta>,
        error: Arc<str>,
    },
}

impl<K: DeserializeOwned> Envelope<K> {
    /// Decodes one object from its JSON. Fails only if not even its metadata can be read.
    pub(crate) fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        match Self::at_once(text) {
            Some(envelope) if !mutated(Mutant::ManagedFields) => Ok(envelope),
            _ => Self::slowly(text),
        }
    }

    /// The same of a text without managedFields, of which it is known where the status stands.
    fn of_pieces(text: &str, status: Option<Range<usize>>) -> Result<Self, serde_json::Error> {
        match serde_json::from_str(text) {
            Ok(object) if !mutated(Mutant::ManagedFields) => {
                let status = status.and_then(|span| text.get(span));
                Ok(Self::decoded(object, text.len(), status))
            }
            _ => Self::slowly(text),
        }
    }

    /// It says what is wrong without naming a column, and keeps what can be kept.
    fn slowly(text: &str) -> Result<Self, serde_json::Error> {
        Self::from_value(serde_json::from_str(text)?)
    }

    fn decoded(object: K, bytes: usize, status: Option<&str>) -> Self {
        Self {
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            body: Body::Decoded {
                object: Arc::new(object),
                status: status.map(Arc::from),
            },
        }
    }

    /// Decodes an object that is as it should be, without a tree of values, which would cost several times the object.
    fn at_once(text: &str) -> Option<Self> {
        let spans = spans::find(text)?;
        let mut cut = Cow::Borrowed(text);
        if let Some(span) = &spans.managed_fields {
            let (before, after) = (&text[..span.start], &text[span.end..]);
            cut = [before, "null", after].concat().into();
        }
        let object = serde_json::from_str(&cut).ok()?;
        let status = spans.status.map(|span| text[span].trim_end());
        Some(Self::decoded(object, cut.len(), status))
    }

    /// Decodes one object. Fails only if not even its metadata can be read.
    pub(crate) fn from_value(mut value: Value) -> Result<Self, serde_json::Error> {
        // managedFields are most of a small object's bytes, and nobody here reads them.
        if let Some(meta) = value.get_mut("metadata").and_then(Value::as_object_mut)
            && !mutated(Mutant::ManagedFields)
        {
            meta.remove("managedFields");
        }
        let bytes = u32::try_from(size(&value)).unwrap_or(u32::MAX);
        let body = match K::deserialize(&value) {
            Ok(object) => {
                let status = value
                    .get("status")
                    .map(|status| Arc::from(status.to_string()));
                Body::Decoded {
                    object: Arc::new(object),
                    status,
                }
            }
            Err(error) if mutated(Mutant::DecodedAlone) => return Err(error),
            Err(error) => Body::Undecodable {
                meta: Box::new(ObjectMeta::deserialize(&value["metadata"])?),
                error: error.to_string().into(),
            },
        };
        Ok(Self { body, bytes })
    }
}

impl<K> Envelope<K> {
    /// The typed object, or why there is none.
    pub(crate) fn object(&self) -> Result<&Arc<K>, &str> {
        match &self.body {
            Body::Decoded { object, .. } => Ok(object),
            Body::Undecodable { error, .. } => Err(error),
        }
    }

    /// The status as the server has it, unknown fields included.
    pub(crate) fn raw_status(&self) -> Option<Value> {
        serde_json::from_str(self.status_text()?).ok()
    }
}

impl<K> Envelope<K> {
    /// The same as it is written.
    pub(crate) fn status_text(&self) -> Option<&str> {
        match &self.body {
            Body::Decoded { status, .. } => status.as_deref(),
            Body::Undecodable { .. } => None,
        }
    }

    /// About as many bytes as it has as JSON.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes as usize
    }
}

/// Counted without writing it out: within a few bytes per number.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 5,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| size(item) + 1).sum::<usize>(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| name.len() + 4 + size(value);
            2 + fields.iter().map(field).sum::<usize>()
        }
    }
}

impl<K: Resource<DynamicType = ()> + Clone> Envelope<K> {
    /// The resourceVersion as the number it is.
    pub(crate) fn version(&self) -> u64 {
        version_of(self.meta())
    }
}

/// The resourceVersion of an object as a number; 0 if there is none.
pub(crate) fn version_of(meta: &ObjectMeta) -> u64 {
    meta.resource_version
        .as_deref()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

impl<K: Resource<DynamicType = ()> + Clone> fmt::Debug for Envelope<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meta = self.meta();
        f.debug_struct("Envelope")
            .field("name", &meta.name)
            .field("version", &meta.resource_version)
            .finish()
    }
}

impl<K: Resource<DynamicType = ()> + Clone> Resource for Envelope<K>
where
    Self: Clone,
{
    named_as_its_object!();

    fn meta(&self) -> &ObjectMeta {
        match &self.body {
            Body::Decoded { object, .. } => object.meta(),
            Body::Undecodable { meta, .. } => meta,
        }
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        match &mut self.body {
            Body::Decoded { object, .. } => Arc::make_mut(object).meta_mut(),
            Body::Undecodable { meta, .. } => meta,
        }
    }
}

#[cfg(test)]
mod tests;
