//! The master oracle: once nothing is in the way, objects reach their steady phase with one external thing each, and
//! then nothing is written any more.

use std::{fmt, time::Duration};

use serde_json::Value;

use crate::{process::reference, scenario::Outside, world::World};

/// How long nothing may be written, in virtual time. Long enough for many resyncs.
const QUIET: Duration = Duration::from_secs(3 * 3600);
/// So many runs a minute and object are still quiet: a resync each minute, with its jitter.
const QUIET_RUNS: f64 = 1.5;
/// How long what is deleted outside may take to be gone there.
const AFTERMATH: Duration = Duration::from_secs(120);

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// An object did not become Ready, and how it looks.
    NotReady(String),
    /// The outside does not match the objects.
    Outside {
        /// When it was counted.
        when: &'static str,
        /// Objects there are.
        objects: usize,
        /// What was counted.
        found: Outside,
    },
    /// Something was written although nothing changed: the requests.
    NotQuiet(Vec<String>),
    /// Objects ran far more often than once a minute although nothing changed: runs a minute and object, times ten.
    Hot(u64),
    /// No run happened in three hours: an operator that is dead is quiet too.
    Dead,
    /// An object was not gone, and how it looks.
    NotGone(String),
    /// The write at which the operator was to crash was never made: the run differs from the reference run.
    NoCrash,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReady(object) => write!(f, "not Ready: {object}"),
            Self::Outside {
                when,
                objects,
                found,
            } => write!(
                f,
                "{when}: {objects} objects, but {} things were created outside and {} exist",
                found.created, found.live
            ),
            Self::NotQuiet(writes) => {
                write!(f, "written although nothing changed: {}", writes.join("; "))
            }
            Self::Hot(tenths) => write!(
                f,
                "{}.{} runs a minute and object although nothing changed: at most {QUIET_RUNS} are quiet (a resync each minute)",
                tenths / 10,
                tenths % 10
            ),
            Self::Dead => f.write_str("no run in three hours, not even a resync"),
            Self::NoCrash => {
                f.write_str("the write to crash at was never made: the run is not deterministic")
            }
            Self::NotGone(object) => write!(f, "deleted, but not gone: {object}"),
        }
    }
}

impl std::error::Error for Violation {}

type Count<P> = dyn Fn(&P) -> Option<Outside> + Send + Sync;

fn looks<P>(world: &World<P>, object: &Value) -> String {
    world
        .get(object)
        .map_or_else(|| "it does not exist".to_owned(), |found| found.to_string())
}

/// Every object becomes Ready, with one thing outside.
pub(crate) async fn converges<P>(
    world: &World<P>,
    objects: &[Value],
    outside: &Count<P>,
) -> Result<(), Violation> {
    for object in objects {
        if world.until(|| world.is_ready(object)).await.is_none() {
            return Err(Violation::NotReady(looks(world, object)));
        }
    }
    if let Some(found) = outside(&world.provider)
        && (found.created != objects.len() || found.live != objects.len())
    {
        return Err(Violation::Outside {
            when: "when all are Ready",
            objects: objects.len(),
            found,
        });
    }
    Ok(())
}

/// Three hours without a write, but not without a run, and with few of them.
pub(crate) async fn stays_quiet<P>(world: &World<P>, objects: usize) -> Result<(), Violation> {
    // What is under way when the last object becomes Ready may end.
    world.advance(Duration::from_secs(60)).await;
    let (mark, runs) = (world.cluster.log().last(), runs(world));
    world.advance(QUIET).await;
    let writes: Vec<_> = world
        .cluster
        .log()
        .since(mark)
        .iter()
        .filter(|entry| entry.user == world.user && entry.committed)
        .filter(|entry| entry.resource != "leases" && entry.resource != "events")
        .map(|entry| {
            format!(
                "{} {} {}/{} {}",
                entry.verb, entry.resource, entry.namespace, entry.name, entry.subresource
            )
        })
        .collect();
    if !writes.is_empty() {
        return Err(Violation::NotQuiet(writes));
    }
    let runs = self::runs(world) - runs;
    if runs <= 0.0 {
        return Err(Violation::Dead);
    }
    let rate = runs / (QUIET.as_secs_f64() / 60.0) / objects.max(1) as f64;
    if rate > QUIET_RUNS {
        return Err(Violation::Hot((rate * 10.0) as u64));
    }
    Ok(())
}

fn runs<P>(world: &World<P>) -> f64 {
    world.metric("controller_runtime_reconcile_total")
}

/// Deletes every object that is still there.
pub(crate) fn delete<P>(world: &World<P>, objects: &[Value]) {
    for object in objects {
        let (kind, namespace, name) = reference(object);
        // A former process may have seen it off already.
        let _ = world.cluster.delete_raw(&kind, &namespace, &name);
    }
}

/// Deleted objects go, and what they made outside goes with them.
pub(crate) async fn goes_away<P>(
    world: &World<P>,
    objects: &[Value],
    outside: &Count<P>,
) -> Result<(), Violation> {
    delete(world, objects);
    for object in objects {
        if world.until(|| world.get(object).is_none()).await.is_none() {
            return Err(Violation::NotGone(looks(world, object)));
        }
    }
    world.advance(AFTERMATH).await;
    if let Some(found) = outside(&world.provider)
        && found.live != 0
    {
        return Err(Violation::Outside {
            when: "when all are deleted",
            objects: 0,
            found,
        });
    }
    Ok(())
}
