//! The namespace of the objects is deleted in the middle of things.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{oracle::Violation, process::Life, scenario::Scenario, story::verdict, world::World};

/// The namespace that is deleted: not one that the server protects.
const DOOMED: &str = "doomed";

fn namespace_of(object: &Value) -> Option<&str> {
    object.pointer("/metadata/namespace")?.as_str()
}

/// Whether the objects can live in another namespace: they are namespaced, and the operator looks everywhere.
pub(crate) fn is_possible<C, P>(scenario: &Scenario<C, P>) -> bool
where
    C: Send + Sync + 'static,
{
    let operator = (scenario.operator)();
    let looks_everywhere = operator.manifests().iter().any(|manifest| {
        manifest["kind"] == "ClusterRole"
            && manifest["rules"].as_array().is_some_and(|rules| {
                rules.iter().any(|rule| {
                    let verbs = rule["verbs"].as_array();
                    verbs.is_some_and(|verbs| verbs.contains(&json!("watch")))
                })
            })
    });
    looks_everywhere
        && scenario
            .objects
            .iter()
            .all(|object| namespace_of(object).is_some())
}

fn moved(object: &Value) -> Value {
    let mut object = object.clone();
    if namespace_of(&object).is_some() {
        object["metadata"]["namespace"] = json!(DOOMED);
    }
    object
}

/// Creates the objects, deletes their namespace right after the n-th write, and waits until all is gone, here and
/// outside.
pub(crate) fn check<C: Send + Sync + 'static, P: Clone + 'static>(
    scenario: &Scenario<C, P>,
    write: usize,
) -> Result<(), Violation> {
    if !is_possible(scenario) {
        return Err(Violation::NoSuchMoment(
            "the objects cannot live in another namespace".to_owned(),
        ));
    }
    let mut scenario = scenario.clone();
    scenario.objects = scenario.objects.iter().map(moved).collect();
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": DOOMED}});
    let moved = scenario.given.iter().map(moved);
    scenario.given = [namespace.clone()].into_iter().chain(moved).collect();
    let mut life = Life::new(&scenario);
    let lived = life.process(async |world: World<P>| {
        let _collector = world.cluster.collect_in_background(Duration::from_secs(1));
        let cluster = world.cluster.clone();
        world.writes.after(write, move || {
            let _ = cluster.delete_raw("namespaces", "", DOOMED);
        });
        for object in &scenario.objects {
            let created = world.cluster.create_raw(object.clone());
            created.map_err(|error| Violation::NoSuchMoment(format!("not created: {error}")))?;
        }
        let deleted = world.until(|| world.writes.is_spent()).await;
        if deleted.is_none() {
            return Err(Violation::NoSuchMoment(format!(
                "write {write} was never made"
            )));
        }
        let oracle = scenario.oracle();
        oracle.goes_away(&world).await?;
        let left = world.until(|| world.cluster.get_raw("namespaces", "", DOOMED).is_err());
        if left.await.is_none() {
            return Err(Violation::NotGone(format!("the namespace {DOOMED}")));
        }
        Ok(())
    });
    verdict(&life, lived)
}
