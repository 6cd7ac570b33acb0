//! The role that the operator prints, one verb less at a time: something has to fail without it.

use std::{fmt, time::Duration};

use serde_json::{Value, json};

use crate::{
    faults::Arms,
    oracle::{self, Violation},
    process::Life,
    report::in_parallel,
    scenario::Scenario,
    story::{Calm, Progress, verdict},
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

/// What makes an operator ask for what it asks for rarely: reads past a cache that lags, events that repeat, children
/// that others change.
fn troubles() -> Vec<Option<Trouble>> {
    vec![
        None,
        Some(Trouble::StatusRefused(422)),
        Some(Trouble::Lag(Duration::from_secs(30))),
        Some(Trouble::ExpiredWatches),
        Some(Trouble::ChildDeleted { child: 1 }),
        Some(Trouble::FailedByHand),
    ]
}

pub(crate) fn check<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
) -> RoleCheck {
    let permissions: Vec<_> = (scenario.operator)()
        .manifests()
        .iter()
        .flat_map(permissions_of)
        .collect();
    let whole = troubles()
        .iter()
        .try_for_each(|trouble| live(scenario, None, trouble.as_ref()));
    if let Err(violation) = whole {
        return RoleCheck {
            permissions,
            needless: Vec::new(),
            violation: Some(violation),
        };
    }
    let needed = in_parallel(&permissions, |permission| {
        troubles()
            .iter()
            .any(|trouble| live(scenario, Some(permission), trouble.as_ref()).is_err())
    });
    let needless = permissions.iter().zip(needed);
    let needless = needless.filter(|(_, needed)| !needed);
    RoleCheck {
        needless: needless.map(|(permission, _)| permission.clone()).collect(),
        permissions,
        violation: None,
    }
}

/// One life under the role, or under what is left of it, with a lease.
fn live<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    without: Option<&Permission>,
    trouble: Option<&Trouble>,
) -> Result<(), Violation> {
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
        trouble,
        Some(Trouble::ChildDeleted { .. } | Trouble::FailedByHand)
    );
    let lived = life.process(async |world: World<P>| {
        let lived = tokio::select! {
            biased;
            lived = story(scenario, &world, trouble) => lived,
            // What comes of a missing right need not be waited for.
            violation = refused(&world) => Err(violation),
        };
        match lived {
            Err(Violation::NoSuchMoment(_)) if is_rare => Ok(()),
            Err(violation) => Err(violation),
            Ok(()) => oracle::forbidden(&world),
        }
    });
    verdict(&life, lived)
}

/// From creation to deletion, in that trouble or in none.
async fn story<C, P>(
    scenario: &Scenario<C, P>,
    world: &World<P>,
    trouble: Option<&Trouble>,
) -> Result<(), Violation> {
    let (oracle, mut progress) = (scenario.oracle(), Progress::default());
    match trouble {
        Some(trouble) => {
            let mut arms = Arms::new(scenario, trouble);
            scenario
                .live(world, &oracle, &mut progress, false, &mut arms)
                .await
        }
        None => {
            scenario
                .live(world, &oracle, &mut progress, false, &mut Calm)
                .await
        }
    }
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
