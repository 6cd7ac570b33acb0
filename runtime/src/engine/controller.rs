//! The loop of one kind: it alone owns cache, queue and states, starts runs as tasks and takes in their reports.

use std::{
    collections::{HashMap, HashSet},
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures::StreamExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Resource, runtime::watcher::Event};
use tokio::{
    sync::watch,
    task::{AbortHandle, Id, JoinError, JoinSet},
    time::Instant,
};

use crate::{
    engine::{
        annotations,
        api::{Part, Patched},
        backoff::{Backoff, LONGEST, jittered, spread},
        board::{Board, Calm},
        bucket::Bucket,
        cache::Cache,
        driver::{Driver, Input},
        envelope::Envelope,
        groups::{Group, Groups},
        key::ObjectKey,
        kind::Kind,
        owned_bell::Change,
        owned_watch::TROUBLED,
        predicate::trigger,
        queue::{Lane, Queue},
        report::{Next, Report},
        stall::Timed,
        state::{HOT_DELAY, ObjectState},
        survey::Survey,
        watch::{News, Scope},
    },
    error::ErrorClass,
    metrics::ReconcileResult,
    phase::PhaseMachine,
};

/// How often the loop turns at least.
const BEAT: Duration = Duration::from_secs(10);
/// How long the first runs wait for the caches of owned and watched kinds. Without one a run does not fail either: what
/// reads from it waits.
const DEPENDENCIES: Duration = Duration::from_secs(3);

/// What people are told when a clean-up takes too long.
pub(super) const CLEANUP_STALLED_NOTE: &str = "what it made outside is not proven gone after the clean-up deadline: see the condition Reconciling for why; the annotation opgen.dev/orphan-external: \"true\" lets go of it";

/// What people are told when too much is deleted at once.
const MASS_DELETION_NOTE: &str = "too many objects of this kind are being deleted at once, so its clean-up waits for its turn: delete less at a time, or let this one go with the annotation opgen.dev/allow-destroy: \"true\"";

/// What a task of the loop brings back.
enum Done<K> {
    /// A run ended.
    Report(Box<Report>),
    /// A run did not end within its budget.
    Overdue(ObjectKey),
    /// The gate did not open in time: the object, read past the cache.
    Refreshed(ObjectKey, Result<Option<Envelope<K>>, kube::Error>),
}

