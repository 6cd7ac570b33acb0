//! What exists in a fresh cluster.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::clock;
use crate::cluster::Shared;
use crate::store::Expect;

const RBAC: &str = "rbac.authorization.k8s.io";

/// Makes the tables of the built-in resources, the namespaces and the roles that every cluster has.
pub(crate) fn fill(shared: &Shared, epoch: Timestamp) {
    let tables: Vec<String> = shared.registry().all().map(|r| r.table.clone()).collect();
    {
        let mut state = shared.store.lock();
        for table in tables {
            state.table_mut(&table);
        }
    }
    let time = clock::seconds(epoch);
    for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
        put(
            shared,
            "namespaces",
            &time,
            json!({
                "apiVersion": "v1", "kind": "Namespace",
                "metadata": { "name": name, "labels": { "kubernetes.io/metadata.name": name } },
                "spec": { "finalizers": ["kubernetes"] },
                "status": { "phase": "Active" },
            }),
        );
    }
    roles(shared, &time);
}

fn roles(shared: &Shared, time: &str) {
    let documents = [
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
    ];
    let public = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
    let review = |resource: &str| json!({ "verbs": ["create"], "apiGroups": ["authorization.k8s.io"], "resources": [resource] });
    let everything = [
        "get",
        "list",
        "watch",
        "create",
        "update",
        "patch",
        "delete",
        "deletecollection",
    ];
    let workloads = json!([
        { "verbs": everything, "apiGroups": [""], "resources": ["configmaps", "endpoints", "events", "persistentvolumeclaims", "pods", "pods/status", "secrets", "serviceaccounts", "services"] },
        { "verbs": everything, "apiGroups": ["apps"], "resources": ["*"] },
        { "verbs": everything, "apiGroups": ["batch", "autoscaling", "networking.k8s.io", "policy"], "resources": ["*"] },
    ]);
    let reading = json!([
        { "verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["configmaps", "endpoints", "events", "namespaces", "persistentvolumeclaims", "pods", "pods/status", "serviceaccounts", "services"] },
        { "verbs": ["get", "list", "watch"], "apiGroups": ["apps", "batch", "autoscaling", "networking.k8s.io", "policy"], "resources": ["*"] },
    ]);
    let roles = [
        (
            "cluster-admin",
            json!([{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }, { "verbs": ["*"], "nonResourceURLs": ["*"] }]),
        ),
        (
            "system:discovery",
            json!([{ "verbs": ["get"], "nonResourceURLs": documents }]),
        ),
        (
            "system:public-info-viewer",
            json!([{ "verbs": ["get"], "nonResourceURLs": public }]),
        ),
        (
            "system:basic-user",
            json!([review("selfsubjectaccessreviews"), review("selfsubjectrulesreviews"),
                { "verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"] }]),
        ),
        ("admin", workloads.clone()),
        ("edit", workloads),
        ("view", reading),
    ];
    for (name, rules) in roles {
        put(
            shared,
            &format!("clusterroles.{RBAC}"),
            time,
            json!({
                "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRole",
                "metadata": { "name": name, "labels": { "kubernetes.io/bootstrapping": "rbac-defaults" } },
                "rules": rules,
            }),
        );
    }
    let bindings: [(&str, &[&str]); 4] = [
        ("cluster-admin", &["system:masters"]),
        ("system:discovery", &["system:authenticated"]),
        (
            "system:public-info-viewer",
            &["system:authenticated", "system:unauthenticated"],
        ),
        ("system:basic-user", &["system:authenticated"]),
    ];
    for (name, groups) in bindings {
        let subjects: Vec<Value> = groups
            .iter()
            .map(|group| json!({ "kind": "Group", "apiGroup": RBAC, "name": group }))
            .collect();
        put(
            shared,
            &format!("clusterrolebindings.{RBAC}"),
            time,
            json!({
                "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRoleBinding",
                "metadata": { "name": name, "labels": { "kubernetes.io/bootstrapping": "rbac-defaults" } },
                "subjects": subjects,
                "roleRef": { "apiGroup": RBAC, "kind": "ClusterRole", "name": name },
            }),
        );
    }
}

fn put(shared: &Shared, table: &str, time: &str, mut object: Value) {
    let uid = shared.store.uid();
    let metadata = crate::object::meta_mut(&mut object);
    metadata.insert("uid".into(), uid.into());
    metadata.insert("creationTimestamp".into(), time.into());
    let name = crate::object::meta(&object, "name").to_owned();
    // The tables are empty: nothing can be in the way.
    let _ = shared
        .store
        .lock()
        .put(table, &name, Expect::Absent, object);
}
