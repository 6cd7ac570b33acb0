//! Whose child an object is.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::Resource;

use crate::{children::names, engine::key::ObjectKey};

/// The label of every owned object; its watch selects by it.
pub const OWNER_KIND_LABEL: &str = "opgen.dev/owner-kind";

/// The kind that owns.
#[derive(Clone, Debug)]
pub(crate) struct OwnerKind {
    pub(crate) api_version: String,
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) namespaced: bool,
}

/// One owner.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) key: ObjectKey,
    pub(crate) uid: String,
}

/// How an object stands to an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Its child.
    Ours,
    /// The child of a former owner of the same name: garbage collection will see to it.
    Former,
    /// Nobody controls it.
    Unowned,
    /// Another controller does.
    Foreign(String),
}

/// Whether objects of a kind live in namespaces.
pub(crate) fn is_namespaced<K: Resource<DynamicType = ()> + 'static>() -> bool {
    std::any::TypeId::of::<K::Scope>() != std::any::TypeId::of::<kube::core::ClusterResourceScope>()
}

impl OwnerKind {
    pub(crate) fn of<K: Resource<DynamicType = ()> + 'static>() -> Self {
        Self {
            api_version: K::api_version(&()).into_owned(),
            group: K::group(&()).into_owned(),
            kind: K::kind(&()).into_owned(),
            namespaced: is_namespaced::<K>(),
        }
    }

    /// `kind.group`, as the label has it.
    pub(crate) fn label(&self) -> String {
        names::label_value(&self.kind, &self.group)
    }

    fn is_of(&self, reference: &OwnerReference) -> bool {
        let group = reference
            .api_version
            .rsplit_once('/')
            .map_or("", |(group, _)| group);
        reference.kind == self.kind && group == self.group
    }

    /// The owner of this kind that controls an object, if one does.
    pub(crate) fn owner_of(&self, meta: &ObjectMeta) -> Option<Owner> {
        let reference = controller_of(meta).filter(|reference| self.is_of(reference))?;
        let namespace = meta.namespace.as_deref().filter(|_| self.namespaced);
        Some(Owner {
            key: ObjectKey::new(namespace, &reference.name),
            uid: reference.uid.clone(),
        })
    }

    pub(crate) fn standing(&self, meta: &ObjectMeta, owner: &Owner) -> Standing {
        match (controller_of(meta), self.owner_of(meta)) {
            (_, Some(found)) if found.uid == owner.uid => Standing::Ours,
            (_, Some(found)) if found.key == owner.key => Standing::Former,
            (Some(other), _) => Standing::Foreign(format!("{} {}", other.kind, other.name)),
            (None, _) => Standing::Unowned,
        }
    }

    pub(crate) fn reference(&self, owner: &Owner) -> OwnerReference {
        OwnerReference {
            api_version: self.api_version.clone(),
            kind: self.kind.clone(),
            name: owner.key.name.to_string(),
            uid: owner.uid.clone(),
            controller: Some(true),
            block_owner_deletion: Some(true),
        }
    }
}

/// The reference of the controller of an object; there is at most one.
pub(crate) fn controller_of(meta: &ObjectMeta) -> Option<&OwnerReference> {
    meta.owner_references
        .iter()
        .flatten()
        .find(|reference| reference.controller == Some(true))
}
