//! Watch streams.

mod line;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use futures::stream;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::cluster::Shared;
use crate::document::Document;
use crate::fault::Armed;
use crate::object;
use crate::render::{Form, Include};
use crate::resource::Resource;
use crate::selector::Selector;
use crate::store::{Change, Event};

/// A watch without a timeout of its own ends after this; the real server takes 30 to 60 minutes.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(45 * 60);
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);
/// The last bookmark comes so long before the end.
const BOOKMARK_BEFORE_END: Duration = Duration::from_secs(2);

/// So often a watch looks whether a version of the future has come.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// What a watch request asks for.
#[derive(Debug)]
pub(crate) struct WatchPlan {
    pub(crate) resource: Arc<Resource>,
    pub(crate) namespace: String,
    pub(crate) selector: Selector,
    /// Revision to go on from; 0: from now.
    pub(crate) from: u64,
    /// Whether the objects that exist come first, as ADDED.
    pub(crate) snapshot: bool,
    /// Whether a bookmark marks the end of these.
    pub(crate) initial_end: bool,
    pub(crate) bookmarks: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) form: Form,
    pub(crate) include: Include,
    pub(crate) faults: Vec<Arc<Armed>>,
}

/// What is to be sent.
#[derive(Clone)]
enum Line {
    Ready(Bytes),
    /// An object that a webhook has yet to convert.
    Foreign(&'static str, Document),
}

struct Watcher {
    shared: Arc<Shared>,
    plan: WatchPlan,
    /// Everything up to here was looked at.
    cursor: u64,
    incarnation: u64,
    /// How often watches were cut before this one began.
    cuts: u64,
    changed: Arc<Notify>,
    queue: VecDeque<(Option<Instant>, Line)>,
    ends: Instant,
    next_bookmark: Option<Instant>,
    columns_sent: bool,
    events_sent: usize,
    ended: bool,
}

/// Opens a watch: the stream of its lines. It begins at what the store holds now.
pub(crate) fn open(
    shared: &Arc<Shared>,
    plan: WatchPlan,
) -> impl Stream<Item = Bytes> + Send + use<> {
    let now = Instant::now();
    let ends = now + plan.timeout.unwrap_or(DEFAULT_TIMEOUT);
    let next_bookmark = plan.bookmarks.then(|| {
        let before_end = ends.checked_sub(BOOKMARK_BEFORE_END).unwrap_or(now);
        (now + BOOKMARK_EVERY).min(before_end.max(now))
    });
    let mut watcher = Watcher {
        shared: shared.clone(),
        cursor: plan.from,
        plan,
        incarnation: 0,
        cuts: 0,
        changed: Arc::new(Notify::new()),
        queue: VecDeque::new(),
        ends,
        next_bookmark,
        columns_sent: false,
        events_sent: 0,
        ended: false,
    };
    watcher.start();
    stream::unfold(watcher, |mut watcher| async move {
        let line = match watcher.next().await? {
            Line::Ready(line) => line,
            Line::Foreign(kind, object) => watcher.converted(kind, &object).await,
        };
        Some((line, watcher))
    })
}

impl Watcher {
    fn start(&mut self) {
        let shared = self.shared.clone();
        let state = shared.store.lock();
        let current = state.revision;
        self.cuts = state.cuts;
        let Some(table) = state.table(&self.plan.resource.table) else {
            self.ended = true;
            return;
        };
        self.incarnation = table.incarnation;
        self.changed = table.changed.clone();
        let mut initial = Vec::new();
        if self.plan.snapshot {
            initial.extend(
                table
                    .scan(&self.plan.namespace)
                    .filter(|(_, stored)| self.plan.selector.matches(&stored.object.value()))
                    .map(|(_, stored)| stored.object.clone()),
            );
        } else if self.plan.from != 0 && self.plan.from < table.floor.max(table.started) {
            let floor = table.floor.max(table.started);
            drop(state);
            self.expire(floor);
            return;
        }
        // A version of the future is waited for in silence.
        self.cursor = if self.plan.snapshot || self.plan.from == 0 {
            current
        } else {
            self.plan.from
        };
        drop(state);
        for object in initial {
            self.push("ADDED", &object);
        }
        self.end_initial();
    }

