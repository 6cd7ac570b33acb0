//! The lines of a watch: events, bookmarks, and the error that ends one.

use bytes::Bytes;
use serde_json::json;
use tokio::time::Instant;

use super::{Line, Watcher};
use crate::document::Document;
use crate::error::ApiError;
use crate::fault::{Action, WatchAction};
use crate::render::{Form, partial};
use crate::table;

impl Watcher {
    pub(super) fn push(&mut self, kind: &'static str, object: &Document) {
        let (mut copies, mut due) = (1, None);
        let (mut closes, mut expires) = (false, false);
        for fault in &self.plan.faults {
            let Action::Watch(action) = fault.action() else {
                continue;
            };
            match action {
                WatchAction::DropEvents if fault.takes_event(object) => copies = 0,
                WatchAction::Duplicate if fault.takes_event(object) => copies = 2,
                WatchAction::Lag(by) => due = Some(Instant::now() + *by),
                WatchAction::CloseAfter(n) => closes |= self.events_sent + 1 >= *n,
                WatchAction::ExpireAfter(n) => expires |= self.events_sent + 1 >= *n,
                _ => {}
            }
        }
        let resource = &self.plan.resource;
        let line = if resource.webhook && !object.is_of_version(&resource.api_version) {
            Line::Foreign(kind, object.clone())
        } else {
            let shown = resource.present(object);
            Line::Ready(self.line(kind, &shown))
        };
        for _ in 0..copies {
            self.queue.push_back((due, line.clone()));
        }
        self.events_sent += 1;
        if expires {
            self.expire(self.cursor);
        }
        self.ended |= closes;
    }

    pub(super) fn line(&mut self, kind: &str, document: &Document) -> Bytes {
        match self.plan.form {
            Form::Object => document.line(kind),
            Form::Metadata => Document::from(partial(&document.value())).line(kind),
            Form::Table => {
                let resource = &self.plan.resource;
                let object = document.value();
                let rows = vec![table::row(
                    resource,
                    &object,
                    self.plan.include,
                    self.shared.clock.now(),
                )];
                let metadata = json!({ "resourceVersion": object["metadata"]["resourceVersion"] });
                let table = table::table(resource, metadata, rows, !self.columns_sent);
                self.columns_sent = true;
                Document::from(table).line(kind)
            }
        }
    }

    pub(super) fn bookmark(&mut self, initial_end: bool) {
        let mut metadata = json!({ "resourceVersion": self.cursor.to_string() });
        if initial_end {
            metadata["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        let resource = &self.plan.resource;
        let object = json!({ "apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata });
        let line = self.line("BOOKMARK", &object.into());
        self.queue.push_back((None, Line::Ready(line)));
    }

    /// The line of an object that is stored in another version. A conversion that fails ends the stream.
    pub(super) async fn converted(&mut self, kind: &str, object: &Document) -> Bytes {
        let (shared, resource) = (self.shared.clone(), self.plan.resource.clone());
        match shared.present_later(&resource, object).await {
            Ok(shown) => self.line(kind, &shown),
            Err(error) => {
                self.ended = true;
                self.queue.clear();
                self.line("ERROR", &error.to_value().into())
            }
        }
    }

    /// Ends the stream with 410 in it.
    pub(super) fn expire(&mut self, current: u64) {
        let error = ApiError::expired(format!(
            "too old resource version: {} ({current})",
            self.plan.from
        ));
        let mut line = json!({ "type": "ERROR", "object": error.to_value() })
            .to_string()
            .into_bytes();
        line.push(b'\n');
        self.queue.push_back((None, Line::Ready(line.into())));
        self.ended = true;
    }
}
