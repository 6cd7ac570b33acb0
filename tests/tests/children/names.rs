use opgen_runtime::manifests::RoleRule;
use serde_json::json;

use crate::site::{of_kind, operator, scenario, site};

#[test]
pub fn long_names_do_not_collide() {
    let long = "a".repeat(70);
    let (first, second) = (format!("{long}1"), format!("{long}2"));
    let objects = [
        site(&first, json!({"replicas": 1})),
        site(&second, json!({"replicas": 2})),
    ];
    let scenario = objects.iter().fold(scenario(), |scenario, object| {
        scenario.object(object.clone())
    });
    scenario.run(async |world| {
        for object in &objects {
            world.ready(object).await;
        }
        let deployments = of_kind(&world, "Deployment");
        assert_eq!(deployments.len(), 2, "{deployments:#?}");
        for deployment in &deployments {
            assert!(deployment["metadata"]["name"].as_str().unwrap().len() <= 63);
        }
    });
}

#[test]
pub fn the_role_names_what_is_owned_and_watched() {
    let rules = operator(|options| options).role();
    let verbs = |resource: &str| {
        let of = |rule: &&RoleRule| rule.resource == resource;
        rules
            .iter()
            .find(of)
            .map(|rule| rule.verbs.clone())
            .unwrap_or_default()
    };
    assert_eq!(
        verbs("deployments"),
        ["get", "list", "watch", "create", "patch", "delete"]
    );
    assert_eq!(verbs("secrets"), ["list", "watch"]);
}
