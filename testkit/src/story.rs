//! The life of the objects as their users shape it: created, changed, deleted. It goes on where a crash left it.

use std::time::Duration;

use serde_json::Value;

use crate::{
    oracle::{self, Oracle, Violation},
    process::{Life, reference},
    scenario::Scenario,
    world::World,
};

/// What users do, each once everything is settled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Create,
    Change(Value),
    Delete,
}

/// Where a life stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    act: usize,
    /// Whether the act was done, and is only waited for.
    done: bool,
}

/// What a life is disturbed by.
pub(crate) trait Disturb<P> {
    /// Right before the users act.
    fn before(&mut self, _world: &World<P>, _act: &Act) {}
    /// Right after. Returns how long to wait before all is well again; `None` = until the objects have settled.
    fn after(&mut self, _world: &World<P>, _act: &Act) -> Option<Duration> {
        None
    }
    /// All is to be well again.
    fn ends(&mut self, _world: &World<P>, _act: &Act) {}
    /// The objects are Ready for the last time.
    fn interlude(&mut self, _world: &World<P>) -> impl Future<Output = Result<(), Violation>> {
        async { Ok(()) }
    }
}

/// Nothing.
pub(crate) struct Calm;

impl<P> Disturb<P> for Calm {}

impl Progress {
    /// The objects exist, and are waited for.
    pub(crate) fn created() -> Self {
        Self { act: 0, done: true }
    }
}

impl<C, P> Scenario<C, P> {
    fn acts(&self) -> Vec<Act> {
        let changes = self.changes.iter().cloned().map(Act::Change);
        [Act::Create]
            .into_iter()
            .chain(changes)
            .chain([Act::Delete])
            .collect()
    }

    pub(crate) fn oracle(&self) -> Oracle<'_, P> {
        Oracle {
            objects: &self.objects,
            given: &self.given,
            outside: &*self.outside,
            expects: &self.expects,
            lives: 1,
        }
    }

    /// Goes on with the life, to its end. `quiet`: the three hours are waited for. Only the check of the role passes
    /// `false`: it leads, and a lease is renewed all the while.
    pub(crate) async fn live(
        &self,
        world: &World<P>,
        oracle: &Oracle<'_, P>,
        progress: &mut Progress,
        quiet: bool,
        disturb: &mut impl Disturb<P>,
    ) -> Result<(), Violation> {
        let acts = self.acts();
        while let Some(act) = acts.get(progress.act) {
            if !progress.done {
                disturb.before(world, act);
                self.perform(world, act)?;
                progress.done = true;
                if let Some(time) = disturb.after(world, act) {
                    world.advance(time).await;
                    disturb.ends(world, act);
                }
            }
            if *act == Act::Delete {
                oracle.goes_away(world).await?;
            } else {
                oracle.converges(world).await?;
            }
            disturb.ends(world, act);
            if acts.get(progress.act + 1) == Some(&Act::Delete) {
                if quiet {
                    oracle.stays_quiet(world).await?;
                }
                disturb.interlude(world).await?;
            }
            *progress = Progress {
                act: progress.act + 1,
                done: false,
            };
        }
        Ok(())
    }

    fn perform(&self, world: &World<P>, act: &Act) -> Result<(), Violation> {
        for object in &self.objects {
            let (kind, namespace, name) = reference(object);
            let done = match act {
                Act::Create => world.cluster.create_raw(object.clone()),
                Act::Change(patch) => world.cluster.patch_raw(&kind, &namespace, &name, "", patch),
                Act::Delete => {
                    // It may have gone by itself.
                    let _ = world.cluster.delete_raw(&kind, &namespace, &name);
                    continue;
                }
            };
            done.map_err(|error| {
                Violation::NoSuchMoment(format!(
                    "what a user does to {kind} {namespace}/{name} is refused: {error}"
                ))
            })?;
        }
        Ok(())
    }
}

impl<C: Send + Sync + 'static, P> Scenario<C, P> {
    /// The failed phase of each kind that has one.
    pub(crate) fn failed_phases(&self) -> Vec<(String, &'static str)> {
        let operator = (self.operator)();
        let kinds = operator.machine_paths().into_iter().map(|(kind, _)| kind);
        kinds
            .zip(operator.graphs())
            .filter_map(|(kind, graph)| {
                let failed = graph.phases.iter().find(|phase| phase.failed)?;
                Some((kind, failed.name))
            })
            .collect()
    }

    /// Whether an attempt may fail and be made anew without a trace outside.
    pub(crate) fn has_failed_phase(&self) -> bool {
        let is_outside = (self.outside)(&(self.provider)()).is_some();
        !is_outside && !self.failed_phases().is_empty()
    }
}

/// From creation to deletion in one process, undisturbed.
pub(crate) fn whole<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
) -> Result<(), Violation> {
    let mut life = Life::new(scenario);
    let lived = life.process(async |world: World<P>| {
        let oracle = scenario.oracle();
        let mut progress = Progress::default();
        scenario
            .live(&world, &oracle, &mut progress, true, &mut Calm)
            .await?;
        oracle::forbidden(&world)
    });
    verdict(&life, lived)
}

/// What came of a life.
pub(crate) fn verdict<C, P, T>(
    life: &Life<'_, C, P>,
    lived: Result<Result<T, Violation>, Violation>,
) -> Result<T, Violation> {
    never(life)?;
    lived?
}

/// What may never be, whatever else was found.
pub(crate) fn never<C, P>(life: &Life<'_, C, P>) -> Result<(), Violation> {
    let together = life.handlers.together().map(Violation::TwoAtOnce);
    let unexplained = life.unexplained.clone().map(Violation::Unexplained);
    together.or(unexplained).map_or(Ok(()), Err)
}
