//! Probes, metrics and what the operator is doing, over HTTP.
//!
//! | path | what |
//! |---|---|
//! | `/livez` | 200 while the scheduler beats, else 503 with the reasons |
//! | `/readyz` | 200 once caches are synced and CRDs served, else 503 with the reasons |
//! | `/metrics` | OpenMetrics text |
//! | `/debug/reconciles` | every object in flight, waiting or backing off; JSON, or a page for a browser |
//! | `/debug/graph` | the phase machines; JSON, or a page for a browser |
//!
//! [`serve`] answers from a thread of its own, which a blocked reconcile cannot stop.

mod page;
mod respond;
mod server;

use jiff::Timestamp;
use serde::Serialize;

pub use respond::{ENDPOINTS, respond};
pub use server::{ProbeServer, serve, serve_inline};

/// What is served. Its methods are called on the probes' thread: they must not wait for anything that a blocked
/// reconcile could hold.
pub trait ProbeSource: Send + Sync + 'static {
    /// Whether the scheduler still beats.
    ///
    /// # Errors
    /// Why not, a sentence each.
    fn live(&self) -> Result<(), Vec<String>>;

    /// Whether the operator can do its work.
    ///
    /// # Errors
    /// What is missing, a sentence each: the cache that is not synced, the CRD that is not served.
    fn ready(&self) -> Result<(), Vec<String>>;

    /// The metrics as [`crate::metrics::CONTENT_TYPE`].
    fn metrics(&self) -> String;

    /// Every object that runs, waits or backs off, in any order.
    fn reconciles(&self) -> Vec<ReconcileView>;

    /// The machines, one per kind.
    fn graphs(&self) -> Vec<GraphView>;

    /// The time, by the operator's clock.
    fn now(&self) -> Timestamp;
}

/// Where an object stands with the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ReconcileState {
    /// A handler runs.
    Running,
    /// Due, but no worker is free, or its group has its share.
    Queued,
    /// Due, but the cache has not seen our own last write yet.
    Gated,
    /// A business wait.
    Waiting,
    /// Failed, to be tried again.
    BackingOff,
    /// Slowed down by the hot-loop breaker.
    Hot,
    /// Paused by annotation.
    Paused,
    /// Nothing to do until an event or the resync.
    Settled,
}

impl ReconcileState {
    /// The word shown to people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Queued => "queued",
            Self::Gated => "gated",
            Self::Waiting => "waiting",
            Self::BackingOff => "backing off",
            Self::Hot => "hot",
            Self::Paused => "paused",
            Self::Settled => "settled",
        }
    }
}

/// One object, as the scheduler sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReconcileView {
    /// Its kind.
    pub kind: String,
    /// Its namespace, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// Its phase as it was last seen.
    pub phase: String,
    /// Where it stands.
    pub state: ReconcileState,
    /// Since when it stands there.
    pub since: Timestamp,
    /// Why, in words: the reason of a wait, the error of a backoff.
    pub why: String,
    /// When it is due next, if a timer runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Timestamp>,
}

/// One machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphView {
    /// The kind it drives.
    pub kind: String,
    /// Its graph as Mermaid text.
    pub mermaid: String,
    /// The same as a drawing, where there is one. Put into the page as it is: made from the program, never from objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub svg: Option<String>,
}
