//! Two replicas, and a network that parts the leader from its lease.

use std::time::Duration;

use jiff::SignedDuration;
use opgen_apiserver::Fault;
use opgen_runtime::OperatorError;
use serde_json::{Value, json};

use crate::{
    oracle::{self, Violation},
    process::{Life, Replica, reference},
    report::in_parallel,
    scenario::Scenario,
    story::verdict,
    world::World,
    writes::is_counted,
};

/// Each clock is wrong by that, in opposite directions.
const SKEW: SignedDuration = SignedDuration::from_secs(1);
/// So far apart are the moments of the partitions.
const STEP: Duration = Duration::from_millis(700);
/// How long the users go on changing things, and the partition lasts: more than a lease.
const UNREST: u32 = 60;
/// By when somebody leads.
const ELECTION: Duration = Duration::from_secs(60);

/// What the leader no longer reaches.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// Its lease only: all else works, so nothing but its own clock stops it.
    Lease,
    /// Nothing answers any more.
    All,
}

pub(crate) fn explore<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    moments: u32,
) -> Result<(), Violation> {
    let rounds: Vec<_> = (0..moments)
        .flat_map(|moment| [(Cut::Lease, STEP * moment), (Cut::All, STEP * moment)])
        .collect();
    in_parallel(&rounds, |(cut, at)| check(scenario, *cut, *at))
        .into_iter()
        .collect()
}

fn check<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    cut: Cut,
    at: Duration,
) -> Result<(), Violation> {
    let name = (scenario.operator)().name().to_owned();
    let other = format!("{name}-2");
    let mut life = Life::with(scenario, &|manifests| second_account(manifests, &other));
    life.elects = scenario.elects;
    let users = vec![life.user(), format!("system:serviceaccount:{name}:{other}")];
    life.writes.install(&life.cluster, users.clone());
    let lived = life.runtime(async |life| {
        let one = life.spawn(&users[0], SKEW);
        let two = life.spawn(&users[1], -SKEW);
        for object in &scenario.objects {
            let created = life.cluster.create_raw(object.clone());
            created.map_err(|error| Violation::NoSuchMoment(format!("not created: {error}")))?;
        }
        let (leader, follower) = sorted(one, two).await?;
        let world = life.world(follower.metrics.clone(), users.clone());
        world.advance(at).await;
        hand_over(scenario, &world, leader, &follower, cut).await?;
        let oracle = scenario.oracle();
        oracle.converges(&world).await?;
        oracle.delete(&world);
        oracle.goes_away(&world).await?;
        oracle::forbidden(&world)
    });
    verdict(&life, Ok(lived)).map_err(|violation| told(violation, cut, at))
}

fn told(violation: Violation, cut: Cut, at: Duration) -> Violation {
    match violation {
        Violation::TwoLeaders(what) => {
            Violation::TwoLeaders(format!("{cut:?} cut {at:?} after the election: {what}"))
        }
        other => other,
    }
}

/// A second service account with the same rights: so that faults and the log can tell the replicas apart.
fn second_account(manifests: &mut [Value], name: &str) {
    for manifest in manifests {
        if let Some(subjects) = manifest.get_mut("subjects").and_then(Value::as_array_mut) {
            let mut other = subjects[0].clone();
            other["name"] = json!(name);
            subjects.push(other);
        }
    }
}

fn leads(replica: &Replica) -> bool {
    let text = replica.metrics.encode();
    let mut lines = text.lines();
    lines.any(|line| {
        let value = line.rsplit(' ').next().and_then(|value| value.parse().ok());
        line.starts_with("leader_election_master_status") && value == Some(1.0)
    })
}

/// The leader first. Without an election both work, and the first counts as the leader.
async fn sorted(one: Replica, two: Replica) -> Result<(Replica, Replica), Violation> {
    let mut waited = Duration::ZERO;
    while waited < ELECTION {
        let works = |replica: &Replica| replica.task.is_finished();
        if works(&one) || works(&two) {
            return Err(Violation::Ended("a replica, before it led".to_owned()));
        }
        match (leads(&one), leads(&two)) {
            (true, true) => {
                return Err(Violation::TwoLeaders("both hold the lease".to_owned()));
            }
            (true, false) => return Ok((one, two)),
            (false, true) => return Ok((two, one)),
            (false, false) => {}
        }
        waited += STEP;
        tokio::time::sleep(STEP).await;
    }
    Ok((one, two))
}

/// Cuts the leader off while users change things, and looks at who writes when.
async fn hand_over<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    world: &World<P>,
    mut leader: Replica,
    follower: &Replica,
    cut: Cut,
) -> Result<(), Violation> {
    let fault = Fault::new().user(&leader.user).hang();
    world.cluster.inject(match cut {
        Cut::Lease => fault.resource("leases"),
        Cut::All => fault,
    });
    let originals: Vec<_> = scenario
        .objects
        .iter()
        .map(|object| world.get(object))
        .collect();
    for second in 0..UNREST {
        disturb(scenario, world, second);
        world.advance(Duration::from_secs(1)).await;
    }
    for original in originals.into_iter().flatten() {
        restore(world, &original);
    }
    let ended = tokio::time::timeout(Duration::ZERO, &mut leader.task).await;
    if let Err(found) = in_turns(world, &leader.user, &follower.user) {
        leader.task.abort();
        return Err(Violation::TwoLeaders(found));
    }
    match ended {
        Ok(Ok(Err(OperatorError::LostLease(_)))) => {}
        Ok(other) => return Err(Violation::Ended(format!("{other:?}"))),
        Err(_) => {
            leader.task.abort();
            return Err(Violation::TwoLeaders(
                "the one that lost its lease goes on".to_owned(),
            ));
        }
    }
    world.cluster.clear_faults();
    if !leads(follower) {
        return Err(Violation::TwoLeaders(
            "nobody leads after the partition".to_owned(),
        ));
    }
    Ok(())
}

/// Something to write about: the scenario's last change comes and goes, or else each object is asked to be looked at.
fn disturb<C, P>(scenario: &Scenario<C, P>, world: &World<P>, second: u32) {
    for object in &scenario.objects {
        let (kind, namespace, name) = reference(object);
        let looked_at =
            json!({"metadata": {"annotations": {"opgen.dev/reconcile-at": second.to_string()}}});
        let patch = match scenario.changes.last() {
            Some(change) if second.is_multiple_of(2) => change.clone(),
            Some(_) => json!({"spec": object["spec"]}),
            None => looked_at,
        };
        let _ = world
            .cluster
            .patch_raw(&kind, &namespace, &name, "", &patch);
    }
}

fn restore<P>(world: &World<P>, original: &Value) {
    let (kind, namespace, name) = reference(original);
    let patch = json!({"spec": original["spec"]});
    let _ = world
        .cluster
        .patch_raw(&kind, &namespace, &name, "", &patch);
}

/// All writes of the former come before all of the later one.
fn in_turns<P>(world: &World<P>, former: &str, later: &str) -> Result<(), String> {
    let mut log = world.cluster.log().entries();
    log.retain(|entry| entry.committed && is_counted(&entry.resource));
    let last = log.iter().rposition(|entry| entry.user == former);
    let first = log.iter().position(|entry| entry.user == later);
    match (last, first) {
        (Some(last), Some(first)) if last > first => Err(format!(
            "{former} wrote {} {} after {later} had begun",
            log[last].resource, log[last].name
        )),
        _ => Ok(()),
    }
}
