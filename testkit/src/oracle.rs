//! The master oracle: once nothing is in the way, objects reach their steady phase with one external thing each, and
//! then nothing is written any more.

use std::{collections::BTreeSet, time::Duration};

use opgen_apiserver::LogEntry;
use serde_json::Value;

pub(crate) use crate::violation::Violation;
use crate::{
    process::reference,
    scenario::{Expect, Outside},
    world::World,
    writes::is_counted,
};

/// How long nothing may be written, in virtual time. Long enough for many resyncs.
const QUIET: Duration = Duration::from_secs(3 * 3600);
/// So many runs a minute and object are still quiet: a resync each minute, with its jitter.
const QUIET_RUNS: f64 = 1.5;
/// How long what is deleted outside may take to be gone there.
const AFTERMATH: Duration = Duration::from_secs(120);

type Count<P> = dyn Fn(&P) -> Option<Outside> + Send + Sync;

/// What the oracle knows of a scenario.
pub(crate) struct Oracle<'a, P> {
    pub(crate) objects: &'a [Value],
    pub(crate) given: &'a [Value],
    pub(crate) outside: &'a Count<P>,
    pub(crate) expects: &'a [Expect<P>],
    /// How many things each object may have made outside so far: its former namesakes made theirs.
    pub(crate) lives: usize,
}

impl<P> Oracle<'_, P> {
    /// Every object becomes Ready, with one thing outside, and as the scenario expects.
    pub(crate) async fn converges(&self, world: &World<P>) -> Result<(), Violation> {
        for object in self.objects {
            if waits(world, || world.is_ready(object)).await.is_none() {
                return Err(Violation::NotReady(looks(world, object)));
            }
        }
        let objects = self.objects.len();
        if let Some(found) = (self.outside)(&world.provider)
            && (found.created != objects * self.lives || found.live != objects)
        {
            return Err(Violation::Outside {
                when: "when all are Ready",
                objects,
                found,
            });
        }
        for object in self.objects {
            let found = world.get(object).unwrap_or_default();
            for expect in self.expects {
                expect(world, &found).map_err(Violation::Unexpected)?;
            }
        }
        Ok(())
    }

    /// Three hours without a write, but not without a run, and with few of them.
    pub(crate) async fn stays_quiet(&self, world: &World<P>) -> Result<(), Violation> {
        // What is under way when the last object becomes Ready may end.
        world.advance(Duration::from_secs(60)).await;
        let (mark, runs) = (world.cluster.log().last(), runs(world));
        world.advance(QUIET).await;
        let mut writes = world.cluster.log().since(mark);
        writes.retain(|entry| is_ours(world, entry) && entry.committed);
        if !writes.is_empty() {
            return Err(Violation::NotQuiet(writes.iter().map(words).collect()));
        }
        let runs = self::runs(world) - runs;
        if runs <= 0.0 {
            return Err(Violation::Dead);
        }
        let rate = runs / (QUIET.as_secs_f64() / 60.0) / self.objects.len().max(1) as f64;
        if rate > QUIET_RUNS {
            return Err(Violation::Hot((rate * 10.0) as u64));
        }
        Ok(())
    }

    /// Deletes every object that is still there.
    pub(crate) fn delete(&self, world: &World<P>) {
        for object in self.objects {
            let (kind, namespace, name) = reference(object);
            // A former process may have seen it off already.
            let _ = world.cluster.delete_raw(&kind, &namespace, &name);
        }
    }

    /// Deleted objects go, and what they made outside and in the cluster goes with them.
    pub(crate) async fn goes_away(&self, world: &World<P>) -> Result<(), Violation> {
        for object in self.objects {
            if waits(world, || world.get(object).is_none()).await.is_none() {
                return Err(Violation::NotGone(looks(world, object)));
            }
        }
        world.advance(AFTERMATH).await;
        if let Some(found) = (self.outside)(&world.provider)
            && found.live != 0
        {
            return Err(Violation::Outside {
                when: "when all are deleted",
                objects: 0,
                found,
            });
        }
        world.cluster.collect_garbage();
        let left = self.left(world);
        if left.is_empty() {
            Ok(())
        } else {
            Err(Violation::Leaked(left))
        }
    }

    /// What the operator wrote and what is still there, but for what others gave it.
    fn left(&self, world: &World<P>) -> Vec<String> {
        let given: BTreeSet<_> = self.given.iter().map(reference).collect();
        let mut log = world.cluster.log().entries();
        log.retain(|entry| is_ours(world, entry) && entry.committed);
        let written: BTreeSet<_> = log
            .iter()
            .map(|entry| (resource(entry), place(entry)))
            .collect();
        let mut left = Vec::new();
        for (resource, (namespace, name)) in written {
            let Ok(found) = world.cluster.get_raw(&resource, &namespace, &name) else {
                continue;
            };
            let what = reference(&found);
            if !given.contains(&what) {
                left.push(format!("{} {namespace}/{name}", what.0));
            }
        }
        left
    }
}

/// What the role did not allow.
pub(crate) fn forbidden<P>(world: &World<P>) -> Result<(), Violation> {
    let mut log = world.cluster.log().entries();
    log.retain(|entry| world.users.contains(&entry.user) && entry.code == 403);
    let asked: BTreeSet<_> = log.iter().map(words).collect();
    if asked.is_empty() {
        return Ok(());
    }
    Err(Violation::Forbidden(asked.into_iter().collect()))
}

/// Whether it is a request of the operator about objects.
pub(crate) fn is_ours<P>(world: &World<P>, entry: &LogEntry) -> bool {
    world.users.contains(&entry.user) && is_counted(&entry.resource)
}

/// The resource as the cluster's raw calls want it.
pub(crate) fn resource(entry: &LogEntry) -> String {
    if entry.group.is_empty() {
        entry.resource.clone()
    } else {
        format!("{}.{}", entry.resource, entry.group)
    }
}

fn place(entry: &LogEntry) -> (String, String) {
    (entry.namespace.clone(), entry.name.clone())
}

fn words(entry: &LogEntry) -> String {
    let part = if entry.subresource.is_empty() {
        String::new()
    } else {
        format!("/{}", entry.subresource)
    };
    format!(
        "{} {}{part} {}/{}",
        entry.verb, entry.resource, entry.namespace, entry.name
    )
}

/// Waits until `holds` of what the cluster has; looks only when that has changed.
async fn waits<P>(world: &World<P>, holds: impl Fn() -> bool) -> Option<Duration> {
    let mut seen = 0;
    let has_come = || {
        let revision = world.cluster.revision();
        std::mem::replace(&mut seen, revision) != revision && holds()
    };
    world.until(has_come).await
}

fn looks<P>(world: &World<P>, object: &Value) -> String {
    world
        .get(object)
        .map_or_else(|| "it does not exist".to_owned(), |found| found.to_string())
}

fn runs<P>(world: &World<P>) -> f64 {
    world.metric("controller_runtime_reconcile_total")
}
