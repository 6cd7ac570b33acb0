//! Built-in kinds: discovery, defaults, normal forms, checks, table cells.
#![allow(clippy::unwrap_used)]

mod checks;
mod forms;

use opgen_apiserver::builtin::{self, BuiltIn};
use opgen_apiserver::schema::{ListType, causes_text};
use serde_json::{Value, json};

fn kind(plural: &str) -> &'static BuiltIn {
    builtin::all()
        .iter()
        .find(|kind| kind.plural == plural)
        .unwrap()
}

/// What a create leaves of the object.
fn created(plural: &str, mut object: Value) -> Value {
    let kind = kind(plural);
    object["metadata"] = json!({"name": "x", "namespace": "ns"});
    kind.decode(&mut object).unwrap();
    kind.default(&mut object);
    kind.prepare_create(&mut object);
    object
}

fn causes(plural: &str, object: Value) -> String {
    causes_text(&kind(plural).validate(&created(plural, object), None))
}

fn workload() -> Value {
    json!({"spec": {
        "selector": {"matchLabels": {"app": "d"}},
        "template": {"metadata": {"labels": {"app": "d"}}, "spec": {"containers": [{"name": "c", "image": "img"}]}}
    }})
}

#[test]
fn kinds_have_the_names_that_discovery_shows() {
    for (plural, group, name, namespaced, short, status, scale) in [
        (
            "configmaps",
            "",
            "ConfigMap",
            true,
            vec!["cm"],
            false,
            false,
        ),
        (
            "namespaces",
            "",
            "Namespace",
            false,
            vec!["ns"],
            true,
            false,
        ),
        (
            "deployments",
            "apps",
            "Deployment",
            true,
            vec!["deploy"],
            true,
            true,
        ),
        (
            "leases",
            "coordination.k8s.io",
            "Lease",
            true,
            vec![],
            false,
            false,
        ),
        (
            "customresourcedefinitions",
            "apiextensions.k8s.io",
            "CustomResourceDefinition",
            false,
            vec!["crd", "crds"],
            true,
            false,
        ),
        (
            "clusterroles",
            "rbac.authorization.k8s.io",
            "ClusterRole",
            false,
            vec![],
            false,
            false,
        ),
    ] {
        let kind = builtin::find(group, "v1", plural).unwrap();
        assert_eq!(
            (
                kind.kind,
                kind.namespaced,
                &kind.short_names,
                kind.status,
                kind.scale
            ),
            (name, namespaced, &short, status, scale)
        );
        assert_eq!(kind.singular, name.to_lowercase());
    }
    assert!(!kind("namespaces").verbs.contains(&"deletecollection"));
    assert_eq!(kind("subjectaccessreviews").verbs, ["create"]);
}
