//! One run of one object: finalizer and identity, phase handlers, one status patch per phase, and when to come back.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde_json::Value;
use tokio::time::Instant;

use crate::mutant::{Mutant, mutated};
use crate::{
    children::{ChildNotes, ChildScope},
    cx::Run,
    engine::{
        annotations,
        envelope::Envelope,
        key::ObjectKey,
        kind::Kind,
        obstacles::Obstacle,
        predicate::trigger,
        print::Print,
        record::Fields,
        reply::Reply,
        report::{Next, Report},
        verdict::Verdict,
        woken::WokenBy,
        words::Words,
    },
    error::{Error, ErrorClass, Result},
    external::{CallScope, Sighted},
    identity::Identity,
    phase::{PhaseMachine, StatusOf},
    status::StatusWrite,
    step::Outcome,
};

/// What a run starts from.
pub(crate) struct Input<K> {
    pub(crate) key: ObjectKey,
    pub(crate) envelope: Envelope<K>,
    pub(crate) gone: BTreeSet<u32>,
    pub(crate) observed_in: Option<&'static str>,
    /// Whether the last run failed.
    pub(crate) retried: bool,
    /// What it may still say in other words.
    pub(crate) words: Words,
    /// Where it notes the version that it wrote last.
    pub(crate) written: Arc<AtomicU64>,
    /// Where it leaves the answer to that.
    pub(crate) reply: Reply<K>,
}

/// A run in progress.
pub(crate) struct Driver<M: PhaseMachine> {
    pub(super) kind: Arc<Kind<M>>,
    pub(super) key: ObjectKey,
    pub(super) envelope: Envelope<M::Resource>,
    pub(super) object: Arc<M::Resource>,
    /// The envelope's status, once somebody has looked at it.
    raw: OnceLock<Option<Value>>,
    /// Who this version of the object is, once somebody has asked.
    pub(super) identity: OnceLock<Identity>,
    pub(super) gone: BTreeSet<u32>,
    pub(super) observed_in: Option<&'static str>,
    retried: bool,
    pub(super) words: Words,
    /// Whether it goes round in the same phases.
    pub(super) is_looping: bool,
    entered: Vec<&'static str>,
    commanded_in_vain: bool,
    /// Why it runs.
    pub(super) woken_by: WokenBy,
    handled: u64,
    /// What the last handler learned of its children.
    pub(super) children: ChildNotes,
    written: Arc<AtomicU64>,
    reply: Reply<M::Resource>,
    started: Instant,
    deadline: Instant,
    phase: &'static str,
    deadline_in: Option<Duration>,
    phase_since: Option<Timestamp>,
    failure: Option<&'static str>,
    /// What the last handler's calls could not learn.
    pub(super) sighted: Sighted,
    /// What the clean-up lacks.
    pub(super) obstacle: Option<Obstacle>,
}

impl<M: PhaseMachine> Driver<M> {
    /// Prepares a run; `None` if the object did not decode.
    pub(crate) fn new(kind: Arc<Kind<M>>, input: Input<M::Resource>) -> Option<Self> {
        let object = Arc::clone(input.envelope.object().ok()?);
        let handled = trigger(object.meta(), &kind.watched);
        let uid = object.meta().uid.as_deref().unwrap_or_default();
        let children = ChildNotes {
            seen: kind.children.sum(&input.key, uid),
            ..ChildNotes::default()
        };
        Some(Self {
            kind,
            key: input.key,
            envelope: input.envelope,
            object,
            raw: OnceLock::new(),
            identity: OnceLock::new(),
            gone: input.gone,
            observed_in: input.observed_in,
            retried: input.retried,
            words: input.words,
            is_looping: false,
            entered: Vec::new(),
            commanded_in_vain: false,
            woken_by: WokenBy::First,
            handled,
            children,
            written: input.written,
            reply: input.reply,
            started: Instant::now(),
            deadline: Instant::now() + M::BUDGET,
            phase: "",
            deadline_in: None,
            phase_since: None,
            failure: None,
            sighted: Sighted::default(),
            obstacle: None,
        })
    }

    /// The trigger of what it starts from.
    pub(crate) fn seen(&self) -> Print {
        Print::of(self.handled).plus(self.children.seen)
    }

