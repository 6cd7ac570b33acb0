//! The orderly end: every object goes, and what it made outside with it, before the operator does. An operator that is
//! taken away first leaves objects behind whose finalizers nobody takes off.

mod terms;

use std::{collections::BTreeSet, time::Duration};

use kube::{
    Api, Resource,
    api::{
        ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, Preconditions,
        PropagationPolicy,
    },
    core::Status,
};
use serde_json::{Value, json};
use tokio::{sync::oneshot, time::Instant};

use super::{Operator, RunOptions};
use crate::mutant::{Mutant, mutated};
use crate::{
    annotations::{ALLOW_DESTROY, DELETION_POLICY},
    clients::Clients,
    status::conditions,
};
pub use terms::{LeftObject, OutsidePolicy, UninstallError, UninstallOptions};

/// How often it is looked whether the objects are gone.
const LOOK: Duration = Duration::from_secs(2);
/// How many objects a list brings at a time.
const PAGE: u32 = 500;
/// The objects of one kind that have to go.
pub(super) struct Doomed {
    pub(super) resource: ApiResource,
    pub(super) namespaced: bool,
    pub(super) labels: Option<String>,
}

impl<C: Send + Sync + 'static> Operator<C> {
    /// Deletes every object of the operator's kinds (of its namespace, if it has one, and with its labels), and works
    /// until all are gone: as the leader, or beside the operator that is. The brake on mass deletions lets them pass;
    /// an object that is paused stays, and is named.
    ///
    /// # Errors
    /// If objects are left when `options.patience` is over, if the account may not delete them, or if the operator
    /// cannot run.
    pub async fn uninstall(
        self,
        clients: Clients,
        context: C,
        run: RunOptions,
        options: UninstallOptions,
    ) -> Result<(), UninstallError> {
        let kinds: Vec<_> = self.kinds.iter().map(|kind| kind.doomed()).collect();
        let work = Uninstall {
            client: clients.call.clone(),
            kinds,
            only_in: self.only_in.clone(),
            outside: options.outside,
            manager: self.name.clone(),
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let asked = run.shutdown;
        let shutdown = async move {
            tokio::select! {
                _ = stopped => {}
                () = asked => {}
            }
        };
        let run = RunOptions {
            shutdown: Box::pin(shutdown),
            ..run
        };
        let mut operator = std::pin::pin!(self.run(clients, context, run));
        let done = tokio::select! {
            done = work.drain(options.patience, options.progress) => done,
            ended = &mut operator => {
                ended?;
                return Err(UninstallError::Interrupted);
            }
        };
        drop(stop);
        operator.await?;
        done
    }

    /// How many objects [`uninstall`](Self::uninstall) would delete.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub async fn count_objects(&self, clients: &Clients) -> Result<usize, kube::Error> {
        let work = Uninstall {
            client: clients.call.clone(),
            kinds: self.kinds.iter().map(|kind| kind.doomed()).collect(),
            only_in: self.only_in.clone(),
            outside: OutsidePolicy::default(),
            manager: self.name.clone(),
        };
        Ok(work.list().await?.len())
    }
}

/// What one look found.
#[derive(Default)]
struct Look {
    objects: Vec<LeftObject>,
    /// What the server said of those that it refuses to delete.
    refused: Vec<Status>,
}

impl Look {
    /// The words of the server if it has forbidden every deletion so far: then it is the account that may not.
    fn forbidden_to_all(&self, seen: usize) -> Option<String> {
        let is_all = self.refused.len() == seen && self.refused.iter().all(|no| no.code == 403);
        let first = self.refused.first().filter(|_| is_all)?;
        Some(first.message.clone())
    }
}

struct Uninstall {
    client: kube::Client,
    kinds: Vec<Doomed>,
    only_in: Option<String>,
    outside: OutsidePolicy,
    manager: String,
}

