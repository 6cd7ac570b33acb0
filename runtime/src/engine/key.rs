//! The name of an object of one kind.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use foldhash::fast::RandomState;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Namespace and name.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ObjectKey {
    pub(crate) namespace: Option<Arc<str>>,
    pub(crate) name: Arc<str>,
}

/// A map by key. Each event and each run looks into many: the hash is a fast one, keyed at random as the standard one.
pub(crate) type ByKey<V> = HashMap<ObjectKey, V, RandomState>;

/// A set of keys.
pub(crate) type Keys = HashSet<ObjectKey, RandomState>;

impl ObjectKey {
    pub(crate) fn of(meta: &ObjectMeta) -> Self {
        Self {
            namespace: meta.namespace.as_deref().map(Arc::from),
            name: meta.name.as_deref().unwrap_or_default().into(),
        }
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
