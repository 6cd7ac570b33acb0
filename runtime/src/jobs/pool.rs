//! The jobs of one kind.

use std::{
    any::Any,
    collections::HashMap,
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::FutureExt;
use tokio::{sync::Semaphore, task::JoinHandle, time::Instant};

use super::{Job, JobError};
use crate::{
    clients::Fence,
    engine::{backoff::Backoff, key::ObjectKey, owned_bell::Bell},
    error::{Error, Result},
    metrics::Metrics,
};

/// How long a shutdown waits for what was cut to be gone.
const CUT: Duration = Duration::from_secs(1);

/// Which job is asked for.
pub(super) struct Ask {
    pub(super) object: ObjectKey,
    pub(super) purpose: &'static str,
    pub(super) key: String,
    pub(super) phase: &'static str,
    pub(super) limit: Duration,
}

/// The pool, and what every job came to.
pub(crate) struct Jobs {
    kind: Arc<str>,
    entries: Mutex<HashMap<ObjectKey, Vec<Entry>>>,
    places: Arc<Semaphore>,
    under_way: Arc<AtomicUsize>,
    bell: Arc<Bell>,
    fence: Fence,
    metrics: Metrics,
}

struct Entry {
    purpose: &'static str,
    key: String,
    phase: &'static str,
    since: Instant,
    failures: u32,
    state: State,
    task: JoinHandle<()>,
}

enum State {
    Running,
    Done(Box<dyn Any + Send>),
    Failed(JobError),
    /// The handler knows.
    Told,
}

/// Counts a task for as long as it exists, however it ends.
struct UnderWay(Arc<AtomicUsize>);

impl UnderWay {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        for entry in self.entries().values().flatten() {
            entry.task.abort();
        }
    }
}

impl Jobs {
    /// A pool of so many places; ended jobs ring `bell`.
    pub(crate) fn new(
        kind: Arc<str>,
        places: usize,
        bell: Arc<Bell>,
        fence: Fence,
        metrics: Metrics,
    ) -> Arc<Self> {
        Arc::new(Self {
            kind,
            entries: Mutex::default(),
            places: Arc::new(Semaphore::new(places.max(1))),
            under_way: Arc::default(),
            bell,
            fence,
            metrics,
        })
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<ObjectKey, Vec<Entry>>> {
        // Nothing panics while it holds the lock.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the job stands; `start` makes its future if there is none.
    pub(super) fn ask<T, Fut>(self: &Arc<Self>, ask: Ask, start: impl FnOnce() -> Fut) -> Job<T>
    where
        T: Clone + Send + 'static,
        Fut: Future<Output = Result<T>> + Send + 'static,
    {
        let object = ask.object.clone();
        let failures = match self.known(&ask) {
            Ok(answer) => return answer,
            Err(failures) => failures,
        };
        // Not under the lock: it is the author's code. One run per object at a time asks, so nobody comes between.
        let work = start();
        let mut entries = self.entries();
        let entry = Entry {
            purpose: ask.purpose,
            key: ask.key.clone(),
            phase: ask.phase,
            since: Instant::now(),
            failures,
            state: State::Running,
            task: tokio::spawn(run(self, ask, failures, work)),
        };
        entries.entry(object).or_default().push(entry);
        Job::Started
    }

    /// What is known of the job, or how often it failed so far if it has to start.
    fn known<T: Clone + 'static>(&self, ask: &Ask) -> Result<Job<T>, u32> {
        let mut entries = self.entries();
        let Some(all) = entries.get_mut(&ask.object) else {
            return Err(0);
        };
        let Some(index) = all.iter().position(|one| one.purpose == ask.purpose) else {
            return Err(0);
        };
        if let Some(answer) = answer(&mut all[index], ask) {
            return Ok(answer);
        }
        let old = all.swap_remove(index);
        old.task.abort();
        Err(if old.key == ask.key { old.failures } else { 0 })
    }

    fn ended<T: Send + 'static>(&self, ask: &Ask, outcome: Result<T, (Error, &'static str)>) {
        let result = outcome.as_ref().map_or_else(|(_, why)| *why, |_| "done");
        self.metrics.job_ended(&self.kind, ask.purpose, result);
        let mut entries = self.entries();
        let entry = entries
            .get_mut(&ask.object)
            .and_then(|all| all.iter_mut().find(|one| one.key == ask.key));
        // Nobody waits for one that was cut.
        let Some(entry) = entry else { return };
        match outcome {
            Ok(value) => {
                entry.failures = 0;
                entry.state = State::Done(Box::new(value));
            }
            Err((error, _)) => {
                entry.failures += 1;
                tracing::warn!(kind = %self.kind, object = %ask.object, job = ask.purpose, %error, failures = entry.failures, "the job failed");
                entry.state = State::Failed(JobError::new(&error));
            }
        }
        drop(entries);
        self.bell.run(&ask.object);
    }

    /// Cuts what the handler of `phase` did not ask for.
    pub(crate) fn keep_only(&self, object: &ObjectKey, phase: &str) {
        let mut entries = self.entries();
        let Some(all) = entries.get_mut(object) else {
            return;
        };
        all.retain(|entry| {
            let keeps = entry.phase == phase;
            if !keeps {
                entry.task.abort();
            }
            keeps
        });
        if all.is_empty() {
            entries.remove(object);
        }
    }

    /// Cuts all of an object's: it is gone.
    pub(crate) fn forget(&self, object: &ObjectKey) {
        for entry in self.entries().remove(object).into_iter().flatten() {
            entry.task.abort();
        }
    }

    /// Whether any job of any object is under way.
    pub(crate) fn are_idle(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) == 0
    }

    /// Cuts all, and waits until they are gone.
    pub(crate) async fn stop(&self) {
        let all = std::mem::take(&mut *self.entries());
        let tasks: Vec<_> = all
            .into_values()
            .flatten()
            .map(|entry| {
                entry.task.abort();
                entry.task
            })
            .collect();
        // Code that blocks cannot be cut; the process ends over it.
        let _ = tokio::time::timeout(CUT, futures::future::join_all(tasks)).await;
    }
}

