//! The bounds every call to the outside goes through.

use std::{fmt, sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{
    breaker::Verdict,
    error::{CallError, CallResult},
    intents::Intents,
    scope::CallScope,
    settings::{CallOptions, ClientSettings, Target},
    target::{TargetState, Targets},
};
use crate::{
    identity::IdempotencyKey,
    mutant::{Mutant, mutated},
    observed::{Absent, Observed},
};

/// One per bounded client; clones share permits, breakers and the memory of creates.
#[derive(Clone)]
pub struct Guard {
    shared: Arc<Shared>,
    target: Option<Target>,
}

struct Shared {
    client: &'static str,
    settings: ClientSettings,
    targets: Targets,
    intents: Intents,
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("client", &self.shared.client)
            .field("target", &self.target)
            .finish_non_exhaustive()
    }
}

impl Guard {
    /// The guard of the client of that name (a metric label).
    #[must_use]
    pub fn new(client: &'static str, settings: ClientSettings) -> Self {
        Self {
            shared: Arc::new(Shared {
                client,
                intents: Intents::new(settings.settle),
                settings,
                targets: Targets::default(),
            }),
            target: None,
        }
    }

    /// The same guard for a target with permits and a breaker of its own: one region's outage is not another's.
    #[must_use]
    pub fn for_target(&self, target: impl Into<Target>) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            target: Some(target.into()),
        }
    }

    /// Its settings.
    #[must_use]
    pub fn settings(&self) -> &ClientSettings {
        &self.shared.settings
    }

    /// The client's name.
    #[must_use]
    pub fn client(&self) -> &'static str {
        self.shared.client
    }

    /// Attempts in flight to this guard's target.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.state(&CallOptions::new("")).in_flight()
    }

    /// Makes a call: within the client's timeout and never beyond the scope's deadline, with a permit of the target's
    /// bulkhead, past its breaker, repeated only if it is idempotent. Dropping the future gives everything back.
    ///
    /// # Errors
    /// What the call returned last, or [`CallError::Timeout`], [`CallError::Saturated`], [`CallError::NoTime`],
    /// [`CallError::BreakerOpen`], or [`CallError::Throttled`] without a call while the target wants to be left alone.
    pub async fn call<T, F, Fut>(
        &self,
        scope: &CallScope,
        options: CallOptions,
        mut call: F,
    ) -> CallResult<T>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = CallResult<T>>,
    {
        let target = self.state(&options);
        let mut repeated = 0;
        loop {
            let error = match self.attempt(scope, &options, &target, &mut call).await {
                Ok(value) => {
                    // Who wants no answer does not look.
                    if size_of::<T>() == 0 {
                        scope.sightings().commanded();
                    }
                    return Ok(value);
                }
                Err(error) => error,
            };
            let again = options.idempotent
                && error.is_retryable()
                && repeated < self.settings().retries
                && target.may_pass(Instant::now()).is_ok();
            let pause = self.pause(repeated);
            // A repetition that could not be heard out would only hide the error that is known already.
            if !again || Instant::now() + pause >= scope.deadline() {
                return Err(error);
            }
            repeated += 1;
            tokio::time::sleep(pause).await;
        }
    }

    /// The same for a call that creates what `key` names: from now until it is over, and for the settle window after
    /// that, no proof of absence of `key` is believed.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub async fn create<T, F, Fut>(
        &self,
        scope: &CallScope,
        options: CallOptions,
        key: &IdempotencyKey,
        call: F,
    ) -> CallResult<T>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = CallResult<T>>,
    {
        let _intent = self.shared.intents.begin(key, scope);
        let created = self.call(scope, options, call).await?;
        scope.sightings().commanded();
        Ok(created)
    }

    /// The same for a call that looks. What could not be learned is [`Observed::Unknown`] with words, never absence
    /// and never an error; a proof of absence is accepted only if it is about `asked` (when given) and older than the
    /// settle window, counted from the latest of the key's persisted intent, the start of this process, and the last
    /// create of the key here, to the moment the provider was asked.
    ///
    /// # Errors
    /// Only what waiting does not mend: [`CallError::Rejected`] and [`CallError::Other`].
    pub async fn observe<T, F, Fut>(
        &self,
        scope: &CallScope,
        options: CallOptions,
        asked: Option<&IdempotencyKey>,
        mut call: F,
    ) -> CallResult<Observed<T>>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = CallResult<Observed<T>>>,
    {
        let mut asked_at = scope.now();
        let seen = self
            .call(scope, options, || {
                asked_at = scope.now();
                call()
            })
            .await;
        let seen = match seen {
            Ok(Observed::Absent(proof)) => self.judge(scope, asked, asked_at, proof),
            Ok(seen) => seen,
            Err(error @ (CallError::Rejected { .. } | CallError::Other(_))) => return Err(error),
            Err(error @ CallError::NotFound { .. }) => Observed::Unknown(format!(
                "{}; only `Absent::by_status` for the identity asked for makes that a proof",
                error.words()
            )),
            Err(_) if mutated(Mutant::UnknownIsNotAbsent) && asked.is_some() => {
                let proof =
                    asked.and_then(|key| Absent::by_status(key, http::StatusCode::NOT_FOUND));
                proof.map_or_else(
                    || Observed::Unknown(String::new()),
                    |proof| Observed::Absent(proof.accepted(scope.now())),
                )
            }
            Err(error) => Observed::Unknown(error.words()),
        };
        scope.sightings().looked(&seen);
        Ok(seen)
    }

    fn judge<T>(
        &self,
        scope: &CallScope,
        asked: Option<&IdempotencyKey>,
        asked_at: jiff::Timestamp,
        proof: Absent,
    ) -> Observed<T> {
        if let Some(asked) = asked
            && asked.as_str() != proof.key().as_str()
        {
            return Observed::Unknown(format!(
                "asked for {asked}, but the proof of absence is about {}",
                proof.key()
            ));
        }
        // The caller's copy of the key may know the intent where the proof's does not.
        let key = asked.unwrap_or_else(|| proof.key());
        match self.shared.intents.too_young(key, scope, asked_at) {
            Some(words) => Observed::Unknown(words),
            None => Observed::Absent(proof.accepted(scope.now())),
        }
    }

    async fn attempt<T, F, Fut>(
        &self,
        scope: &CallScope,
        options: &CallOptions,
        target: &Arc<TargetState>,
        call: &mut F,
    ) -> CallResult<T>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = CallResult<T>>,
    {
        let mut log = Log::new(self.shared.client, options.method, scope);
        let result = tokio::select! {
            biased;
            // The lease is lost, and this run is about to be cut: it must neither begin a call nor learn of an end.
            () = scope.fenced() => std::future::pending().await,
            result = self.bounded(scope, options, target, &mut log, call) => result,
        };
        scope.sightings().called(self.shared.client, &result);
        log.result = match &result {
            Ok(_) => "ok",
            Err(error) => error.result(),
        };
        result
    }

    async fn bounded<T, F, Fut>(
        &self,
        scope: &CallScope,
        options: &CallOptions,
        target: &Arc<TargetState>,
        log: &mut Log<'_>,
        call: &mut F,
    ) -> CallResult<T>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = CallResult<T>>,
    {
        if left(scope).is_zero() {
            return Err(CallError::NoTime);
        }
        // Asked before the wait for a permit, so that nobody queues for a target that is not to be called.
        target.may_pass(Instant::now())?;
        let permit = target
            .permit(self.settings().permit_wait.min(left(scope)))
            .await;
        log.permit_waited();
        let pass = target.admit(permit?)?;

        let full = options.timeout.unwrap_or(self.settings().timeout);
        let limit = if mutated(Mutant::CallTimeout) {
            crate::secs(24 * 3600)
        } else {
            full.min(left(scope))
        };
        if limit.is_zero() {
            return Err(CallError::NoTime);
        }
        let result = tokio::time::timeout(limit, call())
            .await
            .unwrap_or(Err(CallError::Timeout { after: limit }));
        pass.close(match verdict(&result, limit, full) {
            Verdict::Failed if scope.is_retried() => Verdict::FailedAgain,
            verdict => verdict,
        });
        if let Err(error) = &result {
            self.heed(target, error);
        }
        result
    }

    /// Leaves the target alone if it asked for that.
    fn heed(&self, target: &TargetState, error: &CallError) {
        if mutated(Mutant::RetryAfter) {
            return;
        }
        match error {
            CallError::Throttled { retry_after } => {
                target.leave_alone(retry_after.unwrap_or(self.settings().throttle_pause));
            }
            CallError::Unavailable {
                retry_after: Some(wait),
                ..
            } => target.leave_alone(*wait),
            _ => {}
        }
    }

    fn state(&self, options: &CallOptions) -> Arc<TargetState> {
        // One account in one region.
        let both = match (&self.target, &options.target) {
            (Some(own), Some(other)) => Some(Target::from(format!("{own} {other}"))),
            _ => None,
        };
        let one = options.target.as_ref().or(self.target.as_ref());
        self.shared
            .targets
            .get(both.as_ref().or(one), self.settings())
    }

    /// Full jitter over an exponential, with a floor that keeps it from being no pause at all.
    fn pause(&self, repeated: u32) -> Duration {
        let most = self
            .settings()
            .backoff
            .saturating_mul(1 << repeated.min(10));
        most.mul_f64(0.1 + 0.9 * fastrand::f64())
    }
}

