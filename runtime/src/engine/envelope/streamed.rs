//! Decoding in one pass: managedFields are passed over, the status is noted as it stands in the text.
//!
//! A tree of values would cost several times the typed object, and managedFields are most of a small object's bytes.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, DeserializeSeed, Error, MapAccess, Visitor, value::CowStrDeserializer},
    forward_to_deserialize_any,
};
use serde_json::value::RawValue;

/// What is found in one object.
pub(super) struct Found<'de, K> {
    pub(super) object: K,
    /// The status as it stands in the text.
    pub(super) status: Option<&'de str>,
    /// How long the text is without managedFields.
    pub(super) bytes: usize,
}

/// Decodes one object.
pub(super) fn object<K: DeserializeOwned>(text: &str) -> Result<Found<'_, K>, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut notes = Notes::default();
    let object = K::deserialize(Filter {
        inner: &mut json,
        level: Level::Object,
        notes: &mut notes,
    })?;
    json.end()?;
    Ok(Found {
        object,
        status: notes.status.map(RawValue::get),
        bytes: text.len().saturating_sub(notes.passed_over),
    })
}

#[derive(Default)]
struct Notes<'de> {
    status: Option<&'de RawValue>,
    passed_over: usize,
}

/// Where in the object a map is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Object,
    Meta,
}

/// What the next value is.
#[derive(Clone, Copy)]
enum Place {
    Meta,
    Status,
    Other,
}

/// A deserializer, or the seed or visitor of one, that keeps its eyes open.
struct Filter<'n, 'de, T> {
    inner: T,
    level: Level,
    notes: &'n mut Notes<'de>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Filter<'_, 'de, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(Filter {
            inner: visitor,
            level: self.level,
            notes: self.notes,
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_map(Filter {
            inner: visitor,
            level: self.level,
            notes: self.notes,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = Filter {
            inner: visitor,
            level: self.level,
            notes: self.notes,
        };
        self.inner.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct enum identifier ignored_any
    }
}

/// Anything but a map is refused: an object is one, and so is its metadata. The slow way has the last word.
impl<'de, V: Visitor<'de>> Visitor<'de> for Filter<'_, 'de, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Members {
            map,
            level: self.level,
            place: Place::Other,
            notes: self.notes,
        })
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Filter<'_, 'de, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Filter {
            inner: deserializer,
            level: self.level,
            notes: self.notes,
        })
    }
}

/// A name of a member; borrowed, as long as nothing in it is escaped.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The members of the object, or of its metadata.
struct Members<'n, 'de, A> {
    map: A,
    level: Level,
    place: Place,
    notes: &'n mut Notes<'de>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<'_, 'de, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        while let Some(Name(name)) = self.map.next_key()? {
            self.place = match (self.level, &*name) {
                (Level::Meta, "managedFields") => {
                    let fields: &RawValue = self.map.next_value()?;
                    self.notes.passed_over += fields.get().len();
                    continue;
                }
                (Level::Object, "metadata") => Place::Meta,
                (Level::Object, "status") => Place::Status,
                _ => Place::Other,
            };
            return seed.deserialize(CowStrDeserializer::new(name)).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        match self.place {
            Place::Other => self.map.next_value_seed(seed),
            Place::Meta => self.map.next_value_seed(Filter {
                inner: seed,
                level: Level::Meta,
                notes: self.notes,
            }),
            Place::Status => {
                let status: &'de RawValue = self.map.next_value()?;
                self.notes.status = Some(status);
                let mut json = serde_json::Deserializer::from_str(status.get());
                seed.deserialize(&mut json).map_err(A::Error::custom)
            }
        }
    }
}
