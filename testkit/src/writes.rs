//! The writes of the operator, one by one: counted, failed, hung, and taken as the moment at which something else happens.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opgen_apiserver::{Cluster, Stage, WriteInfo, WriteVerdict};
use tokio::sync::Notify;

use crate::replay::When;

/// What becomes of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFault {
    /// Answered with this HTTP status; nothing is committed.
    Before(u16),
    /// Committed, and answered with this HTTP status.
    After(u16),
    /// Never answered; nothing is committed.
    HangBefore,
    /// Committed, never answered.
    HangAfter,
}

impl WriteFault {
    /// Its verdict, at its stage.
    fn at(self, stage: Stage) -> Option<WriteVerdict> {
        match (self, stage) {
            (Self::Before(code), Stage::Before) | (Self::After(code), Stage::After) => {
                Some(WriteVerdict::Fail(code))
            }
            (Self::HangBefore, Stage::Before) | (Self::HangAfter, Stage::After) => {
                Some(WriteVerdict::Hang)
            }
            _ => None,
        }
    }
}

/// Which write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// The n-th that changes something, counted from 1 since [`Writes::restart`]; once.
    Nth(usize),
    /// Every n-th that is tried.
    Every(usize),
}

enum Then {
    Fault(WriteFault),
    Crash(When, Arc<Notify>),
    Do(Box<dyn FnOnce() + Send>),
}

struct Rule {
    which: Which,
    then: Then,
}

/// The writes of all processes of the operator; those of leases and events are nobody's decisions and do not count.
#[derive(Clone, Default)]
pub(crate) struct Writes(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    users: Vec<String>,
    tried: usize,
    done: usize,
    /// How many of them failed by a rule that lasts.
    failed: usize,
    rules: Vec<Rule>,
}

impl Writes {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the writes of these users from now on.
    pub(crate) fn install(&self, cluster: &Cluster, users: Vec<String>) {
        self.state().users = users;
        let writes = self.clone();
        cluster.on_write(Arc::new(move |info, stage| writes.look(info, stage)));
    }

    /// Counts from 1 again, and forgets what was to become of writes.
    pub(crate) fn restart(&self) {
        let mut state = self.state();
        state.tried = 0;
        state.done = 0;
        state.failed = 0;
        state.rules.clear();
    }

    /// How many writes changed something since the restart.
    pub(crate) fn done(&self) -> usize {
        self.state().done
    }

    /// How many writes failed since the restart by a rule that lasts.
    pub(crate) fn failed(&self) -> usize {
        self.state().failed
    }

    pub(crate) fn fail(&self, which: Which, fault: WriteFault) {
        let then = Then::Fault(fault);
        self.state().rules.push(Rule { which, then });
    }

    /// Every write goes through again.
    pub(crate) fn recover(&self) {
        self.state().rules.clear();
    }

    /// Whether everything that was to happen once has happened.
    pub(crate) fn is_spent(&self) -> bool {
        self.state().rules.is_empty()
    }

    /// The n-th write is never answered, and `crashed` is told.
    pub(crate) fn crash_at(&self, write: usize, when: When, crashed: Arc<Notify>) {
        let (which, then) = (Which::Nth(write), Then::Crash(when, crashed));
        self.state().rules.push(Rule { which, then });
    }

    /// Does something when the `n`-th write from now is committed, before its answer arrives.
    pub(crate) fn after(&self, n: usize, act: impl FnOnce() + Send + 'static) {
        let mut state = self.state();
        let which = Which::Nth(state.done + n);
        let then = Then::Do(Box::new(act));
        state.rules.push(Rule { which, then });
    }

    fn look(&self, info: &WriteInfo, stage: Stage) -> WriteVerdict {
        let mut state = self.state();
        if !is_counted(&info.resource) || !state.users.contains(&info.user) {
            return WriteVerdict::Proceed;
        }
        let number = match stage {
            Stage::Before => {
                state.tried += 1;
                state.done + 1
            }
            Stage::After => {
                state.done += 1;
                state.done
            }
        };
        let tried = state.tried;
        let due = |rule: &Rule| {
            let now = match rule.which {
                Which::Nth(n) => n == number,
                Which::Every(n) => tried.is_multiple_of(n.max(1)),
            };
            now && match &rule.then {
                Then::Fault(fault) => fault.at(stage).is_some(),
                Then::Crash(when, _) => (*when == When::Before) == (stage == Stage::Before),
                Then::Do(_) => stage == Stage::After,
            }
        };
        let Some(index) = state.rules.iter().position(due) else {
            return WriteVerdict::Proceed;
        };
        if let (Which::Every(_), Then::Fault(fault)) =
            (state.rules[index].which, &state.rules[index].then)
        {
            let verdict = fault.at(stage).unwrap_or(WriteVerdict::Proceed);
            state.failed += 1;
            return verdict;
        }
        let rule = state.rules.remove(index);
        // What is done now may write, too.
        drop(state);
        match rule.then {
            Then::Fault(fault) => fault.at(stage).unwrap_or(WriteVerdict::Proceed),
            Then::Crash(_, crashed) => {
                crashed.notify_one();
                WriteVerdict::Hang
            }
            Then::Do(act) => {
                act();
                WriteVerdict::Proceed
            }
        }
    }
}

/// Whether writes of this resource are decisions about objects.
pub(crate) fn is_counted(resource: &str) -> bool {
    resource != "leases" && resource != "events"
}
