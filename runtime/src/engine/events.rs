//! Events for people, through one recorder. Told and forgotten: no run waits for an event to be written.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Resource,
    runtime::events::{Event, EventType, Recorder, Reporter},
};
use tokio::sync::mpsc;

/// So many events may wait; a flood drops the rest rather than memory.
const WAITING: usize = 256;

/// Where events are told.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    sender: mpsc::Sender<(ObjectReference, Event)>,
}

impl Events {
    /// The sender, and the task that writes what it is told.
    pub(crate) fn new(
        client: kube::Client,
        operator: &str,
    ) -> (Self, impl Future<Output = ()> + Send + use<>) {
        let (sender, mut receiver) = mpsc::channel::<(ObjectReference, Event)>(WAITING);
        let reporter = Reporter {
            controller: operator.to_owned(),
            instance: std::env::var("HOSTNAME").ok(),
        };
        // One for all: it is what folds repeated events into a series.
        let recorder = Recorder::new(client, reporter);
        let write = async move {
            while let Some((object, event)) = receiver.recv().await {
                if let Err(error) = recorder.publish(&event, &object).await {
                    tracing::debug!(%error, reason = event.reason, "an event was not written");
                }
            }
        };
        (Self { sender }, write)
    }

    /// Warns about an object. The note says what happened and how to mend it.
    pub(crate) fn warn<K: Resource<DynamicType = ()>>(
        &self,
        object: &K,
        reason: &'static str,
        note: impl Into<String>,
    ) {
        let event = Event {
            type_: EventType::Warning,
            reason: reason.to_owned(),
            note: Some(note.into()),
            action: "Reconcile".to_owned(),
            secondary: None,
        };
        // A full channel means a flood: the log and the metrics have it all.
        let _ = self.sender.try_send((object.object_ref(&()), event));
    }
}
