//! Lives in trouble, one after the other: the sweep, and how each trouble begins and ends.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::{
    children,
    oracle::{self, Violation},
    past,
    process::{Life, reference},
    replay::Replay,
    report::{Exploration, in_parallel},
    scenario::Scenario,
    story::{Act, Disturb, Progress, verdict},
    trouble::{Trouble, VERBS},
    vanished,
    world::World,
    writes::WriteFault,
};

/// How long what lasts goes on.
const LASTS: Duration = Duration::from_secs(120);
/// How a single write fails.
const WRITE_FAULTS: &[WriteFault] = &[
    WriteFault::Before(409),
    WriteFault::Before(500),
    WriteFault::After(504),
    WriteFault::HangBefore,
    WriteFault::HangAfter,
];

pub(crate) fn explore<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
) -> Exploration {
    let mut exploration = Exploration::new(scenario.seed);
    let survey = survey(scenario);
    let survey = match survey {
        Ok(survey) => survey,
        Err(violation) => {
            exploration.violations.push((None, violation));
            return exploration;
        }
    };
    exploration.writes = survey.writes;
    let troubles = survey.troubles(scenario);
    exploration.troubles = troubles.len();
    let lived = in_parallel(&troubles, |trouble| check(scenario, trouble));
    for (trouble, lived) in troubles.into_iter().zip(lived) {
        // A child of which only whole lists and maps are set has nothing for a merge patch to edit, no operator uses
        // every verb, and not every change is one of the spec.
        let is_rare = matches!(
            trouble,
            Trouble::ChildEdited { .. } | Trouble::Hung(_) | Trouble::FailedByHand
        );
        if let Err(violation) = lived {
            if is_rare && matches!(violation, Violation::NoSuchMoment(_)) {
                continue;
            }
            let replay = Some(Replay::Trouble(trouble));
            exploration.violations.push((replay, violation));
        }
    }
    exploration
}

/// What an undisturbed life has places for.
struct Survey {
    writes: usize,
    created_by: usize,
    changed_from: usize,
    changed_by: usize,
    children: usize,
    revisions: u64,
}

/// Looks at a life: after how many writes what was settled.
#[derive(Default)]
struct Looker {
    before: Vec<usize>,
    children: usize,
    writes: crate::writes::Writes,
}

impl<P> Disturb<P> for Looker {
    fn before(&mut self, _: &World<P>, _: &Act) {
        self.before.push(self.writes.done());
    }

    async fn interlude(&mut self, world: &World<P>) -> Result<(), Violation> {
        self.children = children::names(world).len();
        Ok(())
    }
}

fn survey<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
) -> Result<Survey, Violation> {
    let mut life = Life::new(scenario);
    let mut looker = Looker {
        writes: life.writes.clone(),
        ..Looker::default()
    };
    let lived = life.process(async |world: World<P>| {
        let (oracle, mut progress) = (scenario.oracle(), Progress::default());
        scenario
            .live(&world, &oracle, &mut progress, true, &mut looker)
            .await?;
        oracle::forbidden(&world)
    });
    let writes = life.writes.done();
    verdict(&life, lived)?;
    // Before creation, each change, and deletion.
    let deleted_from = looker.before.last().copied().unwrap_or(writes);
    let changed_from = match looker.before.len() {
        0..=2 => deleted_from,
        acts => looker.before[acts - 2],
    };
    Ok(Survey {
        writes,
        created_by: looker.before.get(1).copied().unwrap_or(writes),
        changed_from,
        changed_by: deleted_from,
        children: looker.children,
        revisions: past::revisions(scenario)?,
    })
}

impl Survey {
    fn troubles<C, P>(&self, scenario: &Scenario<C, P>) -> Vec<Trouble>
    where
        C: Send + Sync + 'static,
    {
        let mut all = vec![
            Trouble::Lag(Duration::from_secs(1)),
            Trouble::Lag(Duration::from_secs(4)),
            Trouble::Lag(Duration::from_secs(30)),
            Trouble::DuplicateEvents,
            Trouble::MissedEdges,
            Trouble::CutWatches,
            Trouble::ExpiredWatches,
            Trouble::Refused(429),
            Trouble::Refused(500),
            Trouble::StatusRefused(422),
        ];
        all.extend(VERBS.iter().map(|verb| Trouble::Hung((*verb).to_owned())));
        if scenario.hangs.is_some() {
            all.push(Trouble::HungProvider);
        }
        for fault in WRITE_FAULTS.iter().copied() {
            all.extend((1..=self.writes).map(|nth| Trouble::Write { nth, fault }));
        }
        for fault in [WriteFault::Before(409), WriteFault::After(504)] {
            let each = [2, 3].into_iter().filter(|each| *each <= self.writes);
            all.extend(each.map(|each| Trouble::EveryWrite { each, fault }));
        }
        let caused = self.changed_by - self.changed_from;
        all.extend((1..=caused).map(|write| Trouble::Reverted { write }));
        all.extend((1..=self.children).map(|child| Trouble::ChildDeleted { child }));
        all.extend((1..=self.children).map(|child| Trouble::ChildEdited { child }));
        if vanished::is_possible(scenario) {
            let writes = 1..=self.created_by;
            all.extend(writes.map(|write| Trouble::NamespaceDeleted { write }));
        }
        if scenario.has_failed_phase() && !scenario.changes.is_empty() {
            all.push(Trouble::FailedByHand);
        }
        all.extend((0..=self.revisions).map(|revision| Trouble::OldUid { revision }));
        all
    }
}

