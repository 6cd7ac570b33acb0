//! What all runs of one kind share.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;

use crate::{
    blocking::BlockingPool,
    children::{Children, Index},
    clients::Fence,
    clock::SharedClock,
    engine::{
        api::ObjectApi, bucket::Rate, events::Events, finalizer::Finalizer, groups::GroupBy,
        predicate::Watched,
    },
    jobs::Jobs,
    metrics::Metrics,
    operator::HandlerObserver,
    phase::PhaseMachine,
    status::Rules,
};

/// One kind of a running operator.
pub(crate) struct Kind<M: PhaseMachine> {
    pub(crate) name: Arc<str>,
    pub(crate) api: ObjectApi<M::Resource>,
    pub(crate) context: Arc<M::Context>,
    pub(crate) clock: SharedClock,
    pub(crate) started_at: Timestamp,
    pub(crate) finalizer: Finalizer,
    pub(crate) rules: &'static Rules,
    pub(crate) metrics: Metrics,
    pub(crate) blocking: BlockingPool,
    pub(crate) fence: Fence,
    pub(crate) watched: Watched,
    pub(crate) limits: Limits,
    pub(crate) events: Events,
    /// Told of every handler that begins or ends.
    pub(crate) observer: Option<Arc<dyn HandlerObserver>>,
    /// The caches of what it owns and refers to.
    pub(crate) children: Arc<Children>,
    /// Who refers to what.
    pub(crate) index: Index<M::Resource>,
    /// The background jobs of its objects.
    pub(crate) jobs: Arc<Jobs>,
    /// Which fairness group an object belongs to, if there are any.
    pub(crate) group_by: Option<GroupBy<M::Resource>>,
}

/// The numbers of one kind; every one has a default that is safe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Runs at a time. A waiting run costs nothing: the bulkheads of the clients protect the outside.
    pub(crate) in_flight: usize,
    /// How often a settled object is looked at, unless its phase says otherwise.
    pub(crate) resync: Duration,
    /// The shortest poll.
    pub(crate) min_poll: Duration,
    /// How long a run waits for the cache to show our last write before it reads past it.
    pub(crate) gate: Duration,
    /// What a run may take beyond the machine's budget, for the final writes.
    pub(crate) write_grace: Duration,
    /// How long a clean-up may take before people are told.
    pub(crate) cleanup_deadline: Duration,
    /// How long a shutdown waits for runs in flight.
    pub(crate) drain: Duration,
    /// Retries after errors, all objects together: an outage must not end in a flood.
    pub(crate) retries: Rate,
    /// Reads past the cache.
    pub(crate) live_reads: Rate,
    /// Clean-ups that begin: the brake on mass deletions.
    pub(crate) destroys: Rate,
    /// What one fairness group may take of the runs at a time.
    pub(crate) group_share: f64,
    /// Background jobs at a time.
    pub(crate) jobs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            in_flight: 256,
            resync: Duration::from_secs(600),
            min_poll: Duration::from_secs(1),
            gate: Duration::from_secs(5),
            write_grace: Duration::from_secs(45),
            cleanup_deadline: Duration::from_secs(3600),
            drain: Duration::from_secs(25),
            retries: Rate::per_minute(500, 6000),
            live_reads: Rate::per_minute(50, 600),
            destroys: Rate::per_minute(20, 30),
            group_share: 0.25,
            jobs: 16,
        }
    }
}

impl<M: PhaseMachine> Kind<M> {
    /// The phase that objects enter when they are deleted.
    pub(crate) fn finalizer_phase() -> Option<M> {
        M::ALL.iter().copied().find(|phase| phase.info().finalizer)
    }

    /// The phase that permanent errors lead to.
    pub(crate) fn failed_phase() -> Option<M> {
        M::ALL.iter().copied().find(|phase| phase.info().failed)
    }
}
