//! The past replayed: after a restart the first lists show the former objects under the same names.

use std::{collections::BTreeMap, time::Duration};

use opgen_apiserver::{Cluster, Fault};

use crate::{
    oracle::{self, Oracle, Violation},
    process::Life,
    scenario::Scenario,
    story::{Calm, Progress, verdict},
    world::World,
};

/// How long the past has to do harm.
const AFTERMATH: Duration = Duration::from_secs(600);

/// How many revisions a deletion makes, from right before it to its end.
pub(crate) fn revisions<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
) -> Result<u64, Violation> {
    let mut life = Life::new(scenario);
    let span = life.process(async |world: World<P>| former(scenario, &world).await)??;
    Ok(span.1 - span.0)
}

/// The life of the former objects; returns the revisions right before and right after their deletion.
async fn former<C, P>(scenario: &Scenario<C, P>, world: &World<P>) -> Result<(u64, u64), Violation>
where
    C: Send + Sync + 'static,
    P: Clone + 'static,
{
    let oracle = scenario.oracle();
    create(scenario, &world.cluster)?;
    oracle.converges(world).await?;
    let before = world.cluster.revision();
    oracle.delete(world);
    // Not longer: what is of interest is near, and the history is not endless.
    for object in oracle.objects {
        if world.until(|| world.get(object).is_none()).await.is_none() {
            return Err(Violation::NotGone(
                world.get(object).unwrap_or_default().to_string(),
            ));
        }
    }
    let after = world.cluster.revision();
    oracle.goes_away(world).await?;
    Ok((before, after))
}

fn create<C, P>(scenario: &Scenario<C, P>, cluster: &Cluster) -> Result<(), Violation> {
    for object in &scenario.objects {
        let created = cluster.create_raw(object.clone());
        created.map_err(|error| Violation::NoSuchMoment(format!("not created: {error}")))?;
    }
    Ok(())
}

/// Makes the objects, lets them go, makes them anew, and restarts into the past.
pub(crate) fn check<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    revision: u64,
) -> Result<(), Violation> {
    let second = || Oracle {
        lives: 2,
        ..scenario.oracle()
    };
    let mut life = Life::new(scenario);
    let (before, after) = life.process(async |world: World<P>| {
        let span = former(scenario, &world).await?;
        create(scenario, &world.cluster)?;
        second().converges(&world).await?;
        Ok(span)
    })??;
    if before + revision > after {
        return Err(Violation::NoSuchMoment(format!(
            "the deletion makes {} revisions only",
            after - before
        )));
    }
    let lived = life.process(async |world: World<P>| {
        replay(&world, before + revision);
        // They are Ready already: what the past does to them takes its time.
        world.advance(AFTERMATH).await;
        let (oracle, mut progress) = (second(), Progress::created());
        scenario
            .live(&world, &oracle, &mut progress, true, &mut Calm)
            .await?;
        oracle::forbidden(&world)
    });
    verdict(&life, lived)
}

/// The next lists of the operator are as of `revision`: as many of each resource as it has made at its former start.
fn replay<P>(world: &World<P>, revision: u64) {
    let mut lists: BTreeMap<(String, String), usize> = BTreeMap::new();
    for entry in world.cluster.log().entries() {
        if world.users.contains(&entry.user) && entry.verb == "list" {
            *lists.entry((entry.group, entry.resource)).or_default() += 1;
        }
    }
    for ((group, resource), times) in lists {
        let list = Fault::new().verb("list").group(&group).resource(&resource);
        let list = list.user(&world.users[0]).times(times.min(2));
        world.cluster.inject(list.old_snapshot(revision));
    }
}