/// The whole life in one trouble.
pub(crate) fn check<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    trouble: &Trouble,
) -> Result<(), Violation> {
    match trouble {
        Trouble::OldUid { revision } => return past::check(scenario, *revision),
        Trouble::NamespaceDeleted { write } => return vanished::check(scenario, *write),
        Trouble::HungProvider if scenario.hangs.is_none() => {
            return Err(Violation::NoSuchMoment(
                "the scenario does not say how its provider hangs: use Scenario::hangs".to_owned(),
            ));
        }
        _ => {}
    }
    let mut life = Life::new(scenario);
    let lived = life.process(async |world: World<P>| {
        let (oracle, mut progress) = (scenario.oracle(), Progress::default());
        let mut arms = Arms::new(scenario, trouble);
        if let Trouble::Write { nth, fault } = trouble {
            world.fail_write(*nth, *fault);
        }
        scenario
            .live(&world, &oracle, &mut progress, true, &mut arms)
            .await?;
        arms.came(&world)?;
        oracle::forbidden(&world)
    });
    verdict(&life, lived)
}

/// A trouble that begins with each act.
pub(crate) struct Arms<'a, C, P> {
    scenario: &'a Scenario<C, P>,
    trouble: &'a Trouble,
    last_change: Option<&'a Value>,
    /// Whether it is under way.
    lasts: bool,
}

impl<'a, C, P> Arms<'a, C, P> {
    pub(crate) fn new(scenario: &'a Scenario<C, P>, trouble: &'a Trouble) -> Self {
        Self {
            scenario,
            trouble,
            last_change: scenario.changes.last(),
            lasts: false,
        }
    }

    /// Whether the moment ever came, and what lasted touched anything.
    fn came(&self, world: &World<P>) -> Result<(), Violation> {
        let (came, otherwise) = match self.trouble {
            Trouble::Write { .. } | Trouble::Reverted { .. } => {
                (world.writes.is_spent(), "that write was never made")
            }
            Trouble::Lag(_)
            | Trouble::DuplicateEvents
            | Trouble::MissedEdges
            | Trouble::CutWatches
            | Trouble::ExpiredWatches
            | Trouble::Hung(_)
            | Trouble::Refused(_)
            | Trouble::StatusRefused(_)
            | Trouble::EveryWrite { .. } => (world.touched() > 0, "it touched nothing"),
            _ => return Ok(()),
        };
        let missing = || Violation::NoSuchMoment(format!("{}: {otherwise}", self.trouble));
        came.then_some(()).ok_or_else(missing)
    }
}

