//! Words that change with every look, as a flapping breaker's and an answer's with a number in it do: how often they may be
//! the reason of a write.

use std::time::Duration;

use tokio::time::Instant;

use crate::{
    engine::{
        bucket::{Bucket, Rate},
        driver::Driver,
        verdict::Verdict,
    },
    mutant::{Mutant, mutated},
    phase::PhaseMachine,
    reference::{Reason, reasons},
    status::conditions,
};

/// A few changes are news, and said at once; from then on one each minute is enough. What is due now stands in
/// `/debug/reconciles`.
const RATE: Rate = Rate {
    burst: 5,
    interval: Duration::from_secs(60),
};

/// What one object may still say in other words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    /// Absent until it says something in other words.
    tokens: Option<Box<Bucket>>,
    /// Whether this write keeps what stands there.
    keeps: bool,
}

impl Words {
    fn take(&mut self) -> Result<(), Duration> {
        let tokens = self
            .tokens
            .get_or_insert_with(|| Box::new(Bucket::new(RATE)));
        tokens.take(Instant::now())
    }
}

impl<M: PhaseMachine> Driver<M> {
    /// Before a write: whether it may change the words of what holds already.
    pub(super) fn weigh_words(&mut self, verdict: &Verdict<M>) {
        let note = verdict.note.as_ref().filter(|note| !note.stalled);
        let is_reworded = note
            .is_some_and(|note| self.rewords(conditions::RECONCILING, note.reason, &note.message))
            || self
                .sighted
                .unknown
                .as_ref()
                .is_some_and(|why| self.rewords(conditions::UNOBSERVED, reasons::UNKNOWN, why));
        self.words.keeps = is_reworded
            && verdict.to.is_none()
            && self.words.take().is_err()
            && !mutated(Mutant::SteadyWords);
    }

    fn rewords(&self, condition: &str, reason: Reason, message: &str) -> bool {
        conditions::said(self.kind.rules, self.raw(), condition)
            .is_some_and(|(said, words)| said == reason.as_str() && words != message)
    }

    /// The message to write: this one, or the one that stands there for the same reason.
    pub(super) fn words(&self, condition: &str, reason: Reason, message: &str) -> String {
        let said = || conditions::said(self.kind.rules, self.raw(), condition);
        let stands = self.words.keeps.then(said).flatten();
        match stands.filter(|(said, _)| said == reason.as_str()) {
            Some((_, words)) => words,
            None => message.to_owned(),
        }
    }
}
