//! What the link between operator and server sees: requests by kind, and when each object became Ready.

use std::{
    sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};

use http::Method;
use tokio::sync::Notify;

use crate::world::index_of;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A patch of a thing: finalizer or identity.
    Main,
    /// A patch of its status.
    Status,
    /// Another write, of whatever.
    Write,
    /// A watch.
    Watch,
    /// Any other read.
    Read,
}

impl Asked {
    /// What it is, by method, path and query.
    #[must_use]
    pub fn of(method: &Method, path: &str, query: &str) -> Self {
        match *method {
            Method::PATCH if index_of(path).is_some() => {
                if path.ends_with("/status") {
                    Self::Status
                } else {
                    Self::Main
                }
            }
            Method::GET if query.contains("watch=") => Self::Watch,
            Method::GET | Method::HEAD => Self::Read,
            // A question, though it is posted.
            _ if path.starts_with("/apis/authorization.k8s.io/") => Self::Read,
            _ => Self::Write,
        }
    }

    /// Whether it changes something.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Self::Main | Self::Status | Self::Write)
    }
}

/// Requests, by what they ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Requests {
    /// Patches of the object itself.
    pub main: u64,
    /// Patches of its status.
    pub status: u64,
    /// Any other write.
    pub other_writes: u64,
    /// Watches opened.
    pub watches: u64,
    /// Lists and single reads.
    pub reads: u64,
}

impl Requests {
    /// All that change something.
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.main + self.status + self.other_writes
    }

    /// All.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.writes() + self.watches + self.reads
    }
}

/// Shared by the link and the case. Everything in it costs the same however many objects there are.
#[derive(Debug)]
pub struct Probe {
    started: Instant,
    /// Microseconds from the start until the object was Ready; 0 = not yet.
    ready_at: Vec<AtomicU64>,
    ready: AtomicUsize,
    wanted: usize,
    done: Notify,
    counts: [AtomicU64; 5],
}

impl Probe {
    /// For `objects` objects, of which `wanted` are expected to become Ready.
    #[must_use]
    pub fn new(objects: usize, wanted: usize) -> Self {
        Self {
            started: Instant::now(),
            ready_at: (0..objects).map(|_| AtomicU64::new(0)).collect(),
            ready: AtomicUsize::new(0),
            wanted,
            done: Notify::new(),
            counts: Default::default(),
        }
    }

    /// A request went through.
    pub fn asked(&self, what: Asked) {
        self.counts[what as usize].fetch_add(1, Relaxed);
    }

    /// The server took a status in which this object is Ready.
    pub fn is_ready(&self, index: usize) {
        let now = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let Some(at) = self.ready_at.get(index) else {
            return;
        };
        let first = at.compare_exchange(0, now.max(1), Relaxed, Relaxed).is_ok();
        if first && self.ready.fetch_add(1, Relaxed) + 1 == self.wanted {
            self.done.notify_one();
        }
    }

    /// How many objects are Ready.
    #[must_use]
    pub fn ready(&self) -> usize {
        self.ready.load(Relaxed)
    }

    /// Waits until as many as expected are Ready; gives up once none became so for as long as `patience`.
    pub async fn all_ready(&self, patience: Duration) -> bool {
        let mut before = 0;
        loop {
            if tokio::time::timeout(patience, self.done.notified())
                .await
                .is_ok()
            {
                return true;
            }
            let now = self.ready();
            if now == before {
                return false;
            }
            before = now;
        }
    }

    /// From the start until each object was Ready that is, shortest first.
    #[must_use]
    pub fn times(&self) -> Vec<Duration> {
        let known = self.ready_at.iter().map(|at| at.load(Relaxed));
        let mut times: Vec<_> = known
            .filter(|at| *at > 0)
            .map(Duration::from_micros)
            .collect();
        times.sort_unstable();
        times
    }

    /// The requests so far.
    #[must_use]
    pub fn requests(&self) -> Requests {
        let count = |what: Asked| self.counts[what as usize].load(Relaxed);
        Requests {
            main: count(Asked::Main),
            status: count(Asked::Status),
            other_writes: count(Asked::Write),
            watches: count(Asked::Watch),
            reads: count(Asked::Read),
        }
    }
}