/// What is known of the job; `None` if it has to start.
fn answer<T: Clone + 'static>(entry: &mut Entry, ask: &Ask) -> Option<Job<T>> {
    if entry.key != ask.key {
        return None;
    }
    entry.phase = ask.phase;
    match std::mem::replace(&mut entry.state, State::Told) {
        State::Running => {
            entry.state = State::Running;
            // One whose task is gone without a word would be waited for for ever.
            (!entry.task.is_finished()).then(|| Job::Running(entry.since.elapsed()))
        }
        State::Done(value) => {
            let copy = value.downcast_ref::<T>().cloned();
            entry.state = State::Done(value);
            copy.map(Job::Done)
        }
        State::Failed(error) => Some(Job::Failed(error)),
        State::Told => None,
    }
}

/// The task of one job.
fn run<T, Fut>(
    jobs: &Arc<Jobs>,
    ask: Ask,
    failures: u32,
    work: Fut,
) -> impl Future<Output = ()> + Send + use<T, Fut>
where
    T: Clone + Send + 'static,
    Fut: Future<Output = Result<T>> + Send + 'static,
{
    let under_way = UnderWay::new(&jobs.under_way);
    let (places, fence, jobs) = (
        Arc::clone(&jobs.places),
        jobs.fence.clone(),
        Arc::downgrade(jobs),
    );
    async move {
        let _under_way = under_way;
        let work = async {
            if failures > 0 {
                tokio::time::sleep(Backoff::OBJECT.delay(failures)).await;
            }
            let _place = places.acquire_owned().await;
            let work = AssertUnwindSafe(work).catch_unwind();
            match tokio::time::timeout(ask.limit, work).await {
                Ok(Ok(Ok(value))) => Ok(value),
                Ok(Ok(Err(error))) => Err((error, "failed")),
                Ok(Err(panic)) => Err((Error::panic(&*panic), "panic")),
                Err(_) => Err((
                    Error::msg(format!(
                        "the job {:?} did not end within {:?}",
                        ask.purpose, ask.limit
                    )),
                    "timeout",
                )),
            }
        };
        tokio::select! {
            biased;
            () = fence.closed() => {}
            outcome = work => tell(&jobs, &ask, outcome),
        }
    }
}

fn tell<T: Send + 'static>(
    jobs: &Weak<Jobs>,
    ask: &Ask,
    outcome: Result<T, (Error, &'static str)>,
) {
    if let Some(jobs) = jobs.upgrade() {
        jobs.ended(ask, outcome);
    }
}