/// What is left of the scope.
fn left(scope: &CallScope) -> Duration {
    scope.deadline().saturating_duration_since(Instant::now())
}

fn verdict<T>(result: &CallResult<T>, limit: Duration, full: Duration) -> Verdict {
    match result {
        // A call that was given less than half of its time proves nothing against the target.
        Err(CallError::Timeout { .. }) if limit < full / 2 => Verdict::Nothing,
        Err(CallError::Other(_)) => Verdict::Nothing,
        Err(error) if error.blames_target() => Verdict::Failed,
        _ => Verdict::Alive,
    }
}

/// Writes down one attempt, also when the future is dropped before it ends.
struct Log<'a> {
    client: &'static str,
    method: &'static str,
    scope: &'a CallScope,
    from: Instant,
    result: &'static str,
}

impl<'a> Log<'a> {
    fn new(client: &'static str, method: &'static str, scope: &'a CallScope) -> Self {
        Self {
            client,
            method,
            scope,
            from: Instant::now(),
            result: "aborted",
        }
    }

    fn permit_waited(&mut self) {
        if let Some(metrics) = self.scope.metrics() {
            metrics.bulkhead_waited(self.client, self.from.elapsed());
        }
        self.from = Instant::now();
    }
}

impl Drop for Log<'_> {
    fn drop(&mut self) {
        if let Some(metrics) = self.scope.metrics() {
            metrics.external_call(self.client, self.method, self.result, self.from.elapsed());
        }
    }
}
