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
        key::ObjectKey,
        owned_bell::Bell,
        watch::{News, Scope, watch},
    },
    metrics::Metrics,
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
    /// `Owner/Child`, for the board and the metrics.
    pub(crate) name: Arc<str>,
    pub(crate) bell: Arc<Bell>,
}

/// Follows the watch for ever.
pub(crate) async fn follow<T: ChildResource, S: Sink<T>>(sink: Arc<S>, mut with: Follow) {
    with.scope.namespace.take_if(|_| !is_namespaced::<T>());
    let mut news = std::pin::pin!(watch::<T>(&with.client, &with.scope));
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
    }
}

fn learn<T: ChildResource>(sink: &impl Sink<T>, news: News<T>, with: &Follow) {
    match news {
        News::Event(Event::Apply(envelope)) => {
            if let Some(object) = decoded(&envelope) {
                sink.seen(object);
            }
        }
        News::Event(Event::Delete(envelope)) => sink.gone(envelope.meta()),
        News::Event(Event::Init) => sink.list_begins(),
        News::Event(Event::InitApply(envelope)) => {
            if let Some(object) = decoded(&envelope) {
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

/// The typed object, if it decodes.
fn decoded<T: ChildResource>(envelope: &Envelope<T>) -> Option<Arc<T>> {
    match envelope.object() {
        Ok(object) => Some(Arc::clone(object)),
        Err(error) => {
            let key = ObjectKey::of(envelope.meta());
            tracing::error!(kind = %T::kind(&()), object = %key, error, "the object does not decode and is left alone");
            None
        }
    }
}
