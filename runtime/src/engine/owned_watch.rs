//! The watch of an owned or watched kind: apart from the primary's, with a backoff, a board and a metric of its own.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Resource, runtime::watcher::Event};

use crate::{
    children::{ChildResource, is_namespaced},
    engine::{
        board::Board,
        controller::watch_trouble,
        envelope::Envelope,
        events::Events,
        key::ObjectKey,
        owned_bell::Bell,
        watch::{News, Scope, watch},
    },
    metrics::Metrics,
    reference::reasons,
};

/// How long a watch counts as failing after its last failure; longer than its longest backoff and the wait for an answer
/// together, or one that hangs would count as well in between.
pub(crate) const TROUBLED: Duration = Duration::from_secs(75);

/// Where a watch's news go.
pub(crate) trait Sink<T>: Send + Sync + 'static {
    /// An object as it is now.
    fn seen(&self, object: Arc<T>);
    /// An object is gone.
    fn gone(&self, meta: &ObjectMeta);
    /// An object is there and does not decode. True if that is news.
    fn broken(&self, meta: &ObjectMeta, error: &str) -> bool;
    /// How many there are of those.
    fn broken_count(&self) -> usize;
    /// A list begins.
    fn list_begins(&self);
    /// One object of it.
    fn listed(&self, object: Arc<T>);
    /// It has ended: what it lacks is gone.
    fn list_ends(&self);
    /// The watch failed.
    fn failed(&self);
    /// How many objects there are.
    fn len(&self) -> usize;
    /// Whether a first list has ended.
    fn is_complete(&self) -> bool;
}

/// What a watch is followed with.
#[derive(Clone)]
pub(crate) struct Follow {
    pub(crate) client: kube::Client,
    pub(crate) scope: Scope,
    pub(crate) board: Board,
    pub(crate) metrics: Metrics,
    pub(crate) events: Events,
    /// `Owner/Child`, for the board and the metrics.
    pub(crate) name: Arc<str>,
    pub(crate) bell: Arc<Bell>,
}

/// Follows the watch for ever.
pub(crate) async fn follow<T: ChildResource, S: Sink<T>>(sink: Arc<S>, mut with: Follow) {
    with.scope.namespace.take_if(|_| !is_namespaced::<T>());
    let mut news = std::pin::pin!(watch::<T>(&with.client, &with.scope));
    let mut broken = 0;
    loop {
        tokio::select! {
            Some(news) = news.next() => learn(&*sink, news, &with),
            // A watch that was taken up again tells nothing until something happens.
            () = tokio::time::sleep(TROUBLED) => {
                if sink.is_complete() {
                    with.board.synced();
                }
            }
        }
        with.metrics.cache_objects(&with.name, sink.len());
        if broken != sink.broken_count() {
            broken = sink.broken_count();
            with.metrics.undecodable_objects(&with.name, broken);
        }
    }
}

fn learn<T: ChildResource>(sink: &impl Sink<T>, news: News<T>, with: &Follow) {
    match news {
        News::Event(Event::Apply(arrived)) => {
            let envelope = arrived.open();
            if let Some(object) = decoded(&envelope, sink, with) {
                sink.seen(object);
            }
        }
        News::Event(Event::Delete(arrived)) => sink.gone(arrived.open().meta()),
        News::Event(Event::Init) => sink.list_begins(),
        News::Event(Event::InitApply(arrived)) => {
            let envelope = arrived.open();
            if let Some(object) = decoded(&envelope, sink, with) {
                sink.listed(object);
            }
        }
        News::Event(Event::InitDone) => {
            sink.list_ends();
            with.board.synced();
            // Such a board has no queue: it is at rest as soon as it is complete.
            with.board.notes().idle = true;
            with.bell.turn();
        }
        News::Failed {
            error,
            kind,
            code,
            wait,
        } => {
            sink.failed();
            with.metrics.listwatch_failed(&with.name, kind);
            with.board
                .watch_failed(watch_trouble(&with.name, &error, code));
            with.bell.turn();
            tracing::warn!(kind = %with.name, %error, ?wait, "the watch failed");
        }
    }
}

/// The typed object, if it decodes. People are told once of one that does not.
fn decoded<T: ChildResource>(
    envelope: &Envelope<T>,
    sink: &impl Sink<T>,
    with: &Follow,
) -> Option<Arc<T>> {
    match envelope.object() {
        Ok(object) => Some(Arc::clone(object)),
        Err(error) => {
            if sink.broken(envelope.meta(), error) {
                let key = ObjectKey::of(envelope.meta());
                tracing::error!(kind = %with.name, object = %key, error, "the object does not decode and is left alone");
                let note =
                    format!("it does not decode and is left alone: {error}: mend that field");
                with.events.warn(envelope, reasons::UNDECODABLE, note);
            }
            None
        }
    }
}
