//! The role that the operator prints, one verb less at a time: something has to fail without it.

use std::{collections::BTreeSet, convert::Infallible, fmt, time::Duration};

use serde_json::{Value, json};

use crate::{
    faults::Arms,
    oracle::{self, Violation},
    process::{Life, reference},
    report::in_parallel,
    scenario::Scenario,
    story::{Act, Calm, Disturb, Progress, verdict},
    trouble::Trouble,
    world::World,
};

/// One verb on one resource, as a role allows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permission {
    /// The role: `ClusterRole/web` or `Role/web-lease`.
    pub role: String,
    /// API group; empty for the core one.
    pub group: String,
    /// Resource, with its subresource.
    pub resource: String,
    /// Only objects of these names; empty = all.
    pub names: Vec<String>,
    /// The verb.
    pub verb: String,
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = if self.group.is_empty() {
            String::new()
        } else {
            format!(".{}", self.group)
        };
        write!(f, "{}: {} {}{group}", self.role, self.verb, self.resource)?;
        if self.names.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.names.join(", "))
    }
}

/// What came of [`Scenario::check_role`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleCheck {
    /// Everything the role allows.
    pub permissions: Vec<Permission>,
    /// What nothing in this scenario needs: to be taken out of the role, or to be used by the scenario.
    pub needless: Vec<Permission>,
    /// What went wrong with the whole role.
    pub violation: Option<Violation>,
}

impl RoleCheck {
    /// Nothing is missing, and nothing is too much.
    #[must_use]
    pub fn is_least(&self) -> bool {
        self.violation.is_none() && self.needless.is_empty()
    }
}

impl fmt::Display for RoleCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(violation) = &self.violation {
            writeln!(f, "with the whole role: {violation}")?;
        }
        writeln!(
            f,
            "{} permissions, {} of which nothing needs",
            self.permissions.len(),
            self.needless.len()
        )?;
        for permission in &self.needless {
            writeln!(f, "  {permission}")?;
        }
        Ok(())
    }
}

/// So late is what watches show.
const LAG: Duration = Duration::from_secs(30);
/// So often a user asks for a look meanwhile: several times in that lag.
const POKE: Duration = Duration::from_secs(7);

/// How a life goes on: so that an operator asks for what it asks for rarely, such as reads past a cache that lags, or
/// events that repeat.
enum Way {
    /// Watches of all but the operator's own kinds lag, and a user cannot wait.
    Late,
    In(Trouble),
    Calm,
}

/// In the first of them nearly everything is asked for.
fn ways() -> Vec<Way> {
    vec![
        Way::Late,
        Way::In(Trouble::StatusRefused(422)),
        Way::In(Trouble::FailedByHand),
        Way::In(Trouble::ExpiredWatches),
        Way::In(Trouble::ChildDeleted { child: 1 }),
        Way::Calm,
    ]
}

/// These lag from each act on, for two minutes, whether or not the objects have settled.
struct Late(Vec<Permission>);

impl Late {
    fn new<C: Send + Sync + 'static, P>(scenario: &Scenario<C, P>) -> Self {
        let manifests = (scenario.operator)().manifests();
        let is_own = |one: &Permission| {
            let name = format!("{}.{}", one.resource, one.group);
            let mut names = manifests.iter().map(|it| &it["metadata"]["name"]);
            names.any(|it| *it == name)
        };
        let mut watched: Vec<_> = manifests.iter().flat_map(permissions_of).collect();
        watched.retain(|one| one.verb == "watch" && !is_own(one));
        Self(watched)
    }
}

impl<P> Disturb<P> for Late {
    fn before(&mut self, world: &World<P>, _: &Act) {
        for one in &self.0 {
            world.lag_events_of(&one.group, &one.resource, LAG);
        }
        world.cluster.cut_watches();
    }

    fn after(&mut self, _: &World<P>, _: &Act) -> Option<Duration> {
        Some(4 * LAG)
    }

    fn ends(&mut self, world: &World<P>, _: &Act) {
        world.recover();
    }
}

pub(crate) fn check<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
) -> RoleCheck {
    let permissions: Vec<_> = (scenario.operator)()
        .manifests()
        .iter()
        .flat_map(permissions_of)
        .collect();
    let whole: Result<Vec<_>, _> = ways()
        .into_iter()
        .map(|way| live(scenario, None, &way).map(|asked| (way, asked)))
        .collect();
    let ways = match whole {
        Ok(ways) => ways,
        Err(violation) => {
            return RoleCheck {
                permissions,
                needless: Vec::new(),
                violation: Some(violation),
            };
        }
    };
    let needed = in_parallel(&permissions, |permission| {
        // Where it was asked for first: that is where it is missed, at once.
        let (asked, others): (Vec<_>, Vec<_>) = ways
            .iter()
            .partition(|(_, asked)| asked.contains(&asked_by(permission)));
        let mut ways = asked.iter().chain(&others);
        ways.any(|(way, _)| live(scenario, Some(permission), way).is_err())
    });
    let needless = permissions.iter().zip(needed);
    let needless = needless.filter(|(_, needed)| !needed);
    RoleCheck {
        needless: needless.map(|(permission, _)| permission.clone()).collect(),
        permissions,
        violation: None,
    }
}

/// Verb, API group, and resource with its subresource.
type Asked = (String, String, String);

fn asked_by(permission: &Permission) -> Asked {
    let Permission {
        verb,
        group,
        resource,
        ..
    } = permission;
    (verb.clone(), group.clone(), resource.clone())
}

