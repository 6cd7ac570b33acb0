//! What a change of a CustomResourceDefinition sets in motion: names, serving, and the end of its instances.

use std::sync::Arc;

use serde_json::Value;

use crate::cluster::Shared;
use crate::crd;
use crate::object;
use crate::store::{Change, Expect};

const TABLE: &str = "customresourcedefinitions.apiextensions.k8s.io";

fn is_established(definition: &Value) -> bool {
    definition["status"]["conditions"]
        .as_array()
        .is_some_and(|list| {
            list.iter()
                .any(|c| c["type"] == "Established" && c["status"] == "True")
        })
}

impl Shared {
    /// Called after a commit. The real server does this in controllers, some 80 ms later.
    pub(super) fn definition_changed(&self, name: &str, object: Option<&Value>) {
        let Some(definition) = object else {
            return;
        };
        if object::is_terminating(definition) {
            self.end_definition(name);
        } else {
            self.accept_names(name);
            self.serve_definition(name);
        }
    }

    fn accept_names(&self, name: &str) {
        let mut state = self.store.lock();
        let Some(table) = state.table(TABLE) else {
            return;
        };
        let Some(stored) = table.objects.get(name).cloned() else {
            return;
        };
        let value = stored.object.value();
        let group = &value["spec"]["group"];
        let others: Vec<Arc<Value>> = table
            .scan("")
            .filter(|(key, other)| {
                key.as_str() != name && other.object.value()["spec"]["group"] == *group
            })
            .map(|(_, other)| other.object.value())
            .collect();
        let others: Vec<&Value> = others.iter().map(|other| &**other).collect();
        let status = crd::accept_names(&value, &others, &self.clock.stamp());
        if status == value["status"] {
            return;
        }
        let mut definition = (*value).clone();
        object::top(&mut definition).insert("status".into(), status);
        // The lock is held since the read: nobody can have been faster.
        let _ = state.put(TABLE, name, Expect::Revision(stored.revision), definition);
    }

    fn serve_definition(&self, name: &str) {
        let Some(stored) = self.store.get(TABLE, name) else {
            return;
        };
        if !is_established(&stored.object.value()) {
            return;
        }
        let definition = stored.object.value();
        let served_by = format!(
            "{} {}",
            definition["spec"], definition["status"]["acceptedNames"]
        );
        // Whoever finds the resource finds its table; whoever watches anew finds the new resource.
        self.store.lock().table_mut(name);
        self.change_registry(|registry| registry.serve(&definition));
        self.store.lock().serve_table(name, served_by);
        self.refresh_instances(name, &stored.object.value());
    }

    /// Stored objects are read through the present schema of the storage version: pruned and defaulted, at their
    /// version. Done once per change of the definition instead of at each read. What was written is kept: a field that
    /// comes back to the schema brings its values back.
    fn refresh_instances(&self, table: &str, definition: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (group, plural) = (
            text(&definition["spec"]["group"]),
            text(&definition["spec"]["names"]["plural"]),
        );
        let Some(resource) = self.registry().find_any(&group, &plural).cloned() else {
            return;
        };
        let mut state = self.store.lock();
        let pool = state.pool();
        for stored in state.table_mut(table).objects.values_mut() {
            if resource.webhook && !stored.object.is_of_version(&resource.stored_as) {
                // It stays as it was written; who reads it has it converted.
                continue;
            }
            let written = stored.written.as_ref().unwrap_or(&stored.object).clone();
            let mut object = written.to_value();
            resource.reread(&mut object);
            if object != *stored.object.value() {
                stored.object = pool.keep(object, Change::Added.name());
                stored.written = Some(written);
            }
        }
    }

    /// Deletes the instances, then the definition; watches of the resource end.
    fn end_definition(&self, name: &str) {
        let mut state = self.store.lock();
        let Some(stored) = state
            .table(TABLE)
            .and_then(|table| table.objects.get(name))
            .cloned()
        else {
            return;
        };
        let instances: Vec<(String, crate::store::Stored)> = state
            .table(name)
            .map(|table| {
                table
                    .scan("")
                    .map(|(key, stored)| (key.clone(), stored.clone()))
                    .collect()
            })
            .unwrap_or_default();
        let mut held = false;
        for (key, instance) in instances {
            if object::finalizers(&instance.object.value()).is_empty() {
                let _ = state.remove(name, &key, instance.revision);
                continue;
            }
            held = true;
            if object::is_terminating(&instance.object.value()) {
                continue;
            }
            let mut marked = instance.object.to_value();
            let generation = object::generation(&marked) + 1;
            let metadata = object::meta_mut(&mut marked);
            metadata.insert("deletionTimestamp".into(), self.clock.stamp().into());
            metadata.insert("deletionGracePeriodSeconds".into(), 0.into());
            metadata.insert("generation".into(), generation.into());
            let _ = state.put(name, &key, Expect::Revision(instance.revision), marked);
        }
        let only_ours = object::finalizers(&stored.object.value())
            .iter()
            .all(|f| *f == crd::FINALIZER);
        if held || !only_ours {
            return;
        }
        let _ = state.remove(TABLE, name, stored.revision);
        state.remove_table(name);
        drop(state);
        self.change_registry(|registry| registry.withdraw(&stored.object.value()));
        self.names_freed(&stored.object.value());
    }

    /// Names of a definition that is gone may be what others of its group wait for.
    fn names_freed(&self, gone: &Value) {
        let waiting: Vec<String> = {
            let state = self.store.lock();
            let Some(table) = state.table(TABLE) else {
                return;
            };
            table
                .scan("")
                .filter(|(_, other)| other.object.value()["spec"]["group"] == gone["spec"]["group"])
                .map(|(key, _)| key.clone())
                .collect()
        };
        for name in waiting {
            self.accept_names(&name);
            self.serve_definition(&name);
        }
    }

    /// After an instance went: a definition that waited for it may go, too.
    pub(super) fn instance_removed(&self, table: &str) {
        let waits = self
            .store
            .get(TABLE, table)
            .is_some_and(|definition| object::is_terminating(&definition.object.value()));
        if waits {
            self.end_definition(table);
        }
    }
}