/// The loop's state.
pub(crate) struct Controller<M: PhaseMachine> {
    kind: Arc<Kind<M>>,
    cache: Cache<M::Resource>,
    queue: Queue,
    states: HashMap<ObjectKey, ObjectState>,
    tasks: JoinSet<Done<M::Resource>>,
    keys: HashMap<Id, ObjectKey>,
    runs: usize,
    hot: usize,
    cleanup_stalled: usize,
    undecodable: HashSet<ObjectKey>,
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
#[derive(Clone, Copy, PartialEq)]
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
            states: HashMap::new(),
            tasks: JoinSet::new(),
            keys: HashMap::new(),
            runs: 0,
            hot: 0,
            cleanup_stalled: 0,
            undecodable: HashSet::new(),
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
        loop {
            self.queue.promote(Instant::now());
            self.start_ready();
            self.trust_watch();
            self.publish();
            self.survey();
            let timer = self.queue.next_timer();
            let bell = Arc::clone(&self.kind.children.bell);
            let beat = if self.may_start { BEAT } else { DEPENDENCIES };
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => break,
                Some(done) = self.tasks.join_next_with_id() => self.finish(done),
                Some(news) = news.next() => self.learn(news),
                () = bell.rung() => self.ring(),
                () = sleep_until(timer) => {}
                // A loop with nothing to do must beat too.
                () = tokio::time::sleep(beat) => {}
            }
        }
        self.drain().await;
    }

    async fn drain(&mut self) {
        let limit = Instant::now() + self.kind.limits.drain;
        while !self.tasks.is_empty() {
            self.board.idle(false);
            let until = limit.min(Instant::now() + BEAT);
            match tokio::time::timeout_at(until, self.tasks.join_next()).await {
                Ok(_) => {}
                Err(_) if until < limit => {}
                Err(_) => {
                    tracing::warn!(kind = %self.kind.name, runs = self.tasks.len(), "drain limit reached: runs in flight are cut");
                    self.tasks.shutdown().await;
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
        if self.published == Some(now) {
            return;
        }
        self.published = Some(now);
        let (name, metrics) = (&self.kind.name, &self.kind.metrics);
        metrics.queue_depth(name, now.ready);
        metrics.active_workers(name, now.runs);
        metrics.cache_objects(name, now.cached);
        metrics.synced(name, now.calm.synced);
        metrics.converged(name, now.calm.converged);
        metrics.quiescent(name, now.calm.quiescent);
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
        let survey = Survey::of(self.states.values(), now);
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

    // ---- what the watch tells ----

    fn learn(&mut self, news: News<M::Resource>) {
        match news {
            News::Event(Event::Apply(envelope)) => self.seen(envelope),
            News::Event(Event::Delete(envelope)) => {
                self.deleted(&ObjectKey::of(envelope.meta()), &envelope)
            }
            News::Event(Event::Init) => {
                self.list_began = Some(Instant::now());
                self.cache.list_begins();
            }
            News::Event(Event::InitApply(envelope)) => {
                self.cache.listed(ObjectKey::of(envelope.meta()), envelope);
            }
            News::Event(Event::InitDone) => self.listed(),
            News::Failed {
                error,
                kind,
                code,
                wait,
            } => {
                self.kind.metrics.listwatch_failed(&self.kind.name, kind);
                self.watch_failed_at = Some(Instant::now());
                self.board
                    .watch_failed(watch_trouble(&self.kind.name, &error, code));
                tracing::warn!(kind = %self.kind.name, %error, ?wait, "the watch failed");
            }
        }
    }

    fn listed(&mut self) {
        let (listed, lost) = self.cache.list_ends();
        if let Some(began) = self.list_began.take() {
            let metrics = &self.kind.metrics;
            metrics.list_synced(&self.kind.name, began.elapsed());
        }
        self.board.synced();
        for key in lost {
            self.forget(&key);
        }
        for key in listed {
            self.consider(&key, Lane::Backlog);
        }
    }

    fn seen(&mut self, envelope: Envelope<M::Resource>) {
        let key = ObjectKey::of(envelope.meta());
        if self.cache.apply(key.clone(), envelope) {
            self.board.synced();
            self.consider(&key, Lane::Fresh);
        }
    }

    fn deleted(&mut self, key: &ObjectKey, last: &Envelope<M::Resource>) {
        // A namesake may be here already: only the one that went is forgotten.
        let gone = self
            .cache
            .get(key)
            .is_none_or(|known| known.meta().uid == last.meta().uid);
        if gone {
            self.cache.remove(key);
            self.forget(key);
        }
    }

    fn forget(&mut self, key: &ObjectKey) {
        if self.undecodable.remove(key) {
            self.kind
                .metrics
                .undecodable_objects(&self.kind.name, self.undecodable.len());
        }
        self.queue.remove(key);
        self.groups.remove(key);
        self.board.remove(key);
        self.kind.index.forget(key);
        self.kind.jobs.forget(key);
        // A run in flight keeps its state until it reports.
        if self.states.get(key).is_some_and(|state| !state.running) {
            self.drop_state(key);
        }
    }

    fn drop_state(&mut self, key: &ObjectKey) {
        if let Some(state) = self.states.remove(key) {
            self.uncount(&state);
        }
    }

    /// An object that is gone does not stand in the gauges any more.
    fn uncount(&mut self, state: &ObjectState) {
        if state.cleanup_overdue {
            self.cleanup_stalled = self.cleanup_stalled.saturating_sub(1);
            self.kind
                .metrics
                .cleanup_stalled(&self.kind.name, self.cleanup_stalled);
        }
        if state.heat.hot {
            self.hot = self.hot.saturating_sub(1);
            self.kind.metrics.hot_objects(&self.kind.name, self.hot);
        }
    }

    /// Makes the object ready if the last run did not see what the cache now shows.
    fn consider(&mut self, key: &ObjectKey, lane: Lane) {
        let Some(envelope) = self.cache.get(key) else {
            return;
        };
        let meta = envelope.meta();
        if let Err(error) = envelope.object() {
            // Its timers mean nothing until it decodes again: then it runs, though nothing else may have changed.
            if let Some(state) = self.states.get_mut(key) {
                state.parked = true;
            }
            if self.undecodable.insert(key.clone()) {
                tracing::error!(kind = %self.kind.name, object = %key, %error, "the object does not decode and is left alone");
                let note =
                    format!("it does not decode and is left alone: {error}: mend that field");
                self.kind.events.warn(envelope, "Undecodable", note);
                self.kind
                    .metrics
                    .undecodable_objects(&self.kind.name, self.undecodable.len());
            }
            self.let_go_if_told(key, lane);
            return;
        }
        if self.undecodable.remove(key) {
            self.kind
                .metrics
                .undecodable_objects(&self.kind.name, self.undecodable.len());
        }
        let uid = meta.uid.as_deref().unwrap_or_default();
        if let Ok(object) = envelope.object() {
            self.kind.index.put(key, object);
        }
        let children = self.kind.children.sum(key, uid);
        let trigger = trigger(meta, &self.kind.watched).wrapping_add(children);
        let version = envelope.version();
        let state = self
            .states
            .entry(key.clone())
            .or_insert_with(|| ObjectState::new(uid));
        if state.running {
            return; // Compared again when the run reports.
        }
        if state.uid != uid {
            let old = std::mem::replace(state, ObjectState::new(uid));
            self.kind.jobs.forget(key);
            self.uncount(&old);
        }
        let Some(state) = self.states.get_mut(key) else {
            return;
        };
        if state.released || !state.gate_opens(version) {
            return;
        }
        if state.handled != Some(trigger) || std::mem::take(&mut state.parked) {
            state.parked = false;
            self.push(key, lane);
        }
    }

    /// What does not decode can still be let go of: that takes nothing but its metadata, and an admin who says so.
    fn let_go_if_told(&mut self, key: &ObjectKey, lane: Lane) {
        let Some(meta) = self.cache.get(key).map(Envelope::meta) else {
            return;
        };
        if !self.may_let_go(meta) {
            return;
        }
        let uid = meta.uid.as_deref().unwrap_or_default();
        let state = self.states.entry(key.clone());
        let state = state.or_insert_with(|| ObjectState::new(uid));
        if !state.running {
            self.push(key, lane);
        }
    }

    fn may_let_go(&self, meta: &ObjectMeta) -> bool {
        meta.deletion_timestamp.is_some()
            && Kind::<M>::finalizer_phase().is_some()
            && self.kind.finalizer.is_held(meta)
            && annotations::releases_external(meta)
            && !annotations::is_paused(meta)
    }

    /// Wakes who depends on what changed.
    fn ring(&mut self) {
        for (key, wake) in self.kind.children.bell.take() {
            let Some(state) = self.states.get_mut(&key) else {
                continue;
            };
            state.parked |= wake.run;
            let is_backing_off = state.failures > 0;
            if let Some(at) = wake.at {
                self.queue.push_at(&key, at);
            }
            match wake.look {
                _ if wake.run => self.consider(&key, Lane::Fresh),
                // A status is no reason to cut a backoff; what its writers decide shortens it.
                Some(Change::Status) if is_backing_off => {}
                // Nor is a list that was read anew: after an outage all would come back at once.
                Some(_) if is_backing_off && !self.has_news(&key) => {}
                Some(_) if is_backing_off => {
                    let soon = Instant::now() + Backoff::OBJECT.base;
                    self.queue.push_at(&key, soon);
                }
                Some(_) => self.consider(&key, Lane::Fresh),
                None => {}
            }
        }
    }

    /// Whether the caches show anything that the last run did not see.
    fn has_news(&self, key: &ObjectKey) -> bool {
        let (Some(envelope), Some(state)) = (self.cache.get(key), self.states.get(key)) else {
            return false;
        };
        let meta = envelope.meta();
        let uid = meta.uid.as_deref().unwrap_or_default();
        let children = self.kind.children.sum(key, uid);
        state.handled != Some(trigger(meta, &self.kind.watched).wrapping_add(children))
    }

    /// Whether runs may start: the caches they read are there, or have had their time.
    fn dependencies_are_settled(&mut self) -> bool {
        if !self.may_start {
            let patience = self.began.elapsed() >= DEPENDENCIES;
            self.may_start = patience || self.kind.children.are_settled();
        }
        self.may_start
    }

    fn push(&mut self, key: &ObjectKey, lane: Lane) {
        if self.queue.push(key, lane, Instant::now()) {
            self.kind.metrics.queue_added(&self.kind.name);
            self.board.waiting(key);
        }
    }

    // ---- starting ----

    fn start_ready(&mut self) {
        if !self.dependencies_are_settled() {
            return;
        }
        while self.runs < self.kind.limits.in_flight {
            let Some((key, since)) = self.groups.next().or_else(|| self.queue.pop()) else {
                break;
            };
            let group = self.group_of(&key);
            if let Some(group) = &group {
                if self.groups.holds(&key) {
                    continue; // It stands in its group's line already.
                }
                if !self.groups.has_room(group) {
                    self.groups.hold(key, Arc::clone(group), since);
                    continue;
                }
                let label = self.groups.label(group);
                let metrics = &self.kind.metrics;
                metrics.group_waited(&self.kind.name, label, since.elapsed());
            }
            self.kind
                .metrics
                .queue_waited(&self.kind.name, since.elapsed());
            self.start(key, group);
        }
    }

    fn group_of(&self, key: &ObjectKey) -> Option<Group> {
        let group_by = self.kind.group_by.as_ref()?;
        let object = self.cache.get(key)?.object().ok()?;
        Some((group_by.0)(object).into())
    }

    /// Whether the object's clean-up has to wait because too many begin at once.
    fn is_braked(&mut self, key: &ObjectKey, now: Instant) -> bool {
        let (Some(envelope), Some(state)) = (self.cache.get(key), self.states.get_mut(key)) else {
            return false;
        };
        let meta = envelope.meta();
        let destroys = meta.deletion_timestamp.is_some()
            && Kind::<M>::finalizer_phase().is_some()
            && self.kind.finalizer.is_held(meta)
            && !annotations::is_paused(meta)
            && !annotations::releases_external(meta)
            && !annotations::may_destroy(meta);
        if !destroys {
            return false;
        }
        let is_new = state.destroy_at.is_none();
        let destroys = &mut self.destroys;
        let at = *state
            .destroy_at
            .get_or_insert_with(|| now + destroys.reserve(now));
        if at <= now {
            return false;
        }
        if is_new {
            tracing::warn!(kind = %self.kind.name, object = %key, wait = ?(at - now), "mass deletion: the clean-up waits");
            self.warn(key, "MassDeletion", MASS_DELETION_NOTE);
        }
        self.board
            .polling(key, "held by the brake on mass deletions", at);
        self.queue.push_at(key, at);
        true
    }

    fn start(&mut self, key: ObjectKey, group: Option<Group>) {
        let Some(envelope) = self.cache.get(&key) else {
            return;
        };
        let Some(state) = self.states.get_mut(&key) else {
            return;
        };
        if state.running {
            // A timer that ran out meanwhile: looked at when the run reports.
            state.parked = true;
            return;
        }
        if state.uid != envelope.meta().uid.as_deref().unwrap_or_default() {
            // What is remembered is a former object's, whose last run ended without a report.
            self.kind.jobs.forget(&key);
            self.drop_state(&key);
            self.consider(&key, Lane::Fresh);
            return;
        }
        if state.released {
            return;
        }
        let now = Instant::now();
        if !state.gate_opens(envelope.version()) {
            state.parked = true;
            state.gated_since.get_or_insert(now);
            self.board.gated(&key);
            match state.gate {
                Some((_, until)) if until > now => self.queue.push_at(&key, until),
                _ => match self.live_reads.take(now) {
                    Ok(()) => self.refresh(key),
                    Err(wait) => self.queue.push_at(&key, now + wait),
                },
            }
            return;
        }
        if envelope.object().is_err() {
            self.let_go(key);
            return;
        }
        if self.is_braked(&key, now) {
            return;
        }
        let (Some(envelope), Some(state)) = (self.cache.get(&key), self.states.get_mut(&key))
        else {
            return;
        };
        let is_terminating = envelope.meta().deletion_timestamp.is_some();
        let input = Input {
            key: key.clone(),
            envelope: envelope.clone(),
            gone: state.gone.clone(),
            observed_in: state.observed_in,
            written: Arc::default(),
        };
        state.written = Arc::clone(&input.written);
        let Some(driver) = Driver::new(Arc::clone(&self.kind), input) else {
            return;
        };
        let phase = driver
            .fields()
            .phase
            .as_deref()
            .map_or(Some(M::default()), M::from_name)
            .map_or("", M::name);
        // A run that is cut does not report: what came after its start is news all the same.
        state.handled = Some(driver.seen());
        state.running = true;
        state.running_since = Some(now);
        if let Some(since) = state.gated_since.take() {
            let metrics = &self.kind.metrics;
            metrics.gate_waited(&self.kind.name, now - since);
        }
        if let Some(finalizer) = Kind::<M>::finalizer_phase()
            && is_terminating
        {
            // Nothing may go on making what the clean-up takes away.
            self.kind.jobs.keep_only(&key, finalizer.name());
        }
        self.runs += 1;
        if let Some(group) = group {
            self.groups.started(key.clone(), group);
        }
        self.board.running(&key);
        self.board.in_phase(&key, phase);
        let limit = M::BUDGET + self.kind.limits.write_grace;
        let overdue = key.clone();
        let run = self.timed(&key, driver.run());
        let handle = self.tasks.spawn(async move {
            match tokio::time::timeout(limit, run).await {
                Ok(report) => Done::Report(Box::new(report)),
                Err(_) => Done::Overdue(overdue),
            }
        });
        self.track(&handle, key);
    }

    /// The run, and a complaint whenever it blocks its thread.
    fn timed(
        &self,
        key: &ObjectKey,
        run: impl Future<Output = Report> + Send + 'static,
    ) -> Timed<Report> {
        let (kind, metrics) = (Arc::clone(&self.kind.name), self.kind.metrics.clone());
        let key = key.clone();
        Timed::new(run, move |took| {
            metrics.poll_blocked(&kind);
            tracing::error!(%kind, object = %key, ?took, "the handler blocked its thread: put blocking code into cx.blocking");
        })
    }

    fn track(&mut self, handle: &AbortHandle, key: ObjectKey) {
        self.keys.insert(handle.id(), key);
    }

    /// Reads past the cache: it did not show our last write in time.
    fn refresh(&mut self, key: ObjectKey) {
        let Some(state) = self.states.get_mut(&key) else {
            return;
        };
        state.running = true;
        self.runs += 1;
        let (kind, target) = (Arc::clone(&self.kind), key.clone());
        let handle = self.tasks.spawn(async move {
            let live = kind.api.get(&target).await;
            Done::Refreshed(target, live)
        });
        self.track(&handle, key);
    }

    /// Takes our finalizer off an object that does not decode.
    fn let_go(&mut self, key: ObjectKey) {
        let Some(meta) = self.cache.get(&key).map(Envelope::meta) else {
            return;
        };
        if !self.may_let_go(meta) {
            return;
        }
        let (Some(patch), Some(state)) =
            (self.kind.finalizer.release(meta), self.states.get_mut(&key))
        else {
            return;
        };
        tracing::warn!(kind = %self.kind.name, object = %key, "it does not decode, and is let go of as its annotation says");
        state.running = true;
        self.runs += 1;
        let (kind, target) = (Arc::clone(&self.kind), key.clone());
        let handle = self.tasks.spawn(async move {
            let left = match kind.api.patch(&target, Part::Main, &patch).await {
                Patched::Done(envelope) => Ok(Some(envelope)),
                Patched::Gone => Ok(None),
                Patched::TestFailed => kind.api.get(&target).await,
                Patched::Refused(why) => Err(kube::Error::Service(why.into())),
                Patched::Failed(error) => Err(error),
            };
            Done::Refreshed(target, left)
        });
        self.track(&handle, key);
    }

    // ---- reports ----

    fn finish(&mut self, done: Result<(Id, Done<M::Resource>), JoinError>) {
        self.runs -= 1;
        let id = match &done {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let Some(key) = self.keys.remove(&id) else {
            return;
        };
        self.groups.ended(&key);
        match done {
            Ok((_, Done::Report(report))) => self.reported(*report),
            Ok((_, Done::Overdue(key))) => {
                let metrics = &self.kind.metrics;
                metrics.reconcile_failed(&self.kind.name, "timeout");
                self.broken(&key, "the run did not end within its budget and was cut");
            }
            Ok((_, Done::Refreshed(key, live))) => self.refreshed(&key, live),
            Err(error) => {
                self.kind.metrics.reconcile_panicked(&self.kind.name);
                self.kind.metrics.reconcile_failed(&self.kind.name, "panic");
                self.broken(&key, &format!("the run panicked: {error}"));
            }
        }
    }

    fn refreshed(
        &mut self,
        key: &ObjectKey,
        live: Result<Option<Envelope<M::Resource>>, kube::Error>,
    ) {
        let Some(state) = self.states.get_mut(key) else {
            return;
        };
        state.running = false;
        state.running_since = None;
        match live {
            Ok(Some(envelope)) => {
                state.gate = None;
                state.parked = true;
                match self.cache.get(key).map(|known| known.version()) {
                    // Deleted meanwhile: the reply is history.
                    None => return self.forget(key),
                    // Changed meanwhile, or a namesake.
                    Some(known) if known > envelope.version() => {}
                    Some(_) => {
                        self.cache.apply(key.clone(), envelope);
                    }
                }
                self.consider(key, Lane::Fresh);
            }
            Ok(None) => {
                self.cache.remove(key);
                self.forget(key);
            }
            Err(error) => {
                let wait = Backoff::WATCH.delay(1);
                tracing::warn!(kind = %self.kind.name, object = %key, %error, "reading past the cache failed");
                self.queue.push_at(key, Instant::now() + wait);
            }
        }
    }

    /// A run that ended without a report.
    fn broken(&mut self, key: &ObjectKey, error: &str) {
        let Some(state) = self.states.get_mut(key) else {
            return;
        };
        state.running = false;
        state.running_since = None;
        let written = state.written.load(Ordering::Relaxed);
        if written > 0 {
            state.gate = Some((written, Instant::now() + self.kind.limits.gate));
        }
        if !self.cache_has(key) {
            self.forget(key);
            return;
        }
        self.retry(key, error, None);
        self.consider(key, Lane::Fresh);
    }

    fn cache_has(&self, key: &ObjectKey) -> bool {
        self.cache.get(key).is_some()
    }

    fn reported(&mut self, report: Report) {
        let key = report.key.clone();
        let Some(state) = self.states.get_mut(&key) else {
            return;
        };
        state.running = false;
        state.running_since = None;
        let cached = self.cache.get(&key);
        let same = cached.is_some_and(|known| known.meta().uid.as_deref() == Some(&*report.uid));
        if !same {
            // Deleted meanwhile, or replaced by a namesake.
            self.kind.jobs.forget(&key);
            self.drop_state(&key);
            self.consider(&key, Lane::Fresh);
            return;
        }
        state.handled = Some(report.handled);
        state.is_paused = matches!(report.next, Next::Held { .. });
        if !report.phase.is_empty() {
            state.phase = report.phase;
            state.entered_at = report.entered_at;
            self.board.in_phase(&key, report.phase);
            self.kind.jobs.keep_only(&key, report.phase);
        }
        let failed_without_word = match &report.next {
            Next::Retry { class, .. } if *class != ErrorClass::Saturated => Some("transient"),
            _ => None,
        };
        if let Some(reason) = report.failure.or(failed_without_word) {
            self.kind.metrics.reconcile_failed(&self.kind.name, reason);
        }
        state.gone = report.gone;
        state.observed_in = report.observed_in;
        if report.version > 0 {
            state.gate = Some((report.version, Instant::now() + self.kind.limits.gate));
        }
        let was_hot = state.heat.hot;
        let circles = matches!(report.next, Next::Cycle);
        let eager = circles || matches!(report.next, Next::Again);
        let hot = state
            .heat
            .run(report.handled, report.phase, eager, Instant::now());
        let hot = hot || (circles && state.heat.circled());
        if hot != was_hot {
            self.hot = if hot {
                self.hot + 1
            } else {
                self.hot.saturating_sub(1)
            };
            self.kind.metrics.hot_objects(&self.kind.name, self.hot);
        }
        let newly_overdue = report.cleanup_overdue && !state.cleanup_overdue;
        let no_longer_overdue = state.cleanup_overdue && !report.cleanup_overdue;
        state.cleanup_overdue = report.cleanup_overdue;
        if newly_overdue {
            self.cleanup_stalled += 1;
            self.warn(&key, "CleanupStalled", CLEANUP_STALLED_NOTE);
        } else if no_longer_overdue {
            self.cleanup_stalled -= 1;
        }
        self.kind
            .metrics
            .cleanup_stalled(&self.kind.name, self.cleanup_stalled);
        self.kind.metrics.work_done(&self.kind.name, report.took);
        let result = self.schedule(&key, report.next, hot);
        self.kind
            .metrics
            .reconciled(&self.kind.name, result, report.took);
        // One that is over moves an object only after a run that has looked: a handler that fails keeps its backoff.
        let has_looked = report.observed_in == Some(report.phase);
        let left = report
            .deadline_in
            .filter(|left| has_looked || !left.is_zero());
        if let Some(left) = left {
            // The deadline of a phase wakes the object if nothing does before.
            self.queue.push_at(
                &key,
                Instant::now() + left.clamp(Duration::from_millis(1), LONGEST),
            );
        }
        if hot {
            // What came during the run has its turn all the same.
            self.queue.push_at(&key, Instant::now() + HOT_DELAY);
        } else {
            self.consider(&key, Lane::Fresh);
        }
    }

    /// An event on the object, as far as it decodes.
    fn warn(&self, key: &ObjectKey, reason: &'static str, note: &str) {
        if let Some(Ok(object)) = self.cache.get(key).map(Envelope::object) {
            self.kind.events.warn(&**object, reason, note);
        }
    }

    // ---- when to come back ----

    fn schedule(&mut self, key: &ObjectKey, next: Next, hot: bool) -> ReconcileResult {
        let Some(state) = self.states.get_mut(key) else {
            return ReconcileResult::Success;
        };
        let now = Instant::now();
        if !matches!(next, Next::Retry { .. }) {
            state.failures = 0;
        }
        if !matches!(next, Next::Poll { .. }) {
            state.empty_polls = 0;
        }
        let (result, delay) = match next {
            Next::Settled { resync } => {
                self.board.settled(key);
                let again = std::mem::replace(&mut state.resynced, true);
                let resync = resync.map(if again { jittered } else { spread });
                (ReconcileResult::Success, resync)
            }
            Next::Wait { reason, after } => {
                let after = self.clamped(after);
                self.kind.metrics.polled(&self.kind.name, after);
                self.board.polling(key, &reason, now + after);
                (
                    ReconcileResult::RequeueAfter,
                    Some(jittered(after).max(self.kind.limits.min_poll)),
                )
            }
            Next::Poll { found, least, most } => {
                let after = if found {
                    state.empty_polls = 0;
                    least
                } else {
                    let doubled = least.saturating_mul(1 << state.empty_polls.min(20));
                    state.empty_polls += 1;
                    doubled.min(most)
                };
                let after = self.clamped(after);
                self.kind.metrics.polled(&self.kind.name, after);
                self.board.polling(key, "", now + after);
                (ReconcileResult::RequeueAfter, Some(jittered(after)))
            }
            Next::Again | Next::Cycle => (ReconcileResult::Requeue, Some(Duration::ZERO)),
            Next::Retry {
                error,
                class,
                after,
            } => {
                self.failed(key, &error, class, after);
                return ReconcileResult::Error;
            }
            Next::Held { reason } => {
                self.board.held(key, reason);
                (ReconcileResult::Success, None)
            }
            Next::Released => {
                state.released = true;
                self.board.settled(key);
                (ReconcileResult::Success, None)
            }
        };
        match delay {
            None => {}
            Some(delay) if hot => {
                tracing::warn!(kind = %self.kind.name, object = %key, "runs again and again without a change: slowed down");
                self.warn(key, "HotLoop", "it is reconciled again and again although nothing changes: slowed down to one run in 30 s; a handler moves or requeues without waiting");
                self.board.hot(key, now + HOT_DELAY);
                self.queue.push_at(key, now + delay.max(HOT_DELAY));
            }
            Some(Duration::ZERO) => self.push(key, Lane::Fresh),
            Some(delay) => self.queue.push_at(key, now + delay),
        }
        result
    }

    fn clamped(&self, after: Duration) -> Duration {
        let min = self.kind.limits.min_poll;
        if after < min {
            self.kind.metrics.poll_clamped(&self.kind.name);
        }
        after.max(min).min(LONGEST)
    }

    fn failed(&mut self, key: &ObjectKey, error: &str, class: ErrorClass, after: Option<Duration>) {
        if class == ErrorClass::Saturated {
            // Not this object's failure: it neither counts nor grows a backoff.
            // A `Retry-After: 0` must not make a spin of it.
            let wait = after
                .unwrap_or_default()
                .max(self.kind.limits.min_poll)
                .min(LONGEST);
            self.board.polling(key, error, Instant::now() + wait);
            self.queue.push_at(key, Instant::now() + jittered(wait));
            return;
        }
        self.retry(key, error, after);
    }

    fn retry(&mut self, key: &ObjectKey, error: &str, after: Option<Duration>) {
        let Some(state) = self.states.get_mut(key) else {
            return;
        };
        state.failures += 1;
        let delay = Backoff::OBJECT
            .delay(state.failures)
            .max(after.unwrap_or_default())
            .max(self.retries.reserve(Instant::now()))
            .min(LONGEST);
        self.kind.metrics.retried(&self.kind.name);
        self.board.backing_off(key, error, Instant::now() + delay);
        tracing::warn!(kind = %self.kind.name, object = %key, error, ?delay, failures = state.failures, "reconcile failed");
        self.queue.push_at(key, Instant::now() + delay);
    }
}

async fn sleep_until(when: Option<Instant>) {
    match when {
        Some(when) => tokio::time::sleep_until(when).await,
        None => std::future::pending().await,
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
