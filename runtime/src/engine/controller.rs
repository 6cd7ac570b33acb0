//! The loop of one kind: it alone owns cache, queue and states, starts runs as tasks and takes in their reports.

mod news;
mod pace;
mod reports;
mod starting;

pub(super) use pace::LOOP_NOTE;

use std::{
    collections::{HashMap, VecDeque},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use futures::StreamExt;
use tokio::{
    sync::watch,
    task::{Id, JoinSet},
    time::{Instant, sleep},
};

use crate::mutant::{Mutant, mutated};
use crate::{
    engine::{
        board::{Board, Calm},
        bucket::Bucket,
        cache::Cache,
        envelope::{Arrived, Envelope},
        groups::Groups,
        key::{ByKey, Keys, ObjectKey},
        kind::Kind,
        owned_watch::TROUBLED,
        queue::Queue,
        reply::Reply,
        report::Report,
        state::ObjectState,
        survey::Survey,
        watch::Scope,
    },
    phase::PhaseMachine,
};

/// How often the loop turns at least.
const BEAT: Duration = Duration::from_secs(10);
/// How long the first runs wait for the caches of owned and watched kinds. Without one a run does not fail either: what
/// reads from it waits.
const DEPENDENCIES: Duration = Duration::from_secs(3);

/// So many objects of a list are decoded before the loop turns.
const AT_ONCE: usize = 32;
/// How long a run that was cut may take to end.
const CUT: Duration = Duration::from_secs(5);

/// What people are told when a clean-up takes too long.
pub(super) const CLEANUP_STALLED_NOTE: &str = "what it made outside is not proven gone after the clean-up deadline: see the conditions Reconciling, CleanupBlocked and Paused for why, and /debug/reconciles; the annotation opgen.dev/orphan-external: \"true\" lets go of it";

/// What people are told when too much is deleted at once.
const MASS_DELETION_NOTE: &str = "too many objects of this kind are being deleted at once, so its clean-up waits for its turn: delete less at a time, or let this one go with the annotation opgen.dev/allow-destroy: \"true\"";

/// What a task of the loop brings back.
enum Done<K> {
    /// A run ended.
    Report(Box<Report>),
    /// A run did not end within its budget.
    Overdue(ObjectKey),
    /// The gate did not open in time: the object, read past the cache.
    Refreshed {
        key: ObjectKey,
        live: Result<Option<Envelope<K>>, kube::Error>,
        /// The version in the cache when the server was asked.
        cached: u64,
    },
    /// Our finalizer did not come off an object that does not decode.
    NotLetGo {
        key: ObjectKey,
        why: String,
        /// When the server wants to be asked again, if it says so.
        after: Option<Duration>,
    },
}

/// The loop's state.
pub(crate) struct Controller<M: PhaseMachine> {
    kind: Arc<Kind<M>>,
    cache: Cache<M::Resource>,
    queue: Queue,
    /// Boxed: a map has room to spare, and a state is large.
    states: ByKey<Box<ObjectState>>,
    /// What a list has brought, and nobody has decoded yet.
    arrivals: VecDeque<Arrived<M::Resource>>,
    /// The answers that runs got, until the watch brings the same.
    replies: ByKey<Reply<M::Resource>>,
    tasks: JoinSet<Done<M::Resource>>,
    keys: HashMap<Id, ObjectKey>,
    runs: usize,
    hot: usize,
    cleanup_stalled: usize,
    undecodable: Keys,
    board: Board,
    began: Instant,
    may_start: bool,
    groups: Groups,
    retries: Bucket,
    live_reads: Bucket,
    destroys: Bucket,
    /// When the objects were last looked over for the metrics.
    surveyed_at: Option<Instant>,
    list_began: Option<Instant>,
    watch_failed_at: Option<Instant>,
    /// What was published last: most turns change little of it.
    published: Option<Published>,
}

/// The numbers that every turn may change.
#[derive(Clone, Copy)]
struct Published {
    ready: usize,
    runs: usize,
    cached: usize,
    calm: Calm,
}

impl<M: PhaseMachine> Controller<M> {
    pub(crate) fn new(kind: Arc<Kind<M>>, board: Board) -> Self {
        let limits = &kind.limits;
        Self {
            groups: Groups::new(limits.in_flight, limits.group_share),
            retries: Bucket::new(limits.retries),
            live_reads: Bucket::new(limits.live_reads),
            destroys: Bucket::new(limits.destroys),
            surveyed_at: None,
            list_began: None,
            watch_failed_at: None,
            published: None,
            kind,
            cache: Cache::new(),
            queue: Queue::default(),
            states: ByKey::default(),
            arrivals: VecDeque::new(),
            replies: ByKey::default(),
            tasks: JoinSet::new(),
            keys: HashMap::new(),
            runs: 0,
            hot: 0,
            cleanup_stalled: 0,
            undecodable: Keys::default(),
            board,
            began: Instant::now(),
            may_start: false,
        }
    }

    /// Runs until `stop` says so, then lets runs in flight end within the drain limit.
    pub(crate) async fn run(
        mut self,
        watch_client: kube::Client,
        scope: Scope,
        mut stop: watch::Receiver<bool>,
    ) {
        let mut news = pin!(super::watch::watch::<M::Resource>(&watch_client, &scope));
        let mut alarm = pin!(sleep(Duration::ZERO));
        loop {
            self.queue.promote(Instant::now());
            self.start_ready();
            self.trust_watch();
            self.publish();
            self.survey();
            // A loop with nothing to do must beat too.
            let beat = Instant::now() + if self.may_start { BEAT } else { DEPENDENCIES };
            let due = self
                .queue
                .next_timer()
                .map_or(beat, |timer| timer.min(beat));
            // One that rings too early does no harm, and moving it costs.
            if alarm.is_elapsed() || due < alarm.deadline() {
                alarm.as_mut().reset(due);
            }
            let bell = Arc::clone(&self.kind.children.bell);
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => break,
                Some(done) = self.tasks.join_next_with_id() => self.finish(done),
                Some(news) = news.next() => self.learn(news),
                () = bell.rung() => self.ring(),
                () = &mut alarm => {}
                // The server is busy with the next page meanwhile.
                () = std::future::ready(()), if !self.arrivals.is_empty() => self.decode(AT_ONCE),
            }
        }
        self.drain().await;
    }

    async fn drain(&mut self) {
        let mut limit = Instant::now() + self.kind.limits.drain;
        if mutated(Mutant::Drain) {
            limit = Instant::now();
        } else if mutated(Mutant::DrainBound) {
            limit += crate::secs(3600);
        }
        while !self.tasks.is_empty() {
            self.board.idle(false);
            let until = limit.min(Instant::now() + BEAT);
            match tokio::time::timeout_at(until, self.tasks.join_next()).await {
                Ok(_) => {}
                Err(_) if until < limit => {}
                Err(_) => {
                    tracing::warn!(kind = %self.kind.name, runs = self.tasks.len(), "drain limit reached: runs in flight are cut");
                    self.tasks.abort_all();
                    // One that blocks its thread cannot be cut, and must not hold up the others' end.
                    let cut = async { while self.tasks.join_next().await.is_some() {} };
                    if tokio::time::timeout(CUT, cut).await.is_err() {
                        tracing::error!(kind = %self.kind.name, runs = self.tasks.len(), "runs do not end although they were cut: a handler blocks its thread");
                    }
                    break;
                }
            }
        }
        // They may take hours: they start again, by their keys, in the next process.
        self.kind.jobs.stop().await;
    }

    fn publish(&mut self) {
        let ready = self.queue.ready() + self.groups.len();
        let idle = ready == 0 && self.runs == 0 && self.kind.jobs.are_idle();
        let now = Published {
            ready,
            runs: self.runs,
            cached: self.cache.len(),
            calm: self.board.idle(idle && self.cache.is_complete()),
        };
        let last = self.published.replace(now);
        let (name, metrics) = (&self.kind.name, &self.kind.metrics);
        if last.is_none_or(|last| last.ready != now.ready) {
            metrics.queue_depth(name, now.ready);
        }
        if last.is_none_or(|last| last.runs != now.runs) {
            metrics.active_workers(name, now.runs);
        }
        if last.is_none_or(|last| last.cached != now.cached) {
            metrics.cache_objects(name, now.cached);
        }
        if last.is_none_or(|last| last.calm != now.calm) {
            metrics.synced(name, now.calm.synced);
            metrics.converged(name, now.calm.converged);
            metrics.quiescent(name, now.calm.quiescent);
        }
    }

    /// A watch that was taken up again tells nothing until something happens.
    fn trust_watch(&mut self) {
        let is_over = self
            .watch_failed_at
            .is_some_and(|at| at.elapsed() >= TROUBLED);
        if is_over && self.cache.is_complete() {
            self.watch_failed_at = None;
            self.board.synced();
        }
    }

    /// What takes a look at every object is published now and then.
    fn survey(&mut self) {
        let now = Instant::now();
        if self.surveyed_at.is_some_and(|at| now - at < BEAT) {
            return;
        }
        self.surveyed_at = Some(now);
        let (name, metrics) = (&self.kind.name, &self.kind.metrics);
        let survey = Survey::of(self.states.values().map(|state| &**state), now);
        let time = self.kind.clock.now();
        for phase in M::ALL {
            let (count, age) = survey.phase(phase.name(), time);
            metrics.phase(name, phase.name(), count, age);
        }
        metrics.paused_objects(name, survey.paused);
        metrics.held_destroys(name, survey.held_destroys);
        metrics.unfinished_work(name, survey.unfinished);
        metrics.longest_running(name, survey.longest);
        metrics.cache_bytes(name, self.cache.bytes());
    }
}

/// Says what is wrong in words that name the mend.
pub(super) fn watch_trouble(kind: &str, error: &str, code: Option<u16>) -> String {
    match code {
        Some(404) => {
            format!("{kind}: the server does not serve it: install the CRD (`manifests` prints it)")
        }
        Some(403) => format!(
            "{kind}: the service account may not list or watch it: apply the role (`manifests` prints it)"
        ),
        _ => format!("{kind}: {error}"),
    }
}