impl Uninstall {
    async fn drain(
        &self,
        patience: Duration,
        mut progress: Box<dyn FnMut(usize, usize) + Send>,
    ) -> Result<(), UninstallError> {
        let (deadline, began) = (Instant::now() + patience, Instant::now());
        let mut seen = BTreeSet::new();
        let mut last = Vec::new();
        loop {
            match self.look(&mut seen).await {
                Ok(look) => {
                    if let Some(why) = look.forbidden_to_all(seen.len()) {
                        return Err(UninstallError::Forbidden(why));
                    }
                    let objects = look.objects;
                    progress(seen.len().saturating_sub(objects.len()), objects.len());
                    if objects.is_empty() || mutated(Mutant::UninstallWaits) {
                        tracing::info!(objects = seen.len(), took = ?began.elapsed(), "every object is gone");
                        return Ok(());
                    }
                    last = objects;
                }
                Err(kube::Error::Api(status)) if status.code == 403 => {
                    return Err(UninstallError::Forbidden(status.message));
                }
                Err(error) => tracing::warn!(%error, "the API server does not answer well"),
            }
            if Instant::now() >= deadline {
                return Err(UninstallError::Left(last));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Deletes what is not being deleted yet; returns what is there. One that the server refuses to delete, as a webhook
    /// may, holds up no other.
    async fn look(&self, seen: &mut BTreeSet<String>) -> Result<Look, kube::Error> {
        let mut look = Look::default();
        for (kind, object) in self.list().await? {
            let mut found = describe(kind, &object);
            match self.doom(kind, &object).await {
                Ok(()) => {}
                Err(kube::Error::Api(status)) => {
                    tracing::warn!(
                        object = found.name,
                        why = status.message,
                        "the server refuses to delete it"
                    );
                    found.why = format!("the server refuses to delete it: {}", status.message);
                    look.refused.push(*status);
                }
                Err(error) => return Err(error),
            }
            // Two groups may have a kind of one name.
            seen.insert(object.metadata.uid.unwrap_or_else(|| found.name.clone()));
            look.objects.push(found);
        }
        Ok(look)
    }

    async fn list(&self) -> Result<Vec<(&Doomed, DynamicObject)>, kube::Error> {
        let mut all = Vec::new();
        for kind in &self.kinds {
            let api = self.api(kind, self.only_in.as_deref());
            let mut params = ListParams::default().limit(PAGE);
            params.label_selector.clone_from(&kind.labels);
            loop {
                let page = match api.list(&params).await {
                    Ok(page) => page,
                    // No definition, no objects.
                    Err(kube::Error::Api(status)) if status.code == 404 => break,
                    Err(error) => return Err(error),
                };
                let next = page.metadata.continue_.filter(|token| !token.is_empty());
                all.extend(page.items.into_iter().map(|object| (kind, object)));
                match next {
                    Some(token) => params = params.continue_token(&token),
                    None => break,
                }
            }
        }
        Ok(all)
    }

    fn api(&self, kind: &Doomed, namespace: Option<&str>) -> Api<DynamicObject> {
        let client = self.client.clone();
        match namespace.filter(|_| kind.namespaced) {
            Some(namespace) => Api::namespaced_with(client, namespace, &kind.resource),
            None => Api::all_with(client, &kind.resource),
        }
    }

    /// Says how it shall go, then deletes it: this very object.
    async fn doom(&self, kind: &Doomed, object: &DynamicObject) -> Result<(), kube::Error> {
        let meta = object.meta();
        let Some(name) = &meta.name else {
            return Ok(());
        };
        let api = self.api(kind, meta.namespace.as_deref());
        let wanted = self.annotations();
        let is_told = wanted.iter().all(|(name, value)| {
            let has = meta.annotations.as_ref().and_then(|all| all.get(*name));
            has.is_some_and(|has| has == value)
        });
        if !is_told {
            let annotations: serde_json::Map<_, _> = wanted
                .iter()
                .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
                .collect();
            let patch = json!({"metadata": {"uid": meta.uid, "annotations": annotations}});
            let params = PatchParams {
                field_manager: Some(self.manager.clone()),
                ..PatchParams::default()
            };
            unless_gone(api.patch(name, &params, &Patch::Merge(&patch)).await)?;
        }
        if meta.deletion_timestamp.is_none() {
            let params = DeleteParams {
                propagation_policy: Some(PropagationPolicy::Background),
                preconditions: Some(Preconditions {
                    uid: meta.uid.clone(),
                    resource_version: None,
                }),
                ..DeleteParams::default()
            };
            unless_gone(api.delete(name, &params).await)?;
        }
        Ok(())
    }

    fn annotations(&self) -> Vec<(&'static str, &'static str)> {
        let mut all = vec![(ALLOW_DESTROY, "true")];
        if self.outside == OutsidePolicy::Retain {
            all.push((DELETION_POLICY, "retain"));
        }
        all
    }
}

/// Gone, or another one by that name: the next look tells.
fn unless_gone<T>(answer: Result<T, kube::Error>) -> Result<(), kube::Error> {
    match answer {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Its name, and the most telling of its conditions.
fn describe(kind: &Doomed, object: &DynamicObject) -> LeftObject {
    let meta = object.meta();
    let place = meta
        .namespace
        .iter()
        .map(|namespace| format!("{namespace}/"));
    let name = meta.name.as_deref().unwrap_or_default();
    let telling = [
        conditions::PAUSED,
        conditions::CLEANUP_BLOCKED,
        conditions::STALLED,
        conditions::RECONCILING,
    ];
    let all = object.data.pointer("/status/conditions");
    let all: Vec<_> = all
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    let is_true = |kind: &str| {
        let found = all
            .iter()
            .find(|one| one["type"] == kind && one["status"] == "True")?;
        Some(format!(
            "{kind}: {}",
            found["message"].as_str().unwrap_or_default()
        ))
    };
    LeftObject {
        name: format!("{} {}{name}", kind.resource.kind, place.collect::<String>()),
        why: telling.into_iter().find_map(is_true).unwrap_or_default(),
    }
}
