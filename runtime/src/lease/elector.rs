//! Takes the lease, renews it, and says when it is lost.

use std::time::Duration;

use serde_json::Value;
use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};

use super::{
    LeaderElection, Standing,
    api::{Failure, LeaseApi},
    record::Record,
};
use crate::mutant::{Mutant, mutated};
use crate::{clients::Fence, clock::SharedClock, metrics::Metrics};

/// How long giving the lease back may take.
const RELEASE: Duration = Duration::from_secs(3);

/// One candidate.
pub(super) struct Elector {
    pub(super) api: LeaseApi,
    pub(super) election: LeaderElection,
    pub(super) clock: SharedClock,
    pub(super) fence: Fence,
    pub(super) metrics: Metrics,
}

/// What a candidate knows of the present holder: by its own clock only, so that no skew matters.
struct Seen {
    beat: Value,
    /// When the beat was first seen here.
    since: Instant,
    duration: Duration,
}

/// The lease in our hands.
struct Held {
    record: Record,
    /// When the renewal that succeeded last was *sent*: the server cannot have counted from an earlier moment.
    since: Instant,
}

impl Elector {
    /// Until the lease is lost, or `orders` asks for its release, or whoever gave it is gone.
    pub(super) async fn run(
        self,
        standing: watch::Sender<Standing>,
        mut orders: oneshot::Receiver<()>,
    ) {
        self.lead(false);
        let acquired = tokio::select! {
            acquired = self.acquire() => acquired,
            // Nothing is held that could be released.
            _ = &mut orders => return,
        };
        let mut held = match acquired {
            Ok(held) => held,
            Err(why) => {
                standing.send_replace(Standing::Refused(why));
                return;
            }
        };
        self.hold(&held);
        self.lead(true);
        tracing::info!(lease = %self.api.name, identity = %self.election.identity, "leading");
        standing.send_replace(Standing::Leading);
        let order = tokio::select! {
            why = self.keep(&mut held) => Err(why),
            order = &mut orders => Ok(order),
        };
        match order {
            Err(why) => {
                // First of all: nothing may be written once a successor may start.
                self.fence.close();
                self.lead(false);
                tracing::error!(lease = %self.api.name, why, "the lease is lost");
                standing.send_replace(Standing::Lost(why));
            }
            Ok(Ok(())) => {
                self.release(&held.record).await;
                self.fence.close();
                self.lead(false);
                standing.send_replace(Standing::Released);
            }
            // The operator is gone without a word: what it began may still be under way, so the lease runs out.
            Ok(Err(_)) => {}
        }
    }

    fn lead(&self, is_leader: bool) {
        self.metrics.leader(&self.api.name, is_leader);
    }

    fn hold(&self, held: &Held) {
        if mutated(Mutant::RenewDeadline) {
            return;
        }
        self.fence
            .hold_until(held.since + self.election.renew_deadline);
    }

    /// Up to a fifth longer, so that candidates do not march in step.
    fn pause(&self) -> Duration {
        self.election
            .retry_period
            .mul_f64(1.0 + 0.2 * fastrand::f64())
    }

    /// One request: it must leave time for another one before the deadline.
    async fn within<T>(
        &self,
        request: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let limit = self.election.renew_deadline / 2;
        match tokio::time::timeout(limit, request).await {
            Ok(result) => result,
            Err(_) => Err(Failure::Unclear(format!("no answer within {limit:?}"))),
        }
    }

    // ---- as a candidate ----

    /// Waits for the lease; fails only if the first answer is that it may not be had at all.
    async fn acquire(&self) -> Result<Held, String> {
        let mut seen = None;
        let mut answered = false;
        loop {
            match self.try_acquire(&mut seen).await {
                Ok(Some(held)) => return Ok(held),
                Ok(None) | Err(Failure::Conflict) => answered = true,
                Err(Failure::Refused(why)) if !answered => return Err(why),
                Err(Failure::Refused(why) | Failure::Unclear(why)) => {
                    tracing::warn!(lease = %self.api.name, why, "the lease could not be asked for");
                }
            }
            tokio::time::sleep(self.pause()).await;
        }
    }

