//! The same operator on kube-runtime's `Controller`: as its documentation shows it, and as an expert would tune it.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use kube::{
    Api, Client, ResourceExt,
    api::{Patch, PatchParams},
    runtime::{
        WatchStreamExt,
        controller::{Action, Config, Controller},
        finalizer::{Event, finalizer},
        predicates, reflector, watcher,
    },
};
use serde_json::json;

use crate::{machine::Thing, provider::Slow};

const FINALIZER: &str = "bench.example.com/cleanup";

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request.
    #[error("the API server failed: {0}")]
    Kube(#[from] kube::Error),
    /// The finalizer.
    #[error("the finalizer failed: {0}")]
    Finalizer(#[source] Box<kube::runtime::finalizer::Error<Error>>),
}

struct Context {
    client: Client,
    provider: Slow,
    is_tuned: bool,
}

/// As in the documentation: every event, no limit on concurrency, an unconditional status patch.
pub async fn documented(client: Client, provider: Slow) {
    let context = Arc::new(Context {
        client: client.clone(),
        provider,
        is_tuned: false,
    });
    Controller::new(Api::<Thing>::all(client), watcher::Config::default())
        .run(reconcile, error_policy, context)
        .for_each(|_| async {})
        .await;
}

/// Tuned: predicates on generation and finalizers, bounded concurrency, no write where nothing changed.
pub async fn tuned(client: Client, provider: Slow, in_flight: usize) {
    let context = Arc::new(Context {
        client: client.clone(),
        provider,
        is_tuned: true,
    });
    let (reader, writer) = reflector::store();
    let events = watcher(Api::<Thing>::all(client), watcher::Config::default())
        .default_backoff()
        .modify(|thing| thing.metadata.managed_fields = None)
        .reflect(writer)
        .applied_objects()
        .predicate_filter(
            kube::runtime::Predicate::combine(predicates::generation, predicates::finalizers),
            Default::default(),
        );
    let limit = u16::try_from(in_flight).unwrap_or(u16::MAX);
    Controller::for_stream(events, reader)
        .with_config(Config::default().concurrency(limit))
        .run(reconcile, error_policy, context)
        .for_each(|_| async {})
        .await;
}

async fn reconcile(thing: Arc<Thing>, context: Arc<Context>) -> Result<Action, Error> {
    let namespace = thing.namespace().unwrap_or_default();
    let api: Api<Thing> = Api::namespaced(context.client.clone(), &namespace);
    let done = finalizer(&api, FINALIZER, thing, |event| async {
        match event {
            Event::Apply(thing) => apply(&api, &thing, &context).await,
            Event::Cleanup(_) => Ok(Action::await_change()),
        }
    });
    done.await
        .map_err(|error| Error::Finalizer(Box::new(error)))
}

async fn apply(api: &Api<Thing>, thing: &Thing, context: &Context) -> Result<Action, Error> {
    let ready = thing
        .status
        .as_ref()
        .is_some_and(|status| !status.machine.conditions().is_empty());
    if !ready {
        context
            .provider
            .make(&thing.uid().unwrap_or_default())
            .await;
    }
    if !ready || !context.is_tuned {
        let patch = Patch::Merge(json!({ "status": status(thing) }));
        api.patch_status(&thing.name_any(), &PatchParams::default(), &patch)
            .await?;
    }
    Ok(Action::requeue(Duration::from_secs(600)))
}

/// The same content that opgen's runtime writes.
fn status(thing: &Thing) -> serde_json::Value {
    let generation = thing.metadata.generation;
    let condition = |kind: &str, status: &str| {
        json!({
            "type": kind, "status": status, "reason": "Ready", "message": "There.",
            "observedGeneration": generation, "lastTransitionTime": "2026-01-01T00:00:00Z",
        })
    };
    json!({
        "phase": "Ready",
        "phaseEnteredAt": "2026-01-01T00:00:00.000000Z",
        "observedGeneration": generation,
        "conditions": [condition("Ready", "True"), condition("Reconciling", "False"), condition("Stalled", "False")],
    })
}

fn error_policy(_: Arc<Thing>, _: &Error, context: Arc<Context>) -> Action {
    // The documentation's value; who tunes takes opgen's first backoff.
    let wait = if context.is_tuned { 1 } else { 60 };
    Action::requeue(Duration::from_secs(wait))
}
