//! Who is at work on what: no object may ever have two handlers at once, in whatever process.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use opgen_runtime::HandlerObserver;

/// The handlers of all processes of a scenario.
#[derive(Clone, Default)]
pub(crate) struct Handlers(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    at_work: BTreeMap<(String, String), Vec<&'static str>>,
    together: Option<String>,
}

impl Handlers {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first object that had two handlers at once, and which.
    pub(crate) fn together(&self) -> Option<String> {
        self.state().together.clone()
    }
}

impl HandlerObserver for Handlers {
    fn began(&self, kind: &str, uid: &str, phase: &'static str) {
        let mut state = self.state();
        let key = (kind.to_owned(), uid.to_owned());
        let phases = state.at_work.entry(key).or_default();
        phases.push(phase);
        if phases.len() > 1 {
            let found = format!("{kind} {uid}: {}", phases.join(" and "));
            state.together.get_or_insert(found);
        }
    }

    fn ended(&self, kind: &str, uid: &str, phase: &'static str) {
        let mut state = self.state();
        let key = (kind.to_owned(), uid.to_owned());
        let Some(phases) = state.at_work.get_mut(&key) else {
            return;
        };
        if let Some(index) = phases.iter().position(|one| *one == phase) {
            phases.remove(index);
        }
        if phases.is_empty() {
            state.at_work.remove(&key);
        }
    }
}