    /// Runs to the end.
    pub(crate) async fn run(mut self) -> Report {
        let next = if annotations::is_paused(self.meta()) {
            // A deadline that runs out meanwhile takes nothing away before a handler has looked again.
            self.observed_in = None;
            self.say_paused().await
        } else if self.meta().deletion_timestamp.is_some() {
            self.clean_up().await
        } else {
            match self.adopt().await {
                Ok(identity) => self.advance(identity).await,
                Err(_) if mutated(Mutant::FinalizerFirst) => self.advance(self.identity()).await,
                Err(next) => next,
            }
        };
        let cleanup_overdue = self.cleanup_overdue() && !matches!(next, Next::Released);
        Report {
            key: self.key,
            uid: self.object.meta().uid.clone().unwrap_or_default(),
            handled: Print::of(self.handled).plus(self.children.seen),
            version: self.written.load(Ordering::Relaxed),
            next,
            phase: self.phase,
            entered: self.entered,
            commanded_in_vain: self.commanded_in_vain,
            observed_in: self.observed_in,
            gone: self.gone,
            cleanup_overdue,
            words: self.words,
            took: self.started.elapsed(),
            deadline_in: self.deadline_in,
            entered_at: self.phase_since,
            failure: self.failure,
        }
    }

    /// The status as the server has it, unknown fields included.
    pub(super) fn raw(&self) -> Option<&Value> {
        let raw = self.raw.get_or_init(|| self.envelope.raw_status());
        raw.as_ref()
    }

    /// A first status that the server took to the letter need not be read again.
    pub(super) fn took(&mut self, write: StatusWrite, sent: &[u8]) {
        let now = self.envelope.status_text();
        if let Some(status) = now.and_then(|now| write.into_whole(sent, now)) {
            self.raw = OnceLock::from(Some(status));
        }
    }

    pub(super) fn meta(&self) -> &ObjectMeta {
        self.object.meta()
    }

    /// Goes on with the object as a reply showed it.
    pub(super) fn take(
        &mut self,
        envelope: Envelope<M::Resource>,
        written: bool,
    ) -> Result<(), Next> {
        match envelope.object() {
            Ok(object) => self.object = Arc::clone(object),
            Err(error) => return Err(retry(format!("the object no longer decodes: {error}"))),
        }
        if written {
            self.written
                .fetch_max(envelope.version(), Ordering::Relaxed);
            self.reply.keep(envelope.clone());
        }
        self.envelope = envelope;
        (self.raw, self.identity) = (OnceLock::new(), OnceLock::new());
        Ok(())
    }

