//! The write hook: stops a client exactly before or after the n-th write, for crash exploration.

use std::sync::Arc;

/// A write that is about to be, or has been, committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteInfo {
    /// Number of this write since the cluster was built, from 1. Before the commit it is the number it would get.
    pub sequence: u64,
    /// Verb of the request.
    pub verb: String,
    /// API group, empty for the core group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Resource in the plural.
    pub resource: String,
    /// Subresource, empty if none.
    pub subresource: String,
    /// Namespace, empty if none.
    pub namespace: String,
    /// Object name.
    pub name: String,
    /// User of the request.
    pub user: String,
    /// Field manager of the request.
    pub field_manager: String,
}

/// When the hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The write is computed and would change the store; nothing is committed.
    Before,
    /// The write is committed; the client has no answer.
    After,
}

/// What becomes of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteVerdict {
    /// It goes on.
    Proceed,
    /// It never gets an answer; at [`Stage::Before`] it is not committed.
    Hang,
    /// It is answered with this HTTP status; at [`Stage::Before`] it is not committed, at [`Stage::After`] it is.
    Fail(u16),
}

/// The hook. It is called without any lock held, so it may use the cluster.
pub type WriteHook = Arc<dyn Fn(&WriteInfo, Stage) -> WriteVerdict + Send + Sync>;
