//! How fast a child may be written: fights are slowed down, and what changes about all children takes turns.

use std::time::Duration;

use tokio::time::Instant;

use crate::{
    children::{ChildError, ChildResource, apply::Job, contains::Containment, scope::Stop},
    mutant::{Mutant, mutated},
    reference::reasons,
};

impl<T: ChildResource> Job<'_, T> {
    /// A fight is told until it has been quiet for a while: not at every other write.
    pub(super) fn remember_fight(&self) {
        let fight = self.memo(|memo| {
            if memo.fight.is_some() && memo.budget.has_recovered(Instant::now()) {
                memo.fight = None;
            }
            memo.fight.clone()
        });
        if let Some(message) = fight {
            self.scope.notes().fight.get_or_insert(message);
        }
    }

    /// Whether the child has been written too often of late: then the owner comes back when it may be written again.
    pub(super) fn is_slowed(&self, heals: bool, containment: &Containment) -> bool {
        let wait = self.memo(|memo| memo.budget.wait(heals, Instant::now()));
        if wait.is_zero() || mutated(Mutant::ApplyBudget) {
            return false;
        }
        let what = self.what();
        let message = match containment {
            Containment::Differs(path) if heals => format!(
                "somebody else keeps changing {path} of {what} back: stop the other writer, or leave the field to it by `.yields(\"{}\")`; until then it is written every other minute",
                path.replace('.', "/")
            ),
            _ if heals => format!(
                "{what} is deleted or changed by somebody else again and again: it is written every other minute"
            ),
            _ => format!(
                "what is desired of {what} changes at every run: a time or a random value must not be part of it"
            ),
        };
        self.memo(|memo| memo.fight = Some(message.clone()));
        self.scope.notes().fight = Some(message);
        let owner = &self.scope.owner().key;
        self.store.bell().run_at(owner, Instant::now() + wait);
        self.count("refused");
        true
    }

    /// What changes about many children at once changes about one after the other.
    pub(super) fn take_turn(&self) -> Result<(), Stop> {
        let turn = self.memo(|memo| {
            let turn = memo
                .turn
                .take()
                .filter(|(hash, _)| *hash == self.desired.hash);
            turn.map(|(_, turn)| turn)
        });
        let turn = turn.unwrap_or_else(|| self.store.next_turn());
        let wait = turn.saturating_duration_since(Instant::now());
        if wait.is_zero() || mutated(Mutant::UpdateBudget) {
            return Ok(());
        }
        let hash = self.desired.hash.clone();
        self.memo(|memo| memo.turn = Some((hash, turn)));
        // To the moment: the wait of the owner is jittered, and it may be woken for something else.
        self.store.bell().run_at(&self.scope.owner().key, turn);
        let message = format!(
            "{} waits for its turn: so many {}s change at the same time",
            self.what(),
            self.store.kind
        );
        Err(ChildError::waits(
            reasons::UPDATE_BUDGET,
            message,
            wait.max(Duration::from_secs(1)),
        )
        .into())
    }
}
