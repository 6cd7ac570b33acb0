//! Server-side apply of one child: not at all if it is as desired, and never onto somebody else's object.

use std::{any::TypeId, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::time::Instant;

use crate::mutant::{Mutant, mutated};
use crate::{
    children::{
        ChildError, ChildResource,
        contains::{Containment, contained},
        desired::Desired,
        error::HOLD,
        memo::Memo,
        owner::Standing,
        request::{Applied, Deleted, Requests},
        scope::{ChildScope, Stop},
        store::{Entry, Store},
    },
    engine::key::ObjectKey,
    error::Result,
    reference::reasons,
};

/// How often one apply begins anew after somebody else was faster.
const ROUNDS: usize = 3;
/// How soon an owner looks again whose child is about to go; its going wakes it before.
pub(super) const GOING: Duration = Duration::from_secs(5);

impl ChildScope {
    pub(super) async fn apply<T: ChildResource>(&self, child: T) -> Result<Arc<T>> {
        self.try_apply(&child)
            .await
            .map_err(|stop| self.stopped(stop))
    }

    async fn try_apply<T: ChildResource>(&self, child: &T) -> Result<Arc<T>, Stop> {
        let store = self.store::<T>()?;
        let kind = &self.children().owner_kind;
        let desired = Desired::new(kind, self.owner(), child, &store.options)?;
        let is_derived = self.notes().derived.contains(&*desired.key.name);
        let mut job = Job {
            scope: self,
            store,
            desired,
            asks_first: !is_derived,
        };
        for _ in 0..ROUNDS {
            let round = job.round().await;
            job.remember_fight();
            if let Some(object) = round? {
                return Ok(object);
            }
            job.asks_first = true;
        }
        let what = job.what();
        let message = format!("{what} is changed by others again and again while it is applied");
        Err(ChildError::waits(reasons::CHILD_RACE, message, GOING).into())
    }
}

pub(super) struct Job<'a, T> {
    pub(super) scope: &'a ChildScope,
    pub(super) store: Arc<Store<T>>,
    pub(super) desired: Desired,
    /// Whether an object that the cache does not show may be there all the same: one that lacks our label.
    asks_first: bool,
}

/// `None`: somebody was faster; look again.
pub(super) type Round<T> = Result<Option<Arc<T>>, Stop>;

