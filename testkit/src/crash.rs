//! Crash exploration: the operator dies before and after each of its writes, comes back, and has to recover; where pairs
//! are asked for, it dies in the recovery, too.

use std::{ffi::OsStr, sync::Arc};

use tokio::sync::Notify;

use crate::{
    oracle::{self, Violation},
    process::Life,
    replay::{CrashPoint, Replay, When},
    report::{Exploration, in_parallel},
    scenario::Scenario,
    story::{Calm, Progress, verdict},
    world::World,
};

/// How many crashes a life has at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// One.
    Points,
    /// Two: the recovery is crashed, too.
    Pairs,
}

impl Depth {
    /// Points, as they take seconds; pairs where `OPGEN_CRASH_PAIRS` is set, to neither nothing nor 0.
    pub(crate) fn from_env() -> Self {
        Self::said(std::env::var_os("OPGEN_CRASH_PAIRS").as_deref())
    }

    fn said(pairs: Option<&OsStr>) -> Self {
        match pairs {
            Some(pairs) if !pairs.is_empty() && pairs != "0" => Self::Pairs,
            _ => Self::Points,
        }
    }
}

/// What came of a life.
type Lived = (Result<(), Violation>, Survivor);

/// What the last process left for comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survivor {
    /// How many writes the last process made.
    pub(crate) writes: usize,
    /// The children when all was Ready for the last time, if the last process saw that.
    children: Option<Vec<String>>,
}

pub(crate) fn explore<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    depth: Depth,
) -> Exploration {
    let mut exploration = Exploration::new(scenario.seed);
    let (lived, reference) = live(scenario, &[]);
    exploration.writes = reference.writes;
    if let Err(violation) = lived {
        // Whatever follows would only say the same again.
        exploration.violations.push((None, violation));
        return exploration;
    }
    let singles = after(&[], reference.writes);
    let found = attempt(scenario, &singles, &reference, &mut exploration);
    exploration.crashes = singles.len();
    if depth == Depth::Points {
        return exploration;
    }
    let pairs: Vec<_> = singles
        .iter()
        .zip(found)
        .flat_map(|(points, writes)| after(points, writes))
        .collect();
    attempt(scenario, &pairs, &reference, &mut exploration);
    exploration.pairs = pairs.len();
    exploration
}

/// Every crash of a process that makes so many writes, after those before.
fn after(points: &[CrashPoint], writes: usize) -> Vec<Vec<CrashPoint>> {
    (1..=writes)
        .flat_map(|write| [When::Before, When::After].map(|when| CrashPoint { write, when }))
        .map(|point| [points, &[point]].concat())
        .collect()
}

/// Lives all these lives; returns how many writes the last process of each made, and notes what did not recover.
fn attempt<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    lives: &[Vec<CrashPoint>],
    reference: &Survivor,
    exploration: &mut Exploration,
) -> Vec<usize> {
    let lived: Vec<Lived> = in_parallel(lives, |points| live(scenario, points));
    let mut writes = Vec::new();
    for (points, (lived, survivor)) in lives.iter().zip(lived) {
        let lived = lived.and_then(|()| alike(reference, &survivor));
        // What did not recover is not crashed once more.
        writes.push(if lived.is_ok() { survivor.writes } else { 0 });
        if let Err(violation) = lived {
            let replay = Some(Replay::Crashes(points.clone()));
            exploration.violations.push((replay, violation));
        }
    }
    writes
}

/// The children of a life with crashes are those of one without.
fn alike(reference: &Survivor, survivor: &Survivor) -> Result<(), Violation> {
    match (&reference.children, &survivor.children) {
        (Some(expected), Some(found)) if expected != found => Err(Violation::Children {
            expected: expected.clone(),
            found: found.clone(),
        }),
        _ => Ok(()),
    }
}

/// A life in which each process but the last dies at its point.
pub(crate) fn live<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    points: &[CrashPoint],
) -> Lived {
    let mut life = Life::new(scenario);
    let mut survivor = Survivor::default();
    let mut progress = Progress::default();
    for point in points {
        let crashed = Arc::new(Notify::new());
        let writes = life.writes.clone();
        let died = life.process(async |world: World<P>| {
            writes.crash_at(point.write, point.when, Arc::clone(&crashed));
            let (oracle, mut calm) = (scenario.oracle(), Calm);
            tokio::select! {
                biased;
                () = crashed.notified() => Ok(()),
                // Quiet hours as in the reference: what is still under way when all is Ready is written then.
                lived = scenario.live(&world, &oracle, &mut progress, true, &mut calm) => {
                    lived?;
                    Err(Violation::NoSuchMoment(format!(
                        "the write to crash at ({point}) was never made: the run is not deterministic, or has no such write"
                    )))
                }
            }
        });
        if let Err(violation) = verdict(&life, died) {
            return (Err(violation), survivor);
        }
    }
    let lived = life.process(async |world: World<P>| {
        let oracle = scenario.oracle();
        scenario
            .live(&world, &oracle, &mut progress, true, &mut survivor)
            .await?;
        oracle::forbidden(&world)
    });
    survivor.writes = life.writes.done();
    (verdict(&life, lived), survivor)
}

impl<P> crate::story::Disturb<P> for Survivor {
    async fn interlude(&mut self, world: &World<P>) -> Result<(), Violation> {
        self.children = Some(crate::children::names(world));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Depth;

    #[test]
    fn pairs_are_asked_for_by_what_is_neither_nothing_nor_0() {
        let said = |pairs: Option<&str>| Depth::said(pairs.map(AsRef::as_ref));
        for points in [None, Some(""), Some("0")] {
            assert_eq!(said(points), Depth::Points, "{points:?}");
        }
        assert_eq!(said(Some("1")), Depth::Pairs);
    }
}
