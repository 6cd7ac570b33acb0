//! What an object refers to.

use crate::engine::key::ObjectKey;

/// The name of an object that another one refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectRef {
    namespace: Option<String>,
    name: String,
}

impl ObjectRef {
    /// An object in the namespace of the one that refers to it, or a cluster-scoped one.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            namespace: None,
            name: name.into(),
        }
    }

    /// An object in that namespace.
    pub fn in_namespace(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            namespace: Some(namespace.into()),
            name: name.into(),
        }
    }

    /// The key, as seen from an object in `from`. A kind without namespaces has none.
    pub(crate) fn key(&self, from: Option<&str>, namespaced: bool) -> ObjectKey {
        let namespace = self.namespace.as_deref().or(from);
        ObjectKey::new(namespace.filter(|_| namespaced), &self.name)
    }
}

impl From<&str> for ObjectRef {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for ObjectRef {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}
