//! Faults: what a test makes go wrong, addressed by verb, resource, name and occurrence.

mod armed;

use std::time::Duration;

use crate::request::RequestInfo;

pub use armed::FaultHandle;
pub(crate) use armed::{Armed, Faults};

/// What a fault does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    FailBefore(u16),
    Throttle(u32),
    FailAfter(u16),
    Hang,
    HangAfter,
    Delay(Duration),
    DropConnection,
    Watch(WatchAction),
    OldSnapshot(u64),
}

/// What a fault does to the stream of a watch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WatchAction {
    /// Events that match the name are lost.
    DropEvents,
    /// Events that match the name come twice.
    Duplicate,
    /// Every event comes this much later.
    Lag(Duration),
    /// The stream ends after so many events.
    CloseAfter(usize),
    /// The stream ends with 410 after so many events.
    ExpireAfter(usize),
}

/// A fault to be injected. Every part of the address that is not set matches anything.
///
/// ```
/// use opgen_apiserver::{Cluster, Fault};
/// let cluster = Cluster::new();
/// let handle = cluster.inject(
///     Fault::new().verb("patch").resource("databases").name("db").subresource("status").occurrence(2).fail_before_commit(409),
/// );
/// assert_eq!(handle.fired(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Fault {
    verb: Option<String>,
    group: Option<String>,
    resource: Option<String>,
    subresource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    user: Option<String>,
    first: usize,
    times: usize,
    action: Action,
}

impl Default for Fault {
    fn default() -> Self {
        Self::new()
    }
}

impl Fault {
    /// A fault that matches every request and fails it with 500 before it is handled.
    pub fn new() -> Self {
        Self {
            verb: None,
            group: None,
            resource: None,
            subresource: None,
            namespace: None,
            name: None,
            user: None,
            first: 1,
            times: usize::MAX,
            action: Action::FailBefore(500),
        }
    }

    /// Only requests with this verb (`get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`).
    #[must_use]
    pub fn verb(mut self, verb: &str) -> Self {
        self.verb = Some(verb.to_owned());
        self
    }

    /// Only requests to this API group; empty is the core group.
    #[must_use]
    pub fn group(mut self, group: &str) -> Self {
        self.group = Some(group.to_owned());
        self
    }

    /// Only requests for this resource (plural).
    #[must_use]
    pub fn resource(mut self, resource: &str) -> Self {
        self.resource = Some(resource.to_owned());
        self
    }