impl<C, P> Disturb<P> for Arms<'_, C, P> {
    fn before(&mut self, world: &World<P>, act: &Act) {
        self.lasts = true;
        match self.trouble {
            Trouble::Lag(by) => world.lag_events(*by),
            Trouble::DuplicateEvents => world.duplicate_events(),
            Trouble::CutWatches => world.cut_watches_after_each_event(),
            Trouble::ExpiredWatches => world.expire_watches_after_each_event(),
            Trouble::MissedEdges => {
                world.hang_requests("watch");
                world.cluster.cut_watches();
            }
            Trouble::Hung(verb) => {
                world.hang_requests(verb);
                match &**verb {
                    "list" => world.expire_watches(),
                    "watch" => world.cluster.cut_watches(),
                    _ => {}
                }
            }
            Trouble::Refused(code) => world.refuse_requests(*code),
            Trouble::StatusRefused(code) => world.refuse_status(*code),
            Trouble::HungProvider => self.hang(world, true),
            Trouble::EveryWrite { each, fault } => world.fail_every_write(*each, *fault),
            Trouble::Reverted { write } => {
                if let Act::Change(patch) = act
                    && Some(patch) == self.last_change
                {
                    self.revert_after(world, *write, patch);
                }
            }
            _ => {}
        }
    }

    fn after(&mut self, _: &World<P>, _: &Act) -> Option<Duration> {
        match self.trouble {
            Trouble::Hung(_)
            | Trouble::Refused(_)
            | Trouble::StatusRefused(_)
            | Trouble::HungProvider
            | Trouble::MissedEdges => Some(LASTS),
            _ => None,
        }
    }

    fn ends(&mut self, world: &World<P>, _: &Act) {
        if !std::mem::take(&mut self.lasts) {
            return;
        }
        match self.trouble {
            Trouble::Lag(_)
            | Trouble::DuplicateEvents
            | Trouble::CutWatches
            | Trouble::ExpiredWatches
            | Trouble::Hung(_)
            | Trouble::Refused(_)
            | Trouble::StatusRefused(_)
            | Trouble::EveryWrite { .. } => world.recover(),
            Trouble::MissedEdges => {
                world.cluster.compact();
                world.recover();
            }
            Trouble::HungProvider => self.hang(world, false),
            _ => {}
        }
    }

    async fn interlude(&mut self, world: &World<P>) -> Result<(), Violation> {
        match self.trouble {
            Trouble::ChildDeleted { child } => children::delete(world, *child).await?,
            Trouble::ChildEdited { child } => children::edit(world, *child).await?,
            Trouble::FailedByHand => self.fail_by_hand(world)?,
            _ => return Ok(()),
        }
        // The owner may have noticed.
        self.scenario.oracle().converges(world).await
    }
}

impl<C, P> Arms<'_, C, P> {
    fn hang(&self, world: &World<P>, hangs: bool) {
        if let Some(switch) = &self.scenario.hangs {
            switch(&world.provider, hangs);
        }
    }

    /// The phase, as if a handler had given up, and then another spec.
    fn fail_by_hand(&self, world: &World<P>) -> Result<(), Violation> {
        if (self.scenario.outside)(&world.provider).is_some() {
            return Err(Violation::NoSuchMoment(
                "another attempt would make another thing outside".to_owned(),
            ));
        }
        for object in &self.scenario.objects {
            let (kind, namespace, name) = reference(object);
            let Some(failed) = world.failed_status(object) else {
                return Err(Violation::NoSuchMoment(format!(
                    "{kind} has no failed phase"
                )));
            };
            let Some(change) = self.last_change else {
                return Err(Violation::NoSuchMoment(
                    "the scenario has no change".to_owned(),
                ));
            };
            let generation = || {
                let found = world.get(object)?;
                found.pointer("/metadata/generation").cloned()
            };
            let (undone, before) = (undo(change, object), generation());
            for (part, patch) in [("status", &failed), ("", &undone)] {
                let patched = world
                    .cluster
                    .patch_raw(&kind, &namespace, &name, part, patch);
                patched.map_err(|error| {
                    Violation::NoSuchMoment(format!("{kind} cannot be failed by hand: {error}"))
                })?;
            }
            if generation() == before {
                return Err(Violation::NoSuchMoment(format!(
                    "the last change takes {kind} to no new generation, and nobody leaves a failed phase without one"
                )));
            }
        }
        Ok(())
    }

    /// At the write itself: what the operator does next, it does on what is no longer so.
    fn revert_after(&self, world: &World<P>, write: usize, patch: &Value) {
        let cluster = world.cluster.clone();
        let inverse: Vec<_> = self
            .scenario
            .objects
            .iter()
            .map(|object| {
                let now = world.get(object).unwrap_or_default();
                (reference(object), undo(patch, &now))
            })
            .collect();
        world.writes.after(write, move || {
            for ((kind, namespace, name), patch) in inverse {
                let _ = cluster.patch_raw(&kind, &namespace, &name, "", &patch);
            }
        });
    }
}

/// The merge patch that takes `patch` back from what was `before`.
fn undo(patch: &Value, before: &Value) -> Value {
    let Value::Object(fields) = patch else {
        return before.clone();
    };
    let undone = fields.iter().map(|(key, patch)| {
        let before = before.get(key).unwrap_or(&Value::Null);
        (key.clone(), undo(patch, before))
    });
    Value::Object(undone.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::undo;

    #[test]
    fn a_patch_is_taken_back() {
        let before = json!({"spec": {"size": 1, "tags": {"a": "b"}}});
        let patch = json!({"spec": {"size": 2, "tags": {"a": null, "c": "d"}, "new": {"x": 1}}});
        let undone = undo(&patch, &before);
        let expected =
            json!({"spec": {"size": 1, "tags": {"a": "b", "c": null}, "new": {"x": null}}});
        assert_eq!(undone, expected);
    }
}
