//! Background jobs: work that takes longer than a handler may, and cannot be cut into a start and polls.
//!
//! A job runs outside of the reconcile, in a bounded pool. The handler asks for it on every run and waits as it likes;
//! the object is woken when the job is done. What is known of jobs is kept in memory: after a crash the handler asks
//! again, and the job starts again with the same key, by which its work has to be idempotent.
//!
//! A job belongs to the phase whose handler asked for it last. It is cut when the object is in another phase after a
//! run, is being deleted, is gone, or when this process shuts down or is no longer the leader. A pause cuts nothing:
//! what is half done goes on to its end.

mod pool;
mod scope;
mod trigger;

use std::{fmt, time::Duration};

use crate::{
    cx::Cx,
    engine::{backoff::LONGEST, key::ObjectKey},
    error::{Error, ErrorClass, Result},
    external::CallScope,
    identity::Fnv,
    phase::{Phase, PhaseMachine},
};
use kube::Resource;
use tokio::time::Instant;

pub(crate) use pool::Jobs;
pub use scope::JobScope;
pub use trigger::Trigger;
pub(crate) use trigger::forward;

/// How long a job may take, unless it says otherwise.
const LIMIT: Duration = Duration::from_secs(3600);

/// Where a job stands.
#[derive(Clone, Debug)]
#[must_use = "what the job came to is only known from it"]
pub enum Job<T> {
    /// It was started just now.
    Started,
    /// It waits for its place in the pool, or runs, for so long.
    Running(Duration),
    /// It is done; the same answer as often as it is asked for in this phase.
    Done(T),
    /// It failed. Said once: asked for again, it starts again, each time after a longer pause.
    Failed(JobError),
}

/// Why a job failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError {
    class: ErrorClass,
    message: String,
}

impl JobError {
    pub(crate) fn new(error: &Error) -> Self {
        Self {
            class: error.class(),
            message: error.to_string(),
        }
    }

    /// Whether trying again can help.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        self.class
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// As a handler's error it has the class it had in the job.
// Not a `std` error: those convert into transient ones.
impl From<JobError> for Error {
    fn from(error: JobError) -> Self {
        Self::msg(error.message).with_class(error.class)
    }
}

impl<P: Phase> Cx<'_, P> {
    /// The job `purpose` of this object with these parameters, started if there is none. With other parameters it is
    /// another job, and the one before is cut. It may take an hour; see [`job_within`](Self::job_within).
    ///
    /// The future outlives the handler, so it takes clients from the [`JobScope`], not from `cx`: those end with the
    /// handler's time.
    ///
    /// ```ignore
    /// match cx.job("restore", &backup, |job| async move { restore(&job, backup_id).await }) {
    ///     Job::Started | Job::Running(_) => Ok(Step::wait("restoring", secs(60))),
    ///     Job::Done(size) => { cx.status_mut().size = size; Ok(Step::to(Ready)) }
    ///     Job::Failed(error) => Err(error.into()),
    /// }
    /// ```
    pub fn job<T, F, Fut>(
        &self,
        purpose: &'static str,
        params: impl fmt::Display,
        work: F,
    ) -> Job<T>
    where
        T: Clone + Send + 'static,
        F: FnOnce(JobScope<<P::Machine as PhaseMachine>::Context>) -> Fut,
        Fut: Future<Output = Result<T>> + Send + 'static,
    {
        self.job_within(purpose, params, LIMIT, work)
    }

    /// The same, cut after `limit`.
    pub fn job_within<T, F, Fut>(
        &self,
        purpose: &'static str,
        params: impl fmt::Display,
        limit: Duration,
        work: F,
    ) -> Job<T>
    where
        T: Clone + Send + 'static,
        F: FnOnce(JobScope<<P::Machine as PhaseMachine>::Context>) -> Fut,
        Fut: Future<Output = Result<T>> + Send + 'static,
    {
        let engine = self.engine();
        let key = self.idempotency_key(&named(purpose, &params.to_string()));
        let ask = pool::Ask {
            object: ObjectKey::of(self.object.meta()),
            purpose,
            key: key.to_string(),
            phase: P::PHASE.name(),
            limit,
        };
        engine.jobs.ask(ask, || {
            let scope = CallScope::new(
                // The pool cuts the job, and its calls with it; while it waits for its place its time does not run.
                Instant::now() + LONGEST,
                engine.clock.clone(),
                engine.started_at,
            )
            .with_metrics(engine.metrics.clone())
            .with_fence(engine.fence.clone());
            work(JobScope::new(engine.context.clone(), key, scope))
        })
    }
}

/// The purpose of a job with parameters: short, whatever they are.
fn named(purpose: &str, params: &str) -> String {
    if params.is_empty() {
        return purpose.to_owned();
    }
    let mut hash = Fnv::default();
    hash.write(params.as_bytes());
    format!("{purpose}-{:08x}", hash.0 >> 32)
}
