//! Two replicas, and a network that parts the leader from its lease.

use std::time::Duration;

use jiff::SignedDuration;
use opgen_apiserver::{Fault, LogEntry};
use opgen_runtime::OperatorError;
use serde_json::{Value, json};

use crate::{
    oracle::{self, Violation},
    process::{Life, Replica, reference},
    report::in_parallel,
    scenario::Scenario,
    story::never,
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
    let rounds: Vec<_> = (0..moments.max(1))
        .flat_map(|moment| [(Cut::Lease, STEP * moment), (Cut::All, STEP * moment)])
        .collect();
    let rounds = in_parallel(&rounds, |(cut, at)| check(scenario, *cut, *at));
    let did: Vec<Did> = rounds.into_iter().collect::<Result<_, _>>()?;
    if did.contains(&Did::BothWrote) {
        return Ok(());
    }
    Err(Violation::NoSuchMoment(
        "no leader wrote anything before it was cut off: ask for more moments".to_owned(),
    ))
}

/// What the replicas did in a round that ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Did {
    BothWrote,
    /// The leader was cut off before its first write.
    OneWrote,
}

fn check<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    cut: Cut,
    at: Duration,
) -> Result<Did, Violation> {
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
        let did = hand_over(scenario, &world, leader, &follower, cut).await?;
        let oracle = scenario.oracle();
        oracle.converges(&world).await?;
        oracle.delete(&world);
        oracle.goes_away(&world).await?;
        oracle::forbidden(&world)?;
        Ok(did)
    });
    let lived = never(&life).and(lived);
    lived.map_err(|violation| told(violation, cut, at))
}

/// With the moment, where the violation has words of its own.
fn told(violation: Violation, cut: Cut, at: Duration) -> Violation {
    let told = |what| format!("{cut:?} cut {at:?} after the election: {what}");
    match violation {
        Violation::TwoLeaders(what) => Violation::TwoLeaders(told(what)),
        Violation::TwoAtOnce(what) => Violation::TwoAtOnce(told(what)),
        Violation::NotReady(what) => Violation::NotReady(told(what)),
        Violation::NotGone(what) => Violation::NotGone(told(what)),
        Violation::Unexpected(what) => Violation::Unexpected(told(what)),
        Violation::Unexplained(what) => Violation::Unexplained(told(what)),
        Violation::Ended(what) => Violation::Ended(told(what)),
        Violation::NoSuchMoment(what) => Violation::NoSuchMoment(told(what)),
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
) -> Result<Did, Violation> {
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
    let writes = writes(world, &leader.user, &follower.user);
    if let Err(found) = in_turns(&writes, &leader.user) {
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
    let wrote = |user: &str| writes.iter().any(|entry| entry.user == user);
    if !wrote(&follower.user) {
        return Err(Violation::NoSuchMoment(
            "the successor has nothing to write: give the scenario a change".to_owned(),
        ));
    }
    Ok(if wrote(&leader.user) {
        Did::BothWrote
    } else {
        Did::OneWrote
    })
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

/// What both wrote, in its order.
fn writes<P>(world: &World<P>, former: &str, later: &str) -> Vec<LogEntry> {
    let mut log = world.cluster.log().entries();
    log.retain(|entry| {
        entry.committed && is_counted(&entry.resource) && [former, later].contains(&&*entry.user)
    });
    log
}

/// All writes of the former come before all of the other one.
fn in_turns(writes: &[LogEntry], former: &str) -> Result<(), String> {
    let mut later = writes.iter().skip_while(|entry| entry.user == former);
    match later.find(|entry| entry.user == former) {
        Some(again) => Err(format!(
            "{former} wrote {} {} after the other one had begun",
            again.resource, again.name
        )),
        None => Ok(()),
    }
}
