//! What controllers do in a real cluster, as explicit steps: garbage collection and the end of namespaces.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::cluster::{Cluster, Shared};
use crate::object;
use crate::resource::Resource;
use crate::store::Expect;

/// What a step of garbage collection or namespace termination did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Objects that were deleted, or marked if finalizers hold them.
    pub deleted: usize,
    /// Objects that were changed: a finalizer or an owner reference went.
    pub released: usize,
}

impl Collected {
    /// Whether there was nothing to do.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Garbage collection in the background. It stops when this is dropped.
#[derive(Debug)]
pub struct Collector(tokio::task::JoinHandle<()>);

impl Drop for Collector {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An object and where it is.
struct Found {
    resource: Arc<Resource>,
    key: String,
    object: Arc<Value>,
}

impl Found {
    fn uid(&self) -> &str {
        object::meta(&self.object, "uid")
    }

    fn owners(&self) -> &[Value] {
        self.object["metadata"]["ownerReferences"]
            .as_array()
            .map_or(&[], Vec::as_slice)
    }

    fn is_owned_by(&self, uid: &str) -> bool {
        self.owners().iter().any(|owner| owner["uid"] == uid)
    }
}

impl Cluster {
    /// Deletes what has lost all its owners, and finishes foreground and orphan deletions, until nothing is left to do.
    ///
    /// An owner in another namespace, or with another uid, counts as absent. Never done unasked.
    pub fn collect_garbage(&self) -> Collected {
        let mut sum = Collected::default();
        loop {
            let step = self.0.collect_once();
            if step.is_empty() {
                return sum;
            }
            sum.deleted += step.deleted;
            sum.released += step.released;
        }
    }

    /// Collects garbage and terminates namespaces whenever something changed, at most once in this time, in the
    /// current runtime.
    pub fn collect_in_background(&self, every: std::time::Duration) -> Collector {
        let cluster = self.clone();
        Collector(tokio::spawn(async move {
            let mut seen = 0;
            loop {
                let revision = cluster.revision();
                if revision != seen {
                    seen = revision;
                    cluster.collect_garbage();
                    cluster.terminate_namespaces();
                }
                tokio::time::sleep(every).await;
            }
        }))
    }

    /// Deletes the content of terminating namespaces, and those that have become empty.
    ///
    /// Objects that finalizers hold are marked and keep their namespace. Never done unasked.
    pub fn terminate_namespaces(&self) -> Collected {
        let mut sum = Collected::default();
        for namespace in self.0.terminating_namespaces() {
            let inside: Vec<Found> = self
                .0
                .everything()
                .into_iter()
                .filter(|found| {
                    found.resource.namespaced
                        && object::meta(&found.object, "namespace") == namespace
                })
                .collect();
            for found in inside {
                let gone = self.0.delete_internal(
                    &found.resource,
                    &found.key,
                    found.uid(),
                    Some("Background"),
                );
                sum.deleted += usize::from(gone);
            }
            sum.deleted += usize::from(self.0.finalize_namespace(&namespace));
        }
        sum
    }
}

impl Shared {
    /// Every stored object once, under one of its versions.
    fn everything(&self) -> Vec<Found> {
        let registry = self.registry();
        let mut resources: BTreeMap<&str, &Arc<Resource>> = BTreeMap::new();
        for resource in registry.all().filter(|r| r.can("list")) {
            let stored = resource.api_version == resource.stored_as;
            if stored || !resources.contains_key(resource.table.as_str()) {
                resources.insert(&resource.table, resource);
            }
        }
        let state = self.store.lock();
        let mut all = Vec::new();
        for (table, resource) in resources {
            let Some(table) = state.table(table) else {
                continue;
            };
            all.extend(table.scan("").map(|(key, stored)| Found {
                resource: resource.clone(),
                key: key.clone(),
                object: stored.object.value(),
            }));
        }
        all
    }

