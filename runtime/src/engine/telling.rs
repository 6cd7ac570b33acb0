//! What people are told of a run, beside its verdict.

use crate::{
    engine::{
        controller::LOOP_NOTE,
        driver::Driver,
        report::Next,
        verdict::{Note, Verdict},
    },
    phase::PhaseMachine,
    reference::reasons,
    status::conditions,
};

impl<M: PhaseMachine> Driver<M> {
    /// A child that only a person can mend stalls its owner, whatever the phase; people are told once.
    pub(super) fn tell_children(&self, verdict: &mut Verdict<M>) {
        if let Some(blocked) = &self.children.blocked {
            let message = blocked.to_string();
            if matches!(verdict.next, Next::Retry { .. }) && verdict.to.is_none() {
                verdict.note = Some(Note {
                    reason: blocked.reason(),
                    message: message.clone(),
                    stalled: true,
                });
            }
            if !self.is_told(conditions::CHILD_BLOCKED, &message) {
                let events = &self.kind.events;
                events.warn(&*self.object, blocked.reason(), message);
            }
        }
        if let Some(fight) = &self.children.fight
            && !self.is_told(conditions::FIELD_FIGHT, fight)
        {
            let events = &self.kind.events;
            events.warn(&*self.object, reasons::FIGHT, fight.clone());
        }
    }

    /// Shown for as long as it goes on, unless there is something better to say.
    pub(super) fn tell_loop(&self, verdict: &mut Verdict<M>) {
        let rests = matches!(verdict.next, Next::Settled { .. });
        if self.is_looping && !rests && verdict.note.is_none() {
            verdict.note = Some(Note {
                reason: reasons::UPDATE_LOOP,
                message: LOOP_NOTE.to_owned(),
                stalled: false,
            });
        }
    }
}
