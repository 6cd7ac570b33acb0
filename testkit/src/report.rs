//! What an exploration found, and the threads it is spread over.

use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

#[cfg(feature = "__mutants")]
use opgen_runtime::__mutants::carried;

use crate::{oracle::Violation, replay::Replay};

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The seed it ran under.
    pub seed: u64,
    /// How many writes an undisturbed life has.
    pub writes: usize,
    /// How many lives with one crash were tried.
    pub crashes: usize,
    /// How many lives with two crashes were tried.
    pub pairs: usize,
    /// How many lives with another trouble were tried.
    pub troubles: usize,
    /// What did not recover, and the string that repeats it with [`Scenario::replay`](crate::Scenario::replay); `None`
    /// stands for the undisturbed life.
    pub violations: Vec<(Option<Replay>, Violation)>,
}

impl Exploration {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            writes: 0,
            crashes: 0,
            pairs: 0,
            troubles: 0,
            violations: Vec::new(),
        }
    }

    pub(crate) fn asserted(self) -> Self {
        assert!(self.violations.is_empty(), "{self}");
        self
    }
}

impl fmt::Display for Exploration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} crashes, {} pairs and {} other troubles over {} writes, {} violations (OPGEN_SEED={})",
            self.crashes,
            self.pairs,
            self.troubles,
            self.writes,
            self.violations.len(),
            self.seed
        )?;
        for (replay, violation) in &self.violations {
            match replay {
                Some(replay) => writeln!(f, "  replay(\"{replay}\"): {violation}")?,
                None => writeln!(f, "  undisturbed: {violation}")?,
            }
        }
        Ok(())
    }
}

#[cfg(not(feature = "__mutants"))]
fn carried<F>(work: F) -> F {
    work
}

/// Does `work` for every item, on as many threads as there are cores; the results are in the order of the items.
pub(crate) fn in_parallel<I: Sync, R: Send>(items: &[I], work: impl Fn(&I) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(carried(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else {
                        return;
                    };
                    let result = work(item);
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results.push((index, result));
                }
            }));
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
