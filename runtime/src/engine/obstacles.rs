//! What a run could not see, and what a clean-up lacks: said on conditions and in an event.

use crate::{
    engine::driver::Driver,
    mutant::{Mutant, mutated},
    phase::PhaseMachine,
    reference::{Reason, reasons},
    status::conditions::{self, Conditions, Truth},
};

/// Why a clean-up cannot go on, though nothing is wrong with the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Obstacle {
    reason: Reason,
    message: String,
}

impl<M: PhaseMachine> Driver<M> {
    /// Looks whether the clean-up that just ended without a proof lacks what it depends on; people are told once.
    pub(super) fn find_obstacle(&mut self) {
        let missing = self.children.missing.as_ref().map(|missing| Obstacle {
            reason: reasons::DEPENDENCY_MISSING,
            message: format!(
                "the clean-up refers to {missing}, which is not there: restore it, or let go of the outside by the annotation opgen.dev/orphan-external: \"true\""
            ),
        });
        let refused = self.sighted.refused.as_ref().map(|refusal| Obstacle {
            reason: reasons::CREDENTIALS_REFUSED,
            message: format!(
                "the client {} is refused: {}: restore its secret or its role, or let go of the outside by the annotation opgen.dev/orphan-external: \"true\"",
                refusal.client, refusal.words
            ),
        });
        self.obstacle = missing.or(refused);
        if mutated(Mutant::CleanupBlocked) {
            self.obstacle = None;
        }
        if let Some(obstacle) = &self.obstacle
            && !self.is_told(conditions::CLEANUP_BLOCKED, &obstacle.message)
        {
            let events = &self.kind.events;
            events.warn(&*self.object, obstacle.reason, obstacle.message.clone());
        }
    }

    /// Whether that condition says so already: people are told once.
    pub(super) fn is_told(&self, condition: &str, message: &str) -> bool {
        conditions::text_of(self.kind.rules, self.raw(), condition)
            .is_some_and(|(_, told)| told == message)
    }

    /// Adds what the run could not see, and what the clean-up lacks.
    pub(super) fn mark_obstacles(&self, all: Conditions) -> Conditions {
        let all = match &self.sighted.unknown {
            Some(_) if mutated(Mutant::Unobserved) => all,
            Some(why) => all.with(
                conditions::UNOBSERVED,
                Truth::True,
                reasons::UNKNOWN,
                self.words(conditions::UNOBSERVED, reasons::UNKNOWN, why),
            ),
            None if self.sighted.has_looked => all.without(conditions::UNOBSERVED),
            None => all,
        };
        match &self.obstacle {
            Some(Obstacle { reason, message }) => all.with(
                conditions::CLEANUP_BLOCKED,
                Truth::True,
                *reason,
                message.clone(),
            ),
            None => all.without(conditions::CLEANUP_BLOCKED),
        }
    }
}
