//! The end of an object: the finalizer phase, until what was made outside is proven gone.

use std::{sync::Arc, time::Duration};

use crate::{
    engine::{annotations, attempts, driver::Driver, kind::Kind, report::Next, verdict::Verdict},
    mutant::{Mutant, mutated},
    phase::PhaseMachine,
    step::Outcome,
};

/// How soon a clean-up looks again whose proof was not accepted.
const UNPROVEN: Duration = Duration::from_secs(5);

impl<M: PhaseMachine> Driver<M> {
    /// The clean-up: the finalizer phase once per attempt, newest first; then our finalizer comes off.
    pub(super) async fn clean_up(&mut self) -> Next {
        if !self.kind.finalizer.is_held(self.meta()) {
            return Next::Settled { resync: None };
        }
        let Some(phase) = Kind::<M>::finalizer_phase() else {
            return self.release().await;
        };
        if annotations::releases_external(self.meta()) {
            return self.release().await;
        }
        let identity = self.identity();
        self.tell_attempts(&identity);
        let mut goes_on = false;
        for attempt in attempts::all(identity.attempt) {
            if self.gone.contains(&attempt) {
                continue;
            }
            let fields = self.fields();
            let mut run = self.new_run(&identity, attempt, &fields, phase, goes_on);
            if mutated(Mutant::CleanupAlone) {
                let verdict = Verdict::of_cleanup(phase, Ok(Outcome::Requeue), &self.kind.limits);
                if let Err(next) = self.record(phase, &fields, &verdict, None).await {
                    return next;
                }
            }
            let outcome = self.handle(phase, &mut run).await;
            let outcome = match outcome {
                Ok(Outcome::Gone(proof)) => match identity.distrust(&proof, attempt) {
                    None => {
                        self.gone.insert(attempt);
                        goes_on = true;
                        continue;
                    }
                    Some(reason) => {
                        tracing::debug!(kind = %self.kind.name, object = %self.key, attempt, reason, "a proof of absence is not accepted");
                        let after = UNPROVEN;
                        Ok(Outcome::Wait { reason, after })
                    }
                },
                outcome => outcome,
            };
            let verdict = Verdict::of_cleanup(phase, outcome, &self.kind.limits);
            self.find_obstacle();
            // Best effort: whether the status is accepted must not decide whether the outside is freed.
            let recorded = self.record(phase, &fields, &verdict, run.written).await;
            if let Err(Next::Released) = recorded {
                return Next::Released;
            }
            let since = match recorded {
                Ok((_, since)) => since,
                Err(_) => self.entered_at(&self.fields()),
            };
            self.remember(phase, since, false);
            return verdict.next;
        }
        self.release().await
    }

    async fn release(&mut self) -> Next {
        let kind = Arc::clone(&self.kind);
        match self.patch_meta(|meta| kind.finalizer.release(meta)).await {
            Ok(()) => Next::Released,
            Err(next) => next,
        }
    }

    /// Whether the object has been terminating, held by us, for longer than it may.
    pub(super) fn cleanup_overdue(&self) -> bool {
        let Some(deleted_at) = &self.meta().deletion_timestamp else {
            return false;
        };
        if mutated(Mutant::CleanupDeadline) {
            return false;
        }
        let spent = self.kind.clock.now().duration_since(deleted_at.0);
        self.kind.finalizer.is_held(self.meta())
            && Duration::try_from(spent)
                .is_ok_and(|spent| spent > self.kind.limits.cleanup_deadline)
    }
}
