//! Dependencies that do not decode: they are there, so nothing may be concluded from their absence in a cache.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::{
    children::{ChildError, owner::Owner},
    engine::key::ObjectKey,
    reference::reasons,
};

/// Those of one kind.
#[derive(Debug, Default)]
pub(super) struct Undecodable {
    known: BTreeMap<ObjectKey, Broken>,
    /// What a list in progress has brought of them.
    listed: Option<BTreeSet<ObjectKey>>,
}

/// One of them.
#[derive(Debug)]
struct Broken {
    uid: Option<String>,
    owner: Option<Owner>,
    error: String,
}

impl Undecodable {
    /// Remembers one; true if it was not known.
    pub(super) fn add(&mut self, meta: &ObjectMeta, owner: Option<Owner>, error: &str) -> bool {
        let key = ObjectKey::of(meta);
        if let Some(listed) = &mut self.listed {
            listed.insert(key.clone());
        }
        let broken = Broken {
            uid: meta.uid.clone(),
            owner,
            error: error.to_owned(),
        };
        let before = self.known.insert(key, broken);
        before.is_none_or(|before| before.uid != meta.uid)
    }

    /// It decodes, or is gone.
    pub(super) fn remove(&mut self, key: &ObjectKey) {
        self.known.remove(key);
    }

    pub(super) fn list_begins(&mut self) {
        self.listed = Some(BTreeSet::new());
    }

    /// What the list lacks is gone, or was mended.
    pub(super) fn list_ends(&mut self) {
        if let Some(listed) = self.listed.take() {
            self.known.retain(|key, _| listed.contains(key));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Why nothing can be said of this one.
    pub(super) fn at(&self, kind: &str, key: &ObjectKey) -> Option<ChildError> {
        let broken = self.known.get(key)?;
        Some(error(kind, key, broken))
    }

    /// Why nothing can be said of all children of an owner.
    pub(super) fn of(&self, kind: &str, owner: &Owner) -> Option<ChildError> {
        let is_of = |broken: &Broken| broken.owner.as_ref().is_some_and(|it| it.uid == owner.uid);
        let (key, broken) = self.known.iter().find(|(_, broken)| is_of(broken))?;
        Some(error(kind, key, broken))
    }
}

fn error(kind: &str, key: &ObjectKey, broken: &Broken) -> ChildError {
    let message = format!(
        "{kind} {key} does not decode, so nothing is decided about it: {}: mend that field",
        broken.error
    );
    ChildError::blocked(reasons::CHILD_UNDECODABLE, message)
}