impl<T: ChildResource> Job<'_, T> {
    pub(super) fn what(&self) -> String {
        format!("{} {}", self.store.kind, self.desired.key)
    }

    pub(super) fn key(&self) -> &ObjectKey {
        &self.desired.key
    }

    pub(super) fn requests(&self) -> Requests<'_> {
        self.scope.requests()
    }

    pub(super) fn memo<R>(&self, with: impl FnOnce(&mut Memo) -> R) -> R {
        self.store.memo(self.key(), |memo| {
            memo.used = Some(Instant::now());
            with(memo)
        })
    }

    pub(super) fn count(&self, result: &'static str) {
        let children = self.scope.children();
        let kind = &children.owner_kind.kind;
        children
            .metrics
            .child_applied(kind, &self.store.kind, result);
    }

    async fn round(&self) -> Round<T> {
        if let Some(error) = self.store.undecodable(self.key()) {
            self.count("refused");
            return Err(error.into());
        }
        let cached = self.cached().await?;
        let live = cached.as_ref().map(|entry| entry.content.desired);
        if let Some(error) = self.memo(|memo| memo.refusal(&self.desired.hash, live)) {
            self.count("refused");
            return Err(error.into());
        }
        match cached {
            Some(entry) => self.update(entry).await,
            None if self.asks_first => match self.requests().get::<T>(self.key()).await? {
                Some(object) => self.found(object).await,
                None => self.create().await,
            },
            None => self.create().await,
        }
    }

    /// The object as the cache has it; read past it if the watch has not shown our own write in time.
    async fn cached(&self) -> Result<Option<Entry<T>>, Stop> {
        let Some(entry) = self.store.get(self.key()) else {
            return Ok(None);
        };
        if entry.unconfirmed.is_none_or(|until| until > Instant::now())
            && !mutated(Mutant::CacheFirst)
        {
            return Ok(Some(entry));
        }
        match self.requests().get::<T>(self.key()).await? {
            Some(object) => Ok(Some(self.store.answered(object))),
            None => {
                self.store
                    .vanished(self.key(), entry.object.meta().uid.as_deref());
                Ok(None)
            }
        }
    }

    pub(super) async fn update(&self, entry: Entry<T>) -> Round<T> {
        let what = self.what();
        if entry.object.meta().deletion_timestamp.is_some() {
            self.memo(|memo| memo.waiter = Some(self.scope.owner().key.clone()));
            let message = format!("{what} is being deleted; it is made anew when it is gone");
            return Err(ChildError::waits(reasons::CHILD_TERMINATING, message, GOING).into());
        }
        let standing = self.standing(&entry.object);
        if standing != Standing::Ours {
            self.admit(&standing, &entry.object, Some(entry.content.desired))?;
            return self.take_over(&entry.object, Some(&entry)).await;
        }
        let live = json(&*entry.object);
        let hash = &self.desired.hash;
        let is_marked = self.desired.is_marked(&live);
        let reference = (hash.clone(), entry.content.desired);
        let (is_same, was_applied) = self.memo(|memo| {
            (
                memo.applied.as_ref() == Some(&reference),
                memo.was_applied(hash),
            )
        });
        let containment = if mutated(Mutant::Containment) && self.desired.body != live {
            Containment::Differs(".spec".to_owned())
        } else if is_same {
            Containment::Contained
        } else {
            contained(&self.desired.body, &live)
        };
        let has_to_yield = self.desired.has_to_yield(&live);
        if is_marked && containment == Containment::Contained && !has_to_yield {
            self.memo(|memo| memo.applied = Some(reference));
            self.count("skipped");
            return Ok(Some(entry.object));
        }
        let heals = is_marked || was_applied;
        if self.is_slowed(heals, &containment) {
            return Ok(Some(entry.object));
        }
        if !heals && self.scope.is_rollout() {
            self.take_turn()?;
        }
        let entry = if has_to_yield {
            self.hand_over(&live).await?.unwrap_or(entry)
        } else {
            entry
        };
        let uid = entry.object.meta().uid.as_deref().unwrap_or_default();
        self.send(&self.desired.to_update(uid), Some(&entry), heals)
            .await
    }

    async fn create(&self) -> Round<T> {
        let heals = self.memo(|memo| memo.was_applied(&self.desired.hash));
        if self.is_slowed(heals, &Containment::Contained) {
            let message = format!(
                "{} is deleted by somebody else again and again",
                self.what()
            );
            return Err(ChildError::waits(reasons::FIGHT, message, HOLD).into());
        }
        let made = self.send(&self.desired.whole, None, heals).await?;
        let Some(object) = made else {
            return Ok(None);
        };
        let live = json(&*object);
        if !self.desired.has_to_yield(&live) {
            return Ok(Some(object));
        }
        let handed = self.hand_over(&live).await?;
        Ok(Some(handed.map_or(object, |entry| entry.object)))
    }

    /// Gives the yielded fields away, with the values they have.
    async fn hand_over(&self, live: &Value) -> Result<Option<Entry<T>>, Stop> {
        let children = self.scope.children();
        let manager = format!("{}-yielded", children.manager);
        let requests = Requests {
            client: &children.client,
            manager: &manager,
        };
        for with_fields in [true, false] {
            let body = self
                .desired
                .to_yield(live, with_fields, &self.store.options.yields);
            match requests.apply::<T>(self.key(), &body, false).await? {
                Applied::Done(object) => {
                    let entry = self.store.answered(object);
                    self.saw(&entry);
                    return Ok(Some(entry));
                }
                // Somebody else has the fields already: only the mark is left to set.
                Applied::Conflict(_) => {}
                Applied::Raced => return Ok(None),
                Applied::Immutable(message) | Applied::Refused(message) => {
                    let message = format!(
                        "the yielded fields of {} cannot be handed over: {message}",
                        self.what()
                    );
                    return Err(self.refuse(reasons::CHILD_REFUSED, message, None));
                }
            }
        }
        Ok(None)
    }

    fn saw(&self, entry: &Entry<T>) {
        let key = self.key().clone();
        self.scope
            .notes()
            .seen
            .set(TypeId::of::<T>(), key, entry.print);
    }

    pub(super) async fn send(
        &self,
        body: &Value,
        before: Option<&Entry<T>>,
        heals: bool,
    ) -> Round<T> {
        let live = before.map(|entry| entry.content.desired);
        let force = !self.store.options.yields_on_conflict;
        match self.requests().apply::<T>(self.key(), body, force).await? {
            Applied::Done(object) => {
                let entry = self.store.answered(object);
                self.saw(&entry);
                let changed = before.is_none_or(|before| before.version != entry.version);
                self.memo(|memo| {
                    memo.applied = Some((self.desired.hash.clone(), entry.content.desired));
                    memo.refused = None;
                    memo.waiter = None;
                    if changed {
                        memo.budget.spent(heals, Instant::now());
                    }
                });
                self.count(if changed && heals { "healed" } else { "sent" });
                Ok(Some(entry.object))
            }
            Applied::Raced => {
                let uid = before.and_then(|before| before.object.meta().uid.as_deref());
                self.store.vanished(self.key(), uid);
                Ok(None)
            }
            Applied::Conflict(message) => {
                let message = format!("{}: {message}", self.what());
                Err(self.refuse(reasons::FIELD_CONFLICT, message, live))
            }
            Applied::Immutable(message) => self.immutable(message, before).await,
            Applied::Refused(message) => {
                let message = format!("the server refuses {}: {message}", self.what());
                Err(self.refuse(reasons::CHILD_REFUSED, message, live))
            }
        }
    }

    async fn immutable(&self, message: String, before: Option<&Entry<T>>) -> Round<T> {
        let what = self.what();
        let uid = before.and_then(|before| before.object.meta().uid.as_deref());
        let Some(uid) = uid.filter(|_| self.store.options.recreate) else {
            let message = format!(
                "{what} cannot be changed as desired, since a field of it is immutable: {message}: delete it, or allow that by `.recreate_on_immutable()`"
            );
            return Err(self.refuse(
                reasons::IMMUTABLE_FIELD,
                message,
                before.map(|entry| entry.content.desired),
            ));
        };
        tracing::info!(child = %what, %message, "made anew: a field of it is immutable");
        match self.requests().delete::<T>(self.key(), uid).await? {
            Deleted::Gone => self.store.vanished(self.key(), Some(uid)),
            Deleted::Going(object) => {
                let entry = self.store.answered(object);
                self.saw(&entry);
            }
        }
        self.memo(|memo| memo.budget.spent(true, Instant::now()));
        // The next round makes it, or waits until it is gone.
        Ok(None)
    }
}

fn json<T: ChildResource>(object: &T) -> Value {
    // It came from JSON.
    serde_json::to_value(object).unwrap_or_default()
}
