//! An object as a watch brings it: its text, of which only name and version are known.
//!
//! Most of what the watch of an operator's own kind brings are the operator's own writes, whose answers it has decoded
//! already. They are told by their version, and not decoded again.

use std::{fmt, marker::PhantomData, ops::Range};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::Resource;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Body, Envelope, named_as_its_object};
use crate::mutant::{Mutant, mutated};

/// Most objects have so many bytes without their managedFields.
const SMALL: usize = 800;

/// Not decoded yet.
#[derive(Clone)]
pub(crate) struct Arrived<K> {
    /// Without its managedFields.
    text: String,
    /// Where the status stands in it.
    status: Option<Range<usize>>,
    /// Name, namespace, uid and resourceVersion.
    meta: Box<ObjectMeta>,
    kind: PhantomData<fn() -> K>,
}

impl<K: DeserializeOwned> Arrived<K> {
    /// Decodes it.
    pub(crate) fn open(self) -> Envelope<K> {
        Envelope::of_pieces(&self.text, self.status).unwrap_or_else(|error| Envelope {
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
        let pieces = deserializer.deserialize_map(Whole)?;
        let is_told = pieces.is_told();
        let Pieces { text, status, .. } = pieces;
        if mutated(Mutant::DecodedAlone) {
            Envelope::<K>::from_json(&text).map_err(serde::de::Error::custom)?;
        }
        let meta = if is_told {
            pieces.meta
        } else {
            decoded_meta(&text).map_err(serde::de::Error::custom)?
        };
        Ok(Self {
            text,
            status,
            meta: Box::new(meta),
            kind: PhantomData,
        })
    }
}

/// An object's text, put together again without its managedFields: most of a small object's bytes, which nobody here
/// reads. What is wrong inside one value harms nothing outside.
#[derive(Default)]
struct Pieces {
    text: String,
    status: Option<Range<usize>>,
    meta: ObjectMeta,
    /// Whether one of its four fields is written with escapes, or is no text.
    has_escapes: bool,
}

impl Pieces {
    /// Whether it is known what tells one version of an object from another. A cluster-scoped one has no namespace.
    fn is_told(&self) -> bool {
        let ObjectMeta {
            name,
            uid,
            resource_version,
            ..
        } = &self.meta;
        !self.has_escapes && name.is_some() && uid.is_some() && resource_version.is_some()
    }

    /// Begins a member. `name` is in quotes.
    fn name(&mut self, name: &str) {
        if !self.text.ends_with('{') {
            self.text.push(',');
        }
        self.text.push_str(name);
        self.text.push(':');
    }

    fn value<'de, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<&'de str, A::Error> {
        // kube decodes from a text in memory, and a watch event names its type before its object: otherwise nothing could
        // be borrowed here.
        let text = map.next_value::<&RawValue>()?.get();
        self.text.push_str(text);
        Ok(text)
    }
}

/// Takes the members of an object apart.
struct Whole;

impl<'de> Visitor<'de> for Whole {
    type Value = Pieces;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pieces, A::Error> {
        let mut pieces = Pieces {
            text: String::with_capacity(SMALL),
            ..Pieces::default()
        };
        pieces.text.push('{');
        while let Some(name) = map.next_key::<&RawValue>()? {
            pieces.name(name.get());
            if name.get() == r#""metadata""# {
                map.next_value_seed(Metadata(&mut pieces))?;
                continue;
            }
            let begin = pieces.text.len();
            pieces.value(&mut map)?;
            if name.get() == r#""status""# {
                pieces.status = Some(begin..pieces.text.len());
            }
        }
        pieces.text.push('}');
        Ok(pieces)
    }
}

/// The same one level deeper.
struct Metadata<'a>(&'a mut Pieces);

impl<'de> DeserializeSeed<'de> for Metadata<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Metadata<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object's metadata")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self(pieces) = self;
        pieces.text.push('{');
        while let Some(name) = map.next_key::<&RawValue>()? {
            if name.get() == r#""managedFields""# && !mutated(Mutant::ManagedFields) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            pieces.name(name.get());
            let value = pieces.value(&mut map)?;
            let place = match name.get() {
                r#""name""# => &mut pieces.meta.name,
                r#""namespace""# => &mut pieces.meta.namespace,
                r#""uid""# => &mut pieces.meta.uid,
                r#""resourceVersion""# => &mut pieces.meta.resource_version,
                _ => continue,
            };
            *place = plain(value);
            pieces.has_escapes |= place.is_none();
        }
        pieces.text.push('}');
        Ok(())
    }
}

/// The content of a string that is written without escapes.
fn plain(value: &str) -> Option<String> {
    let content = value.strip_prefix('"')?.strip_suffix('"')?;
    (!content.contains('\\')).then(|| content.to_owned())
}

/// Name and version of an object that is written otherwise. A bookmark has no name, for one.
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

impl<K> fmt::Debug for Arrived<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arrived")
            .field("name", &self.meta.name)
            .field("version", &self.meta.resource_version)
            .finish()
    }
}