    async fn try_acquire(&self, seen: &mut Option<Seen>) -> Result<Option<Held>, Failure> {
        let found = self.within(self.api.get()).await?;
        if !self.is_free(found.as_ref(), seen) {
            return Ok(None);
        }
        let since = Instant::now();
        let (identity, duration) = (&self.election.identity, self.election.lease_duration);
        let record = match found {
            Some(record) => {
                let lease = record.taken(identity, duration, self.clock.now());
                self.within(self.api.replace(&lease)).await?
            }
            None => {
                let blank = Record::blank(&self.api.name, &self.api.namespace);
                let lease = blank.taken(identity, duration, self.clock.now());
                self.within(self.api.create(&lease)).await?
            }
        };
        Ok(Some(Held { record, since }))
    }

    /// Whether nobody can hold the lease any more.
    fn is_free(&self, found: Option<&Record>, seen: &mut Option<Seen>) -> bool {
        let now = Instant::now();
        if let Some(record) = found {
            let holder = record.holder();
            if holder.is_empty() || holder == self.election.identity {
                return true;
            }
            let beat = record.beat();
            if seen.as_ref().is_none_or(|seen| seen.beat != beat) {
                *seen = Some(Seen {
                    beat,
                    since: now,
                    duration: record.duration().unwrap_or(self.election.lease_duration),
                });
            }
        }
        // Without a Lease the last holder may still be at work: deleting it is no proof that nobody is.
        seen.as_ref()
            .is_none_or(|seen| now.duration_since(seen.since) > seen.duration)
    }

    // ---- as the leader ----

    /// Renews for as long as that goes well. Returns why it does no more.
    async fn keep(&self, held: &mut Held) -> String {
        loop {
            let mut deadline = held.since + self.election.renew_deadline;
            if mutated(Mutant::RenewDeadline) {
                deadline += self.election.renew_deadline * 12;
            }
            match tokio::time::timeout_at(deadline, self.renew(&held.record)).await {
                Ok(Ok(renewed)) => {
                    *held = renewed;
                    self.hold(held);
                }
                Ok(Err(why)) => return why,
                Err(_) => {
                    return format!(
                        "it could not be renewed within {:?}",
                        self.election.renew_deadline
                    );
                }
            }
        }
    }

    /// The next renewal; fails only if the lease is somebody else's.
    async fn renew(&self, known: &Record) -> Result<Held, String> {
        let mut record = known.clone();
        loop {
            tokio::time::sleep(self.pause()).await;
            let since = Instant::now();
            let lease = record.renewed(self.election.lease_duration, self.clock.now());
            match self.within(self.api.replace(&lease)).await {
                Ok(record) => return Ok(Held { record, since }),
                Err(failure) => {
                    tracing::warn!(lease = %self.api.name, ?failure, "the lease was not renewed");
                }
            }
            // A renewal without an answer may have been done, and then its version is what we need.
            match self.within(self.api.get()).await {
                // What is cached of the objects is from the same lost future: only a new process forgets all of it.
                Ok(Some(found)) if found.version() < record.version() => {
                    return Err("the API server has an older lease than was written: it was restored from a backup, and has to be read anew from the beginning".to_owned());
                }
                Ok(Some(found)) if found.holder() == self.election.identity => record = found,
                Ok(Some(found)) => return Err(format!("{:?} holds it", found.holder())),
                Ok(None) => return Err("it was deleted".to_owned()),
                Err(_) => {}
            }
        }
    }

    async fn release(&self, record: &Record) {
        let lease = record.released(self.clock.now());
        match tokio::time::timeout(RELEASE, self.api.replace(&lease)).await {
            Ok(Ok(_)) => tracing::info!(lease = %self.api.name, "released the lease"),
            Ok(Err(failure)) => {
                tracing::warn!(lease = %self.api.name, ?failure, "the lease was not released and runs out");
            }
            Err(_) => {
                tracing::warn!(lease = %self.api.name, "the lease was not released in time and runs out");
            }
        }
    }
}
