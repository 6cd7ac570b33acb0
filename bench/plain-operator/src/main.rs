//! The database operator on plain kube: `Controller`, `finalizer`, a merge patch for the status. Written as the
//! documentation shows it; nothing of opgen is in it.

mod api;
mod metrics;
mod provider;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use clap::{Arg, Command, value_parser};
use futures::StreamExt;
use kube::{
    Api, Client, CustomResourceExt, ResourceExt,
    api::{Patch, PatchParams},
    runtime::{
        controller::{Action, Controller},
        finalizer::{Event, finalizer},
        watcher,
    },
};
use serde_json::json;

use crate::{
    api::{Database, DatabaseStatus},
    metrics::Metrics,
    provider::{HttpProvider, Instance},
};

const FINALIZER: &str = "db.example.com/cleanup";

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the provider failed: {0}")]
    Provider(#[from] reqwest::Error),
    #[error("the API server failed: {0}")]
    Kube(#[from] kube::Error),
    #[error("the finalizer failed: {0}")]
    Finalizer(#[source] Box<kube::runtime::finalizer::Error<Error>>),
}

struct Context {
    client: Client,
    provider: HttpProvider,
    metrics: Metrics,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let matches = Command::new("plain-operator")
        .arg(
            Arg::new("probe-addr")
                .long("probe-addr")
                .env("PROBE_ADDR")
                .default_value("0.0.0.0:8080")
                .value_parser(value_parser!(SocketAddr)),
        )
        .subcommand(Command::new("manifests"))
        .get_matches();
    if matches.subcommand_name() == Some("manifests") {
        print!("{}", serde_saphyr::to_string(&Database::crd())?);
        return Ok(());
    }
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .init();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::try_default().await?;
    let metrics = Metrics::default();
    let addr = *matches.get_one::<SocketAddr>("probe-addr").ok_or("no probe address")?;
    tokio::spawn(metrics::serve(addr, metrics.clone()));
    let context = Arc::new(Context {
        provider: HttpProvider::from_env()?,
        client: client.clone(),
        metrics,
    });
    Controller::new(Api::<Database>::all(client), watcher::Config::default())
        .shutdown_on_signal()
        .run(reconcile, error_policy, context)
        .for_each(|result| async move {
            if let Err(error) = result {
                tracing::warn!(%error, "reconcile failed");
            }
        })
        .await;
    Ok(())
}

async fn reconcile(object: Arc<Database>, context: Arc<Context>) -> Result<Action, Error> {
    context.metrics.reconciled();
    let namespace = object.namespace().unwrap_or_default();
    let api: Api<Database> = Api::namespaced(context.client.clone(), &namespace);
    finalizer(&api, FINALIZER, object, |event| async {
        match event {
            Event::Apply(object) => apply(&api, &object, &context).await,
            Event::Cleanup(object) => cleanup(&object, &context).await,
        }
    })
    .await
    .map_err(|error| Error::Finalizer(Box::new(error)))
}

async fn apply(api: &Api<Database>, object: &Database, context: &Context) -> Result<Action, Error> {
    let key = object.uid().unwrap_or_default();
    let found = match context.provider.observe(&key).await? {
        Some(found) if found.size == object.spec.size => found,
        _ => context.provider.put(&key, object.spec.size).await?,
    };
    let ready = matches!(found, Instance { ref state, .. } if state == "Running");
    let status = DatabaseStatus {
        phase: Some(if ready { "Ready" } else { "Provisioning" }.to_owned()),
        instance_id: Some(found.id),
    };
    let patch = Patch::Merge(json!({ "status": status }));
    api.patch_status(&object.name_any(), &PatchParams::default(), &patch).await?;
    Ok(Action::requeue(Duration::from_secs(if ready { 600 } else { 5 })))
}

async fn cleanup(object: &Database, context: &Context) -> Result<Action, Error> {
    context.provider.delete(&object.uid().unwrap_or_default()).await?;
    Ok(Action::await_change())
}

fn error_policy(_: Arc<Database>, _: &Error, context: Arc<Context>) -> Action {
    context.metrics.failed();
    Action::requeue(Duration::from_secs(5))
}