    /// Reads the object past the cache, after a lost race.
    pub(super) async fn refresh(&mut self) -> Result<(), Next> {
        match self.kind.api.get(&self.key).await {
            Ok(Some(envelope)) if envelope.meta().uid == self.meta().uid => {
                // Not our write, but the next run must not see less than this one did.
                self.take(envelope, true)
            }
            Ok(_) => Err(Next::Released),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Runs phase after phase until one waits.
    async fn advance(&mut self, mut identity: Identity) -> Next {
        for chained in 0..=M::ALL.len() {
            let fields = self.fields();
            let phase = match &fields.phase {
                None => {
                    self.tell_adopted(&identity);
                    M::default()
                }
                Some(name) => match M::from_name(name) {
                    Some(phase) => phase,
                    None if mutated(Mutant::UnknownPhase) => M::default(),
                    None => return self.unknown_phase(name).await,
                },
            };
            self.handled = trigger(self.meta(), &self.kind.watched);
            let (verdict, status) = self.judge(phase, &fields, &identity, chained > 0).await;
            if matches!(verdict.to, Some(next) if next != phase) && phase.info().failed {
                match self.next_attempt(&identity).await {
                    Ok(next) => identity = next,
                    Err(next) => return next,
                }
            }
            let moved = verdict.to.is_some();
            let written = self.written.load(Ordering::Relaxed);
            let (after, since) = match self.record(phase, &fields, &verdict, status).await {
                Ok(recorded) => recorded,
                Err(next) => return next,
            };
            self.remember(after, since, moved);
            if !moved {
                let has_news = self.written.load(Ordering::Relaxed) != written;
                self.commanded_in_vain =
                    self.sighted.has_commanded && !has_news && !phase.info().steady;
                return verdict.next;
            }
            self.entered.push(after.name());
            if self.is_looping {
                // The next handler has its turn when the pause is over.
                return Next::Again;
            }
            if self.meta().deletion_timestamp.is_some() {
                return Next::Again;
            }
        }
        // More moves than there are phases.
        Next::Cycle
    }

    /// The verdict on one phase: its deadline's, or its handler's.
    async fn judge(
        &mut self,
        phase: M,
        fields: &Fields,
        identity: &Identity,
        chained: bool,
    ) -> (Verdict<M>, Option<StatusOf<M>>) {
        if let Some(expired) = self.expired(phase, fields) {
            return (expired, None);
        }
        let mut run = self.new_run(identity, identity.attempt, fields, phase, chained);
        let outcome = self.handle(phase, &mut run).await;
        if outcome.is_ok() && !matches!(outcome, Ok(Outcome::Requeue)) {
            self.observed_in = Some(phase.name());
        }
        let mut verdict = Verdict::of(phase, outcome, &self.kind.limits);
        self.tell_children(&mut verdict);
        self.tell_loop(&mut verdict);
        (verdict, run.written)
    }

    pub(super) async fn handle(&mut self, phase: M, run: &mut Run<M>) -> Result<Outcome<M>> {
        let object = Arc::clone(&self.object);
        let outcome = phase.dispatch(&object, run).await;
        self.failure = outcome.as_ref().err().map(Error::reason);
        if outcome.as_ref().is_err_and(Error::is_panic) {
            // Half of what a panicking handler wrote is no status.
            run.written = None;
            self.kind.metrics.reconcile_panicked(&self.kind.name);
        }
        self.children = run.children.told(outcome.is_ok());
        self.sighted = run.scope.sightings().sighted();
        self.written
            .fetch_max(self.children.version, Ordering::Relaxed);
        outcome
    }

    /// A deadline takes an object away only after a run of this process has looked once.
    fn expired(&self, phase: M, fields: &Fields) -> Option<Verdict<M>> {
        if mutated(Mutant::PhaseDeadline) {
            return None;
        }
        let info = phase.info();
        let (deadline, target) = (info.deadline?, M::from_name(info.on_deadline?)?);
        let spent = self
            .kind
            .clock
            .now()
            .duration_since(self.entered_at(fields));
        let over = Duration::try_from(spent).is_ok_and(|spent| spent >= deadline);
        (over && (self.observed_in == Some(info.name) || mutated(Mutant::DeadlineAfterLook)))
            .then(|| Verdict::deadline(phase, target, deadline))
    }

    pub(super) fn entered_at(&self, fields: &Fields) -> Timestamp {
        fields
            .phase_entered_at
            .as_deref()
            .and_then(|text| text.parse().ok())
            .or_else(|| self.meta().creation_timestamp.as_ref().map(|time| time.0))
            .unwrap_or(self.kind.started_at)
    }

    pub(super) fn new_run(
        &self,
        identity: &Identity,
        attempt: u32,
        fields: &Fields,
        phase: M,
        chained: bool,
    ) -> Run<M> {
        Run {
            context: Arc::clone(&self.kind.context),
            written: None,
            empty: StatusOf::<M>::default(),
            identity: identity.clone(),
            attempt,
            woken_by: self.woken_by,
            phase_entered_at: self.entered_at(fields),
            spec_changed: self.spec_changed(phase),
            scope: CallScope::new(
                self.deadline,
                Arc::clone(&self.kind.clock),
                self.kind.started_at,
            )
            .with_metrics(self.kind.metrics.clone())
            .with_fence(self.kind.fence.clone())
            .of_retry(self.retried),
            blocking: self.kind.blocking.clone(),
            kind: Arc::clone(&self.kind.name),
            run_deadline: self.deadline,
            chained,
            children: ChildScope::new(
                Arc::clone(&self.kind.children),
                &self.key,
                self.meta().uid.as_deref().unwrap_or_default(),
                self.kind.index.of(&self.object),
                phase.info().steady && !self.spec_changed(phase),
            ),
            engine: Arc::clone(&self.kind),
        }
    }

    pub(super) fn remember(&mut self, phase: M, since: Timestamp, moved: bool) {
        self.phase = phase.name();
        self.phase_since = Some(since);
        let deadline = phase.info().deadline;
        let deadline = deadline.filter(|_| !mutated(Mutant::PhaseDeadline));
        self.deadline_in = deadline.map(|deadline| {
            let spent = self.kind.clock.now().duration_since(since);
            deadline.saturating_sub(Duration::try_from(spent).unwrap_or_default())
        });
        if moved {
            self.observed_in = None;
        }
    }
}

pub(super) fn retry(error: String) -> Next {
    Next::Retry {
        error,
        class: ErrorClass::Transient,
        after: None,
    }
}

pub(super) fn failed(error: &kube::Error) -> Next {
    let (class, after) = crate::external::classify(error);
    Next::Retry {
        error: format!("the API server did not answer well: {error}"),
        class,
        after,
    }
}