/// What the operator has asked the server for.
fn asked<P>(world: &World<P>) -> BTreeSet<Asked> {
    let mut log = world.cluster.log().entries();
    log.retain(|entry| world.users.contains(&entry.user));
    log.into_iter()
        .map(|entry| {
            let resource = if entry.subresource.is_empty() {
                entry.resource
            } else {
                format!("{}/{}", entry.resource, entry.subresource)
            };
            (entry.verb, entry.group, resource)
        })
        .collect()
}

/// One life under the role, or under what is left of it, with a lease. What it asked for.
fn live<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    without: Option<&Permission>,
    way: &Way,
) -> Result<BTreeSet<Asked>, Violation> {
    let mut life = Life::with(scenario, &|manifests| {
        if let Some(permission) = without {
            manifests
                .iter_mut()
                .for_each(|manifest| take_out(manifest, permission));
        }
    });
    life.elects = true;
    // Not every operator has a place for these.
    let is_rare = matches!(
        way,
        Way::In(Trouble::ChildDeleted { .. } | Trouble::FailedByHand)
    );
    let lived = life.process(async |world: World<P>| {
        let lived = tokio::select! {
            biased;
            lived = story(scenario, &world, way) => lived,
            // What comes of a missing right need not be waited for.
            violation = refused(&world) => Err(violation),
        };
        match lived {
            Err(Violation::NoSuchMoment(_)) if is_rare => {}
            Err(violation) => return Err(violation),
            Ok(()) => oracle::forbidden(&world)?,
        }
        Ok(asked(&world))
    });
    verdict(&life, lived)
}

/// From creation to deletion.
async fn story<C: Send + Sync + 'static, P>(
    scenario: &Scenario<C, P>,
    world: &World<P>,
    way: &Way,
) -> Result<(), Violation> {
    let (oracle, mut progress) = (scenario.oracle(), Progress::default());
    match way {
        Way::Late => {
            let mut late = Late::new(scenario);
            let lived = scenario.live(world, &oracle, &mut progress, false, &mut late);
            tokio::select! {
                biased;
                lived = lived => lived,
                never = poke(scenario, world) => match never {},
            }
        }
        Way::In(trouble) => {
            let mut arms = Arms::new(scenario, trouble);
            scenario
                .live(world, &oracle, &mut progress, false, &mut arms)
                .await
        }
        Way::Calm => {
            scenario
                .live(world, &oracle, &mut progress, false, &mut Calm)
                .await
        }
    }
}

/// A user who cannot wait: what the operator wrote last, no watch has shown by then.
async fn poke<C, P>(scenario: &Scenario<C, P>, world: &World<P>) -> Infallible {
    for count in 0_u64.. {
        world.advance(POKE).await;
        let asked =
            json!({"metadata": {"annotations": {"opgen.dev/reconcile-at": count.to_string()}}});
        for object in &scenario.objects {
            let (kind, namespace, name) = reference(object);
            // It may be gone, or not there yet.
            let _ = world
                .cluster
                .patch_raw(&kind, &namespace, &name, "", &asked);
        }
    }
    std::future::pending().await
}

/// Waits for a request that the role does not allow.
async fn refused<P>(world: &World<P>) -> Violation {
    loop {
        world.advance(Duration::from_secs(10)).await;
        if let Err(violation) = oracle::forbidden(world) {
            return violation;
        }
    }
}

fn texts(value: &Value) -> impl Iterator<Item = String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned)
}

fn role_of(manifest: &Value) -> Option<String> {
    let kind = manifest["kind"].as_str()?;
    let name = manifest["metadata"]["name"].as_str()?;
    matches!(kind, "Role" | "ClusterRole").then(|| format!("{kind}/{name}"))
}

/// Every single thing that a role allows.
fn permissions_of(manifest: &Value) -> Vec<Permission> {
    let Some(role) = role_of(manifest) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for rule in manifest["rules"].as_array().into_iter().flatten() {
        for group in texts(&rule["apiGroups"]) {
            for resource in texts(&rule["resources"]) {
                all.extend(texts(&rule["verbs"]).map(|verb| Permission {
                    role: role.clone(),
                    group: group.clone(),
                    resource: resource.clone(),
                    names: texts(&rule["resourceNames"]).collect(),
                    verb,
                }));
            }
        }
    }
    all
}

/// The role without that permission: every other one as a rule of its own.
fn take_out(manifest: &mut Value, permission: &Permission) {
    if role_of(manifest).as_ref() != Some(&permission.role) {
        return;
    }
    let mut all = permissions_of(manifest);
    let index = all.iter().position(|one| one == permission);
    if let Some(index) = index {
        all.remove(index);
    }
    let rules = all.iter().map(|one| {
        let mut rule = json!({
            "apiGroups": [one.group],
            "resources": [one.resource],
            "verbs": [one.verb],
        });
        if !one.names.is_empty() {
            rule["resourceNames"] = json!(one.names);
        }
        rule
    });
    manifest["rules"] = rules.collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_permission_is_taken_out_and_no_other() {
        let mut role = json!({
            "kind": "ClusterRole",
            "metadata": {"name": "a"},
            "rules": [
                {"apiGroups": [""], "resources": ["pods", "secrets"], "verbs": ["get", "list"]},
                {"apiGroups": ["x.io"], "resources": ["b"], "verbs": ["get"], "resourceNames": ["c"]},
            ],
        });
        let before = permissions_of(&role);
        assert_eq!(before.len(), 5);
        assert_eq!(before[4].to_string(), "ClusterRole/a: get b.x.io (c)");
        take_out(&mut role, &before[2]);
        let after = permissions_of(&role);
        assert_eq!(after, [&before[..2], &before[3..]].concat());
    }
}
