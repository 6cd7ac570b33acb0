//! Crash exploration: the operator dies before and after each of its writes, comes back, and has to recover.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use opgen_apiserver::{Stage, WriteVerdict};
use tokio::sync::Notify;

use crate::{
    oracle::{self, Violation},
    process::Life,
    scenario::Scenario,
    world::World,
};

/// Which side of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The request was sent; nothing is committed.
    Before,
    /// It is committed; the operator never hears of it.
    After,
}

/// Where the operator dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrashPoint {
    /// The n-th write of the operator, from 1.
    pub write: usize,
    /// Before or after it.
    pub when: When,
}

impl fmt::Display for CrashPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = match self.when {
            When::Before => "before",
            When::After => "after",
        };
        write!(f, "{when} write {}", self.write)
    }
}

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The seed it ran under.
    pub seed: u64,
    /// How many writes an undisturbed life has.
    pub writes: usize,
    /// How many crashes were tried.
    pub crashes: usize,
    /// What did not recover; `None` stands for the undisturbed run.
    pub violations: Vec<(Option<CrashPoint>, Violation)>,
}

impl fmt::Display for Exploration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} crashes over {} writes, {} violations (replay with OPGEN_SEED={})",
            self.crashes,
            self.writes,
            self.violations.len(),
            self.seed
        )?;
        for (point, violation) in &self.violations {
            match point {
                Some(point) => writeln!(f, "  crash {point}: {violation}")?,
                None => writeln!(f, "  without a crash: {violation}")?,
            }
        }
        Ok(())
    }
}

pub(crate) fn explore<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
) -> Exploration {
    let mut exploration = Exploration {
        seed: scenario.seed,
        writes: 0,
        crashes: 0,
        violations: Vec::new(),
    };
    let counter = Arc::new(AtomicUsize::new(0));
    let mut life = Life::new(scenario);
    count_writes(&life, &counter, None, &Arc::default());
    if let Err(violation) = life.whole() {
        exploration.violations.push((None, violation));
    }
    exploration.writes = counter.load(Ordering::SeqCst);
    for write in 1..=exploration.writes {
        for when in [When::Before, When::After] {
            let point = CrashPoint { write, when };
            exploration.crashes += 1;
            if let Err(violation) = crash(scenario, point) {
                exploration.violations.push((Some(point), violation));
            }
        }
    }
    exploration
}

/// Counts the operator's writes; at `point` the request never returns and `crashed` is told.
fn count_writes<C: Send + Sync + 'static, P: Clone + 'static>(
    life: &Life<'_, C, P>,
    counter: &Arc<AtomicUsize>,
    point: Option<CrashPoint>,
    crashed: &Arc<Notify>,
) {
    let (user, counter, crashed) = (life.user(), Arc::clone(counter), Arc::clone(crashed));
    life.cluster.on_write(Arc::new(move |write, stage| {
        let ours = write.user == user && write.resource != "leases" && write.resource != "events";
        if !ours {
            return WriteVerdict::Proceed;
        }
        let number = match stage {
            Stage::Before => counter.load(Ordering::SeqCst) + 1,
            Stage::After => counter.fetch_add(1, Ordering::SeqCst) + 1,
        };
        let when = if stage == Stage::Before {
            When::Before
        } else {
            When::After
        };
        if point
            == Some(CrashPoint {
                write: number,
                when,
            })
        {
            crashed.notify_one();
            return WriteVerdict::Hang;
        }
        WriteVerdict::Proceed
    }));
}

/// A life with one crash in it.
fn crash<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    point: CrashPoint,
) -> Result<(), Violation> {
    let mut life = Life::new(scenario);
    let (counter, crashed) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    count_writes(&life, &counter, Some(point), &crashed);
    life.create_objects();
    let objects = scenario.objects.clone();
    let outside = Arc::clone(&scenario.outside);
    // The first process lives until the crash; a user deletes the objects once they are Ready.
    life.process(async |world: World<P>| {
        let undisturbed = async {
            oracle::converges(&world, &objects, &*outside).await?;
            oracle::delete(&world, &objects);
            world.advance(scenario.patience).await;
            Err(Violation::NoCrash)
        };
        tokio::select! {
            () = crashed.notified() => Ok(()),
            failed = undisturbed => failed,
        }
    })?;
    let terminating = |world: &World<P>| {
        objects.iter().all(|object| {
            world
                .get(object)
                .is_none_or(|found| found.pointer("/metadata/deletionTimestamp").is_some())
        })
    };
    // The second one has to see it through.
    life.cluster.clear_write_hook();
    life.process(async |world: World<P>| {
        if !terminating(&world) {
            oracle::converges(&world, &objects, &*outside).await?;
            oracle::stays_quiet(&world, objects.len()).await?;
        }
        oracle::goes_away(&world, &objects, &*outside).await
    })
}