    /// Marks the end of the initial events, once the store has reached the version that was asked for.
    fn end_initial(&mut self) {
        if self.plan.initial_end && self.cursor >= self.plan.from {
            self.plan.initial_end = false;
            if self.plan.bookmarks {
                self.bookmark(true);
            }
        }
    }

    async fn next(&mut self) -> Option<Line> {
        loop {
            if let Some((None, _)) = self.queue.front() {
                return self.queue.pop_front().map(|(_, line)| line);
            }
            let changed = self.changed.clone();
            let notified = changed.notified();
            tokio::pin!(notified);
            // Registered before the look at the store, so that no change is missed in between.
            notified.as_mut().enable();
            if !self.ended {
                self.collect();
            }
            let now = Instant::now();
            let mut wake = self.next_bookmark.map_or(self.ends, |at| at.min(self.ends));
            if self.plan.initial_end && !self.ended {
                // The version that it waits for may come from another resource.
                wake = wake.min(now + LOOK_AGAIN);
            }
            match self.queue.front() {
                None if self.ended => return None,
                None => {}
                // A fault makes this line come later; what happens meanwhile is collected behind it.
                Some((Some(due), _)) if *due > now => wake = wake.min(*due),
                Some(_) => return self.queue.pop_front().map(|(_, line)| line),
            }
            tokio::select! {
                biased;
                () = &mut notified => {}
                () = tokio::time::sleep_until(wake) => self.on_time(),
            }
            if Instant::now() >= self.ends {
                self.queue.clear();
            }
        }
    }

    fn on_time(&mut self) {
        let now = Instant::now();
        if self.next_bookmark.is_some_and(|at| at <= now) {
            // Nor is there a bookmark below the version that was asked for.
            if self.cursor <= self.shared.store.lock().revision {
                self.bookmark(false);
            }
            let last = self.ends.checked_sub(BOOKMARK_BEFORE_END).unwrap_or(now);
            self.next_bookmark = (now < last).then(|| (now + BOOKMARK_EVERY).min(last));
        }
        if now >= self.ends {
            self.ended = true;
        }
    }

    /// Takes over what happened since the last look.
    fn collect(&mut self) {
        let shared = self.shared.clone();
        let state = shared.store.lock();
        let current = state.revision;
        if state.cuts != self.cuts {
            self.queue.clear();
            self.ended = true;
            return;
        }
        let Some(table) = state
            .table(&self.plan.resource.table)
            .filter(|t| t.incarnation == self.incarnation)
        else {
            let last = state.last_of(&self.plan.resource.table, self.incarnation);
            drop(state);
            for event in last {
                if event.revision > self.cursor {
                    self.deliver(&event);
                }
            }
            self.ended = true;
            return;
        };
        if self.cursor < table.dropped {
            // The watcher was too slow for the history.
            let floor = table.floor;
            drop(state);
            self.expire(floor);
            return;
        }
        let events: Vec<Arc<Event>> = table.since(self.cursor).cloned().collect();
        drop(state);
        self.cursor = self.cursor.max(current);
        for event in events {
            self.deliver(&event);
            if self.ended {
                return;
            }
        }
        self.end_initial();
    }

    fn deliver(&mut self, event: &Event) {
        let namespace = &self.plan.namespace;
        if !namespace.is_empty()
            && !event
                .key
                .strip_prefix(namespace.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        {
            return;
        }
        let (kind, object) = if self.plan.selector.is_empty() {
            (event.change.name(), event.object.clone())
        } else {
            let selector = &self.plan.selector;
            let before = event
                .previous
                .as_ref()
                .is_some_and(|old| selector.matches(&old.object.value()));
            let after = event.change != Change::Deleted && selector.matches(&event.object.value());
            match (before, after) {
                (false, false) => return,
                (false, true) => ("ADDED", event.object.clone()),
                (true, true) => ("MODIFIED", event.object.clone()),
                (true, false) => ("DELETED", last_seen(event)),
            }
        };
        self.push(kind, &object);
    }
}

/// For an object that left the selection: its old content, at the new version.
fn last_seen(event: &Event) -> Document {
    let Some(previous) = &event.previous else {
        return event.object.clone();
    };
    let mut object = previous.object.to_value();
    object::meta_mut(&mut object)
        .insert("resourceVersion".into(), event.revision.to_string().into());
    object.into()
}
