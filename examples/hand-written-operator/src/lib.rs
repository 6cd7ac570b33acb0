//! An operator written by hand on kube's own `Controller`, which takes the pieces of opgen one by one.
//!
//! Nothing here is generated, and nothing is driven by opgen: the `Controller` calls [`reconcile`], and what opgen gives
//! is marked in [`run`] and there. That is how an operator that exists comes closer step by step, each step worth it by
//! itself:
//!
//! 1. the calls to the outside go behind `#[timeout_client]` ([`dns`]);
//! 2. the status is written by a `StatusPatcher`, and only if it means something else;
//! 3. the events pass `worth_a_run`, so that one's own status writes wake nobody;
//! 4. errors get a backoff of the object's own;
//! 5. the clients are opgen's, bounded and fenced, and a lease says who works;
//! 6. the probes answer from a thread of their own.
//!
//! What remains open is what only the driver closes: read-your-writes, crash-safe phases, clean-ups with proof.

pub mod dns;
pub mod record;

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use kube::{
    Api, ResourceExt,
    api::ListParams,
    runtime::{
        WatchStreamExt,
        controller::{Action, Config, Controller},
        reflector, watcher,
    },
};
use opgen_runtime::{
    LeaderElection, Placement,
    clients::Clients,
    clock::SharedClock,
    context::BoundedClient,
    external::{CallError, CallScope},
    lease::{Candidacy, Place},
    pieces::{Backoffs, Health, worth_a_run},
    status::StatusPatcher,
};

use crate::{
    dns::{BoundedDns, DnsHandle},
    record::{Record, RecordStatus},
};

/// The field manager.
const MANAGER: &str = "record-operator";
/// The longest that one reconcile may take: `Controller` has no such bound of its own.
const BUDGET: Duration = Duration::from_secs(20);
/// How often a record is looked at without an event.
const RESYNC: Duration = Duration::from_secs(600);
/// How often the loop says that it turns.
const BEAT: Duration = Duration::from_secs(5);

/// What went wrong with one record.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server.
    #[error("the API server did not answer well: {0}")]
    Kube(#[from] kube::Error),
    /// The provider.
    #[error("the provider: {0}")]
    Dns(#[from] CallError),
    /// It took too long.
    #[error("the reconcile took longer than {BUDGET:?}")]
    Budget,
}

/// What all reconciles share.
pub struct Context {
    clients: Clients,
    dns: BoundedDns,
    backoffs: Backoffs,
    clock: SharedClock,
    started_at: jiff::Timestamp,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}

impl Context {
    /// The provider for one reconcile: no call outlives it.
    fn dns(&self) -> DnsHandle {
        let deadline = tokio::time::Instant::now() + BUDGET;
        let scope = CallScope::new(deadline, Arc::clone(&self.clock), self.started_at)
            .with_metrics(self.clients.metrics().clone());
        self.dns.handle(scope)
    }
}

/// How to run.
#[derive(Debug)]
pub struct Settings {
    /// Where the lease lives.
    pub placement: Placement,
    /// This candidate.
    pub election: LeaderElection,
    /// The namespace of the lease.
    pub home: String,
}

/// Waits for the lease, then works until it is lost; returns why.
///
/// # Errors
/// If the lease cannot be asked for.
pub async fn run(
    clients: Clients,
    dns: BoundedDns,
    clock: SharedClock,
    health: Health,
    settings: Settings,
) -> Result<String, String> {
    let place = Place {
        namespace: settings.home,
        name: MANAGER.to_owned(),
    };
    let candidacy = Candidacy::start(
        settings.placement,
        settings.election,
        place,
        &clients,
        Arc::clone(&clock),
    )?;
    candidacy.led().await?;
    let context = Arc::new(Context {
        dns,
        backoffs: Backoffs::new(),
        started_at: clock.now(),
        clock,
        clients,
    });
    tokio::select! {
        // Dropped, the controller is cut: another process may work by now, and our clients write no more.
        why = candidacy.lost() => Ok(why),
        () = work(context, health) => Ok("the controller ended by itself".to_owned()),
    }
}

async fn work(context: Arc<Context>, health: Health) {
    // The watch client has no timeout on an open stream, and bounds on everything else.
    let api = Api::<Record>::all(context.clients.watch.clone());
    let (reader, writer) = reflector::store();
    let events = watcher(api, watcher::Config::default().timeout(200))
        .default_backoff()
        .reflect(writer)
        .applied_objects()
        .predicate_filter(worth_a_run, Default::default());
    let synced = reader.clone();
    let controller = Controller::for_stream(events, reader)
        .with_config(Config::default().concurrency(256))
        .run(bounded, error_policy, context)
        .for_each(|_| async {});
    let heart = async {
        loop {
            health.beat();
            tokio::time::sleep(BEAT).await;
        }
    };
    let ready = async {
        if synced.wait_until_ready().await.is_ok() {
            health.ready(true);
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = controller => {}
        () = heart => {}
        () = ready => {}
    }
    health.ready(false);
}

async fn bounded(record: Arc<Record>, context: Arc<Context>) -> Result<Action, Error> {
    let done = tokio::time::timeout(BUDGET, reconcile(&record, &context)).await;
    let action = done.unwrap_or(Err(Error::Budget))?;
    context.backoffs.succeeded(&record.metadata);
    Ok(action)
}

/// Brings one record to the provider, and says so in its status.
///
/// # Errors
/// If the provider or the API server does not answer well.
pub async fn reconcile(record: &Record, context: &Context) -> Result<Action, Error> {
    let address = context
        .dns()
        .set(&record.name_any(), &record.spec.address)
        .await?;
    let mut status: RecordStatus = record.status.clone().unwrap_or_default();
    status.address = Some(address);
    status.error = None;
    status.looked_at = Some(context.clock.now().to_string());
    patcher(record, context).json(record, &status).await?;
    Ok(Action::requeue(RESYNC))
}

fn patcher(record: &Record, context: &Context) -> StatusPatcher<Record> {
    let namespace = record.namespace().unwrap_or_default();
    let api = Api::namespaced(context.clients.call.clone(), &namespace);
    StatusPatcher::new(api, MANAGER)
}

fn error_policy(record: Arc<Record>, error: &Error, context: Arc<Context>) -> Action {
    let wait = context.backoffs.failed(&record.metadata);
    tracing::warn!(record = %record.name_any(), %error, ?wait, "reconcile failed");
    Action::requeue(wait)
}

/// How many records there are, past every cache: for a test, or a metric of one's own.
///
/// # Errors
/// If the API server does not answer well.
pub async fn count(clients: &Clients) -> Result<usize, kube::Error> {
    let api = Api::<Record>::all(clients.call.clone());
    Ok(api.list(&ListParams::default()).await?.items.len())
}