    fn collect_once(&self) -> Collected {
        let all = self.everything();
        let namespaces: BTreeMap<&str, &str> = all
            .iter()
            .map(|found| (found.uid(), object::meta(&found.object, "namespace")))
            .collect();
        let mut step = Collected::default();
        for found in &all {
            if found.owners().is_empty() || object::is_terminating(&found.object) {
                continue;
            }
            let home = object::meta(&found.object, "namespace");
            let present = |owner: &Value| {
                owner["uid"]
                    .as_str()
                    .and_then(|uid| namespaces.get(uid))
                    .is_some_and(|namespace| namespace.is_empty() || *namespace == home)
            };
            if !found.owners().iter().any(present) {
                step.deleted += usize::from(self.delete_internal(
                    &found.resource,
                    &found.key,
                    found.uid(),
                    None,
                ));
            }
        }
        for owner in all
            .iter()
            .filter(|found| object::is_terminating(&found.object))
        {
            let finalizers = object::finalizers(&owner.object);
            let dependents = all.iter().filter(|found| found.is_owned_by(owner.uid()));
            if finalizers.contains(&"orphan") {
                for dependent in dependents {
                    step.released += usize::from(self.orphan(dependent, owner.uid()));
                }
                step.released += usize::from(self.release(owner, "orphan"));
            } else if finalizers.contains(&"foregroundDeletion") {
                let mut blocked = false;
                for dependent in dependents {
                    blocked = true;
                    if !object::is_terminating(&dependent.object) {
                        let (resource, key) = (&dependent.resource, &dependent.key);
                        step.deleted += usize::from(self.delete_internal(
                            resource,
                            key,
                            dependent.uid(),
                            Some("Foreground"),
                        ));
                    }
                }
                if !blocked {
                    step.released += usize::from(self.release(owner, "foregroundDeletion"));
                }
            }
        }
        step
    }

    /// Takes an owner reference away.
    fn orphan(&self, found: &Found, owner: &str) -> bool {
        self.change(found, |object| {
            let metadata = object::meta_mut(object);
            let Some(Value::Array(list)) = metadata.get_mut("ownerReferences") else {
                return;
            };
            list.retain(|reference| reference["uid"] != owner);
            if list.is_empty() {
                metadata.remove("ownerReferences");
            }
        })
    }

    /// Takes a finalizer of the garbage collector away; with the last one the object goes.
    fn release(&self, found: &Found, finalizer: &str) -> bool {
        let changed = self.change(found, |object| {
            let metadata = object::meta_mut(object);
            let Some(Value::Array(list)) = metadata.get_mut("finalizers") else {
                return;
            };
            list.retain(|entry| entry != finalizer);
            if list.is_empty() {
                metadata.remove("finalizers");
            }
        });
        // A second delete of an object that nothing holds any longer removes it.
        self.delete_internal(&found.resource, &found.key, found.uid(), None) || changed
    }

    fn change(&self, found: &Found, change: impl FnOnce(&mut Value)) -> bool {
        let mut state = self.store.lock();
        let table = &found.resource.table;
        let Some(stored) = state
            .table(table)
            .and_then(|t| t.objects.get(&found.key))
            .cloned()
        else {
            return false;
        };
        if object::meta(&stored.object.value(), "uid") != found.uid() {
            return false;
        }
        let mut new = stored.object.to_value();
        change(&mut new);
        new != *stored.object.value()
            && state
                .put(table, &found.key, Expect::Revision(stored.revision), new)
                .is_ok()
    }

    fn terminating_namespaces(&self) -> Vec<String> {
        let state = self.store.lock();
        let Some(table) = state.table("namespaces") else {
            return Vec::new();
        };
        table
            .scan("")
            .filter(|(_, namespace)| object::is_terminating(&namespace.object.value()))
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Removes a terminating namespace in which nothing is left.
    fn finalize_namespace(&self, name: &str) -> bool {
        let occupied = self.everything().iter().any(|found| {
            found.resource.namespaced && object::meta(&found.object, "namespace") == name
        });
        if occupied {
            return false;
        }
        let mut state = self.store.lock();
        let Some(stored) = state
            .table("namespaces")
            .and_then(|t| t.objects.get(name))
            .cloned()
        else {
            return false;
        };
        if !object::finalizers(&stored.object.value()).is_empty() {
            return false;
        }
        state.remove("namespaces", name, stored.revision).is_ok()
    }
}