    /// Only requests for this subresource; empty means the object itself.
    #[must_use]
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.subresource = Some(subresource.to_owned());
        self
    }

    /// Only requests in this namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// Only requests for the object of this name; for the events of a watch, only events of it.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Only requests of this user.
    #[must_use]
    pub fn user(mut self, user: &str) -> Self {
        self.user = Some(user.to_owned());
        self
    }

    /// Only the n-th match, counted from 1 since the injection.
    #[must_use]
    pub fn occurrence(mut self, n: usize) -> Self {
        self.first = n.max(1);
        self.times = 1;
        self
    }

    /// At most so many matches, from the first (or from `occurrence`, if that was set before).
    #[must_use]
    pub fn times(mut self, n: usize) -> Self {
        self.times = n;
        self
    }

    fn action(mut self, action: Action) -> Self {
        self.action = action;
        self
    }

    /// Answers with this HTTP status; the store stays as it was.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let overloaded = Fault::new().verb("create").resource("configmaps").times(3).fail_before_commit(429);
    /// ```
    #[must_use]
    pub fn fail_before_commit(self, status: u16) -> Self {
        self.action(Action::FailBefore(status))
    }

    /// Answers 429 and asks, in the header and in the status, to be left alone for so many seconds; the store stays as it
    /// was.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let busy = Fault::new().verb("patch").subresource("status").times(1).throttle(30);
    /// ```
    #[must_use]
    pub fn throttle(self, seconds: u32) -> Self {
        self.action(Action::Throttle(seconds))
    }

    /// Handles the request, then answers with this HTTP status instead of the result.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let lost_answer = Fault::new().verb("create").name("db").occurrence(1).fail_after_commit(504);
    /// ```
    #[must_use]
    pub fn fail_after_commit(self, status: u16) -> Self {
        self.action(Action::FailAfter(status))
    }

    /// Never answers; the store stays as it was.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let hung = Fault::new().verb("get").resource("secrets").hang();
    /// ```
    #[must_use]
    pub fn hang(self) -> Self {
        self.action(Action::Hang)
    }

    /// Handles the request, then never answers.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let silent = Fault::new().verb("patch").subresource("status").hang_after_commit();
    /// ```
    #[must_use]
    pub fn hang_after_commit(self) -> Self {
        self.action(Action::HangAfter)
    }

    /// Waits (in virtual time, if that is paused) before it handles the request.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let slow = Fault::new().verb("list").delay(std::time::Duration::from_secs(30));
    /// ```
    #[must_use]
    pub fn delay(self, by: Duration) -> Self {
        self.action(Action::Delay(by))
    }

    /// Handles the request, then breaks the connection without an answer.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let broken = Fault::new().verb("delete").drop_connection_after_commit();
    /// ```
    #[must_use]
    pub fn drop_connection_after_commit(self) -> Self {
        self.action(Action::DropConnection)
    }

    /// Loses watch events; `name` and `occurrence` select events, not requests.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let missed = Fault::new().resource("pods").name("p").occurrence(1).drop_events();
    /// ```
    #[must_use]
    pub fn drop_events(self) -> Self {
        self.watch(WatchAction::DropEvents)
    }

    /// Sends watch events twice; `name` and `occurrence` select events, not requests.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let twice = Fault::new().resource("pods").duplicate_events();
    /// ```
    #[must_use]
    pub fn duplicate_events(self) -> Self {
        self.watch(WatchAction::Duplicate)
    }

    /// Delivers the events of a watch late, in order.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let lagging = Fault::new().resource("pods").lag_events(std::time::Duration::from_secs(5));
    /// ```
    #[must_use]
    pub fn lag_events(self, by: Duration) -> Self {
        self.watch(WatchAction::Lag(by))
    }

    /// Ends a watch after so many events, without an error.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let cut = Fault::new().resource("pods").occurrence(1).close_watch_after(2);
    /// ```
    #[must_use]
    pub fn close_watch_after(self, events: usize) -> Self {
        self.watch(WatchAction::CloseAfter(events))
    }

    /// Ends a watch with `410 Expired` in the stream after so many events.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let expired = Fault::new().resource("pods").occurrence(1).expire_watch_after(1);
    /// ```
    #[must_use]
    pub fn expire_watch_after(self, events: usize) -> Self {
        self.watch(WatchAction::ExpireAfter(events))
    }

    /// Serves lists as of an earlier revision (as a lagging cache does), as far as the history reaches.
    ///
    /// ```
    /// # use opgen_apiserver::Fault;
    /// let stale = Fault::new().verb("list").resource("pods").occurrence(1).old_snapshot(120);
    /// ```
    #[must_use]
    pub fn old_snapshot(self, revision: u64) -> Self {
        self.action(Action::OldSnapshot(revision))
    }

    fn watch(mut self, action: WatchAction) -> Self {
        self.verb.get_or_insert_with(|| "watch".to_owned());
        self.action(Action::Watch(action))
    }

    /// `name`: that of the object; none if names are not to be looked at.
    fn matches(&self, info: &RequestInfo, user: &str, name: Option<&String>) -> bool {
        let same =
            |wanted: &Option<String>, have: &str| wanted.as_deref().is_none_or(|w| w == have);
        same(&self.verb, &info.verb)
            && same(&self.group, &info.group)
            && same(&self.resource, &info.resource)
            && same(&self.subresource, &info.subresource)
            && same(&self.namespace, &info.namespace)
            && same(&self.user, user)
            && name.is_none_or(|name| same(&self.name, name))
    }

    /// Whether `name` and `occurrence` select events of a stream.
    fn per_event(&self) -> bool {
        matches!(
            self.action,
            Action::Watch(WatchAction::DropEvents | WatchAction::Duplicate)
        )
    }
}
