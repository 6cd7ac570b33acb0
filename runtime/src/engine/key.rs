//! The name of an object of one kind.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    ops::Deref,
    sync::Arc,
};

use foldhash::fast::RandomState;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Namespace and name. Several maps hold the key of every object, so it is one pointer.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ObjectKey(Arc<Name>);

/// What a key holds.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name {
    pub(crate) namespace: Option<Box<str>>,
    pub(crate) name: Box<str>,
}

impl Deref for ObjectKey {
    type Target = Name;

    fn deref(&self) -> &Name {
        &self.0
    }
}

/// A map by key. Each event and each run looks into many: the hash is a fast one, keyed at random as the standard one.
pub(crate) type ByKey<V> = HashMap<ObjectKey, V, RandomState>;

/// A set of keys.
pub(crate) type Keys = HashSet<ObjectKey, RandomState>;

impl ObjectKey {
    pub(crate) fn new(namespace: Option<&str>, name: &str) -> Self {
        Self(Arc::new(Name {
            namespace: namespace.map(Box::from),
            name: name.into(),
        }))
    }

    pub(crate) fn of(meta: &ObjectMeta) -> Self {
        let name = meta.name.as_deref().unwrap_or_default();
        Self::new(meta.namespace.as_deref(), name)
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
