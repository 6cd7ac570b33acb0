//! Events for people, through one recorder. Told and forgotten: no run waits for an event to be written.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Resource,
    runtime::events::{Event, EventType, Recorder, Reporter},
};
use tokio::sync::mpsc;

use crate::{
    metrics::{EventResult, Metrics},
    reference::Reason,
};

/// So many events may wait; a flood drops the rest rather than memory.
const WAITING: usize = 256;

/// Where events are told.
#[derive(Clone)]
pub(crate) struct Events {
    sender: mpsc::Sender<Told>,
    metrics: Metrics,
}

struct Told {
    object: ObjectReference,
    event: Event,
    reason: Reason,
}

impl Events {
    /// The sender, and the task that writes what it is told.
    pub(crate) fn new(
        client: kube::Client,
        operator: &str,
        metrics: Metrics,
    ) -> (Self, impl Future<Output = ()> + Send + use<>) {
        let (sender, mut receiver) = mpsc::channel::<Told>(WAITING);
        let reporter = Reporter {
            controller: operator.to_owned(),
            instance: std::env::var("HOSTNAME").ok(),
        };
        // One for all: it is what folds repeated events into a series.
        let recorder = Recorder::new(client, reporter);
        let counts = metrics.clone();
        let write = async move {
            while let Some(told) = receiver.recv().await {
                let written = recorder.publish(&told.event, &told.object).await;
                if let Err(error) = &written {
                    tracing::debug!(%error, reason = %told.reason, "an event was not written");
                }
                let result = written.map_or(EventResult::Failed, |()| EventResult::Written);
                counts.event(told.reason.as_str(), result);
            }
        };
        (Self { sender, metrics }, write)
    }

    /// Warns about an object. The note says what happened and how to mend it.
    pub(crate) fn warn<K: Resource<DynamicType = ()>>(
        &self,
        object: &K,
        reason: Reason,
        note: impl Into<String>,
    ) {
        debug_assert!(reason.is_event(), "{reason} is listed as no event's reason");
        let event = Event {
            type_: EventType::Warning,
            reason: reason.as_str().to_owned(),
            note: Some(note.into()),
            action: "Reconcile".to_owned(),
            secondary: None,
        };
        let object = object.object_ref(&());
        // A full channel means a flood: the log and the metrics have it all.
        let told = Told {
            object,
            event,
            reason,
        };
        if self.sender.try_send(told).is_err() {
            self.metrics.event(reason.as_str(), EventResult::Dropped);
        }
    }
}
