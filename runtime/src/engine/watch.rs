//! The watch of one kind: kube's watcher, with a backoff of its own and a way out where that one has none.

use std::time::Duration;

use futures::{FutureExt, Stream, StreamExt, future::BoxFuture, stream::BoxStream};
use kube::{
    Api, Resource,
    runtime::watcher::{self, Event},
};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::engine::{
    backoff::Backoff,
    envelope::Arrived,
    pulse::{Pulse, server_version},
};
use crate::mutant::{Mutant, mutated};

/// Failures that are farther apart have nothing to do with each other; longer than the longest backoff and the wait for
/// an answer together.
const APART: Duration = Duration::from_secs(120);

/// What to watch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// One namespace, or all.
    pub(crate) namespace: Option<String>,
    /// Which labels.
    pub(crate) labels: Option<String>,
    /// Which fields.
    pub(crate) fields: Option<String>,
}

/// A watch's news.
pub(crate) enum News<K> {
    Event(Event<Arrived<K>>),
    /// It failed and will be tried again after the wait.
    Failed {
        error: String,
        kind: &'static str,
        code: Option<u16>,
        wait: Duration,
    },
}

/// The stream of one kind. It never ends: it backs off by itself, apart from every other watch.
pub(crate) fn watch<K>(
    client: &kube::Client,
    scope: &Scope,
) -> impl Stream<Item = News<K>> + Send + use<K>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Send + Sync + 'static,
{
    let pulse = Pulse::default();
    let state = State {
        client: pulse.listen(client),
        pulse,
        question: None,
        scope: scope.clone(),
        stream: None,
        failures: 0,
        failed_at: None,
        wait: None,
    };
    futures::stream::unfold(state, |mut state| async move {
        let news = state.next().await;
        Some((news, state))
    })
}

struct State<K> {
    client: kube::Client,
    pulse: Pulse,
    /// Whether the server went back behind the watch, while it is asked.
    question: Option<BoxFuture<'static, Option<String>>>,
    scope: Scope,
    stream: Option<BoxStream<'static, watcher::Result<Event<Arrived<K>>>>>,
    failures: u32,
    failed_at: Option<Instant>,
    wait: Option<Duration>,
}

impl<K> State<K>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Send + Sync + 'static,
{
    async fn next(&mut self) -> News<K> {
        if let Some(wait) = self.wait.take() {
            tokio::time::sleep(wait).await;
        }
        loop {
            let stream = match &mut self.stream {
                Some(stream) => stream,
                empty => empty.insert(open(&self.client, &self.scope)),
            };
            let event = tokio::select! {
                biased;
                event = stream.next() => event,
                answer = answered(&mut self.question) => {
                    self.question = None;
                    match answer {
                        Some(error) => return self.went_back(error),
                        None => continue,
                    }
                }
                version = self.pulse.falls_silent() => {
                    self.question = Some(ask::<K>(&self.client, &self.scope, version));
                    continue;
                }
            };
            match event {
                Some(Ok(event)) => {
                    // A list proves nothing: the watch behind it may be refused, and list and watch go on in turns.
                    if matches!(event, Event::Apply(_) | Event::Delete(_)) {
                        self.failures = 0;
                    }
                    return News::Event(event);
                }
                Some(Err(error)) => return self.failed(&error),
                None => self.begin_anew(),
            }
        }
    }

    /// With a list.
    fn begin_anew(&mut self) {
        self.stream = None;
        self.question = None;
        self.pulse.reset();
    }

    /// The server was restored from a backup: what happens there until it has passed the watch's version is not told.
    fn went_back(&mut self, error: String) -> News<K> {
        self.begin_anew();
        News::Failed {
            error,
            kind: "went_back",
            code: None,
            wait: Duration::ZERO,
        }
    }

    fn failed(&mut self, error: &watcher::Error) -> News<K> {
        let (kind, code) = describe(error);
        // kube tries an expired version again and again when the *start* of a watch answers 410: begin with a list.
        if code == Some(410) && !mutated(Mutant::ExpiredStart) {
            self.begin_anew();
        }
        let last = self.failed_at.replace(Instant::now());
        if last.is_some_and(|at| at.elapsed() > APART) {
            self.failures = 0;
        }
        self.failures += 1;
        let wait = Backoff::WATCH.delay(self.failures);
        self.wait = Some(wait);
        News::Failed {
            error: error.to_string(),
            kind,
            code,
            wait,
        }
    }
}

fn api<K>(client: &kube::Client, scope: &Scope) -> Api<Arrived<K>>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned,
{
    match &scope.namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &()),
        None => Api::all(client.clone()),
    }
}

/// Whether the server is at an older version than a watch that began at `version`, in words.
fn ask<K>(client: &kube::Client, scope: &Scope, version: u64) -> BoxFuture<'static, Option<String>>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Send + Sync + 'static,
{
    let api = api::<K>(client, scope);
    async move {
        let now = server_version(&api).await?;
        (now < version && !mutated(Mutant::WentBack)).then(|| {
            format!("the server is at version {now}, the watch at {version}: was it restored from a backup? everything is listed anew")
        })
    }
    .boxed()
}

/// The answer, if there is a question.
async fn answered(question: &mut Option<BoxFuture<'static, Option<String>>>) -> Option<String> {
    match question {
        Some(question) => question.await,
        None => std::future::pending().await,
    }
}

fn open<K>(
    client: &kube::Client,
    scope: &Scope,
) -> BoxStream<'static, watcher::Result<Event<Arrived<K>>>>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Send + Sync + 'static,
{
    let api = api(client, scope);
    // Some load balancers cut idle connections at 240 s. Many watches begin together; they should not end so.
    let mut config = watcher::Config {
        label_selector: scope.labels.clone(),
        field_selector: scope.fields.clone(),
        ..watcher::Config::default().timeout(fastrand::u32(160..=230))
    };
    if mutated(Mutant::PagedLists) {
        config.page_size = None;
    }
    watcher::watcher(api, config).boxed()
}

fn describe(error: &watcher::Error) -> (&'static str, Option<u16>) {
    let code = |error: &kube::Error| match error {
        kube::Error::Api(status) => Some(status.code),
        _ => None,
    };
    match error {
        watcher::Error::InitialListFailed(error) => ("list", code(error)),
        watcher::Error::WatchStartFailed(error) => ("watch_start", code(error)),
        watcher::Error::WatchError(status) => ("watch_event", Some(status.code)),
        watcher::Error::WatchFailed(error) => ("watch_stream", code(error)),
        watcher::Error::NoResourceVersion => ("no_resource_version", None),
    }
}
