//! Rights that a request needs beside those of its own verb.
#![allow(clippy::unwrap_used)]

use k8s_openapi::api::authorization::v1::SelfSubjectAccessReview;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::core::Status;
use opgen_apiserver::{Cluster, ClusterBuilder};
use serde_json::{Value, json};

const USER: &str = "system:serviceaccount:default:op";
const RBAC: &str = "rbac.authorization.k8s.io";

/// A cluster in which the service account `op` has these rules in the namespace `default`.
fn cluster(builder: ClusterBuilder, rules: Value) -> Cluster {
    let cluster = builder.rbac(true).build();
    cluster
        .apply_manifests(&[
            json!({
                "apiVersion": format!("{RBAC}/v1"), "kind": "Role",
                "metadata": { "name": "op", "namespace": "default" }, "rules": rules,
            }),
            json!({
                "apiVersion": format!("{RBAC}/v1"), "kind": "RoleBinding",
                "metadata": { "name": "op", "namespace": "default" },
                "subjects": [{ "kind": "ServiceAccount", "name": "op", "namespace": "default" }],
                "roleRef": { "apiGroup": RBAC, "kind": "Role", "name": "op" },
            }),
        ])
        .unwrap();
    cluster
}

fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> Value {
    json!({ "apiGroups": [group], "resources": resources, "verbs": verbs })
}

fn refusal<T>(result: kube::Result<T>) -> Box<Status> {
    match result {
        Err(kube::Error::Api(status)) => status,
        Err(other) => panic!("not an API error: {other}"),
        Ok(_) => panic!("it was allowed"),
    }
}

fn maps(cluster: &Cluster) -> Api<ConfigMap> {
    Api::namespaced(cluster.client_as(USER), "default")
}

async fn apply(cluster: &Cluster, name: &str, data: &Value) -> kube::Result<ConfigMap> {
    let config = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data });
    maps(cluster)
        .patch(name, &PatchParams::apply("op"), &Patch::Apply(config))
        .await
}

#[tokio::test(start_paused = true)]
async fn an_apply_that_creates_needs_create_too() {
    let cluster = cluster(
        Cluster::builder(),
        json!([rule("", &["configmaps"], &["get", "patch"])]),
    );
    let data = json!({ "a": "1" });
    let status = refusal(apply(&cluster, "m", &data).await);
    assert_eq!((status.code, status.reason.as_str()), (403, "Forbidden"));
    assert_eq!(status.message, "configmaps \"m\" is forbidden: ");
    assert!(maps(&cluster).get_opt("m").await.unwrap().is_none());

    // What cannot be applied at all is refused first, whoever asks.
    let status = refusal(apply(&cluster, "m", &json!({ "a b": "1" })).await);
    assert_eq!(status.code, 422);

    // What is there takes `patch` alone.
    cluster
        .create_raw(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "m" } }))
        .unwrap();
    apply(&cluster, "m", &data).await.unwrap();
    assert_eq!(cluster.log().writes(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_right_to_create_by_apply_can_be_bound_to_a_name() {
    let mut create = rule("", &["configmaps"], &["create"]);
    create["resourceNames"] = json!(["m"]);
    let rules = json!([rule("", &["configmaps"], &["patch"]), create]);
    let cluster = cluster(Cluster::builder(), rules);
    apply(&cluster, "m", &json!({})).await.unwrap();
    assert_eq!(refusal(apply(&cluster, "n", &json!({})).await).code, 403);
    // A dry run is no way around.
    let dry = PatchParams::apply("op").dry_run();
    let config = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "n" } });
    let dry = maps(&cluster).patch("n", &dry, &Patch::Apply(config)).await;
    assert_eq!(refusal(dry).code, 403);
}

#[tokio::test(start_paused = true)]
async fn a_put_that_creates_needs_create_too() {
    let group = "coordination.k8s.io";
    let cluster = cluster(
        Cluster::builder(),
        json!([rule(group, &["leases"], &["update"])]),
    );
    let leases: Api<Lease> = Api::namespaced(cluster.client_as(USER), "default");
    let lease: Lease = serde_json::from_value(json!({ "metadata": { "name": "l" } })).unwrap();
    let status = refusal(leases.replace("l", &PostParams::default(), &lease).await);
    assert_eq!(
        status.message,
        "leases.coordination.k8s.io \"l\" is forbidden: "
    );
    let admin: Api<Lease> = Api::namespaced(cluster.client(), "default");
    admin
        .replace("l", &PostParams::default(), &lease)
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_refusal_names_the_roles_that_were_not_found() {
    let cluster = cluster(Cluster::builder(), json!([]));
    cluster
        .create_raw(json!({
            "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRoleBinding", "metadata": { "name": "lost" },
            "subjects": [{ "kind": "ServiceAccount", "name": "op", "namespace": "default" }],
            "roleRef": { "apiGroup": RBAC, "kind": "ClusterRole", "name": "lost" },
        }))
        .unwrap();
    let status = refusal(maps(&cluster).get("m").await);
    let tail = "in API group \"\" in the namespace \"default\": RBAC: clusterrole.rbac.authorization.k8s.io \"lost\" not found";
    assert!(status.message.ends_with(tail), "{}", status.message);
}

#[tokio::test(start_paused = true)]
async fn a_review_says_who_granted_it() {
    let cluster = cluster(
        Cluster::builder(),
        json!([rule("", &["configmaps"], &["get"])]),
    );
    let reviews: Api<SelfSubjectAccessReview> = Api::all(cluster.client_as(USER));
    let review = |verb: &str| -> SelfSubjectAccessReview {
        serde_json::from_value(json!({ "spec": { "resourceAttributes": {
            "namespace": "default", "resource": "configmaps", "verb": verb,
        } } }))
        .unwrap()
    };
    let ask = async |verb: &str| {
        let review = reviews.create(&PostParams::default(), &review(verb)).await;
        review.unwrap().status.unwrap()
    };
    let status = ask("get").await;
    assert!(status.allowed);
    assert_eq!(
        status.reason.as_deref(),
        Some(
            "RBAC: allowed by RoleBinding \"op/default\" of Role \"op\" to ServiceAccount \"op/default\""
        )
    );
    let status = ask("list").await;
    assert_eq!((status.allowed, status.reason), (false, None));
}

/// A map that is owned by the map `owner`.
fn owned(name: &str, blocking: bool) -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": name, "ownerReferences": [{
        "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "u", "blockOwnerDeletion": blocking,
    }] } }))
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn blocking_the_deletion_of_an_owner_needs_its_finalizers() {
    let rules = json!([rule(
        "",
        &["configmaps"],
        &["create", "update", "get", "delete"]
    )]);
    let post = PostParams::default();
    let lax = cluster(Cluster::builder(), rules.clone());
    maps(&lax).create(&post, &owned("a", true)).await.unwrap();

    let strict = cluster(Cluster::builder().owner_permissions(true), rules);
    let status = refusal(maps(&strict).create(&post, &owned("a", true)).await);
    assert_eq!(status.code, 403);
    assert_eq!(
        status.message,
        "configmaps \"a\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>"
    );
    let made = maps(&strict)
        .create(&post, &owned("a", false))
        .await
        .unwrap();
    let mut blocking = owned("a", true);
    blocking.metadata.resource_version = made.metadata.resource_version;
    assert_eq!(
        refusal(maps(&strict).replace("a", &post, &blocking).await).code,
        403
    );

    // The cluster itself and admins may; the right is that to update `finalizers` of the owner.
    let admin: Api<ConfigMap> = Api::namespaced(strict.client(), "default");
    let mut blocking = admin.replace("a", &post, &blocking).await.unwrap();
    // What blocked before is no new block.
    blocking.metadata.labels = Some([("a".to_owned(), "b".to_owned())].into());
    maps(&strict).replace("a", &post, &blocking).await.unwrap();

    let rules = json!([
        rule("", &["configmaps"], &["create"]),
        rule("", &["configmaps/finalizers"], &["update"]),
    ]);
    let granted = cluster(Cluster::builder().owner_permissions(true), rules);
    maps(&granted)
        .create(&post, &owned("a", true))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn new_owners_of_what_is_there_need_delete() {
    let rules = json!([rule("", &["configmaps"], &["create", "patch"])]);
    let cluster = cluster(Cluster::builder().owner_permissions(true), rules);
    let post = PostParams::default();
    maps(&cluster)
        .create(&post, &owned("a", false))
        .await
        .unwrap();
    let patch = async |patch: Value| {
        let params = PatchParams::default();
        maps(&cluster)
            .patch("a", &params, &Patch::Merge(patch))
            .await
    };
    patch(json!({ "data": { "a": "1" } })).await.unwrap();
    let status = refusal(patch(json!({ "metadata": { "ownerReferences": null } })).await);
    assert_eq!(
        status.message,
        "configmaps \"a\" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>"
    );
}

#[tokio::test(start_paused = true)]
async fn an_owner_of_an_unknown_kind_cannot_be_blocked() {
    let rules = json!([rule("", &["configmaps"], &["create"])]);
    let cluster = cluster(Cluster::builder().owner_permissions(true), rules);
    let mut child = owned("a", true);
    child.metadata.owner_references.as_mut().unwrap()[0].api_version = "example.com/v1".into();
    let status = refusal(maps(&cluster).create(&PostParams::default(), &child).await);
    let tail = "cannot find RESTMapping for APIVersion example.com/v1 Kind ConfigMap: no matches for kind \"ConfigMap\" in version \"example.com/v1\"";
    assert!(status.message.ends_with(tail), "{}", status.message);
}

fn role(name: &str, rules: Value) -> Role {
    serde_json::from_value(json!({ "metadata": { "name": name }, "rules": rules })).unwrap()
}

fn binding(name: &str, role: &str) -> RoleBinding {
    serde_json::from_value(json!({
        "metadata": { "name": name },
        "subjects": [{ "kind": "ServiceAccount", "name": "op", "namespace": "default" }],
        "roleRef": { "apiGroup": RBAC, "kind": "ClusterRole", "name": role },
    }))
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn nobody_grants_what_they_do_not_have() {
    let rules = json!([
        rule(
            RBAC,
            &["roles", "rolebindings"],
            &["create", "update", "patch"]
        ),
        rule("", &["configmaps"], &["get", "list"]),
    ]);
    let cluster = cluster(Cluster::builder(), rules);
    let post = PostParams::default();
    let roles: Api<Role> = Api::namespaced(cluster.client_as(USER), "default");
    let within = json!([rule("", &["configmaps"], &["get"])]);
    let made = roles.create(&post, &role("a", within)).await.unwrap();
    let beyond = json!([rule("", &["configmaps", "secrets"], &["get", "delete"])]);
    let status = refusal(roles.create(&post, &role("b", beyond.clone())).await);
    assert_eq!(
        status.message,
        "roles.rbac.authorization.k8s.io \"b\" is forbidden: user \"system:serviceaccount:default:op\" (groups=[\"system:serviceaccounts\" \"system:serviceaccounts:default\" \"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n\
         {APIGroups:[\"\"], Resources:[\"configmaps\"], Verbs:[\"delete\"]}\n\
         {APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"delete\"]}"
    );
    let mut grown = made.clone();
    grown.rules = role("a", beyond).rules;
    assert_eq!(refusal(roles.replace("a", &post, &grown).await).code, 403);

    let bindings: Api<RoleBinding> = Api::namespaced(cluster.client_as(USER), "default");
    let status = refusal(bindings.create(&post, &binding("b", "cluster-admin")).await);
    assert_eq!(status.code, 403);
    let status = refusal(bindings.create(&post, &binding("b", "lost")).await);
    assert_eq!(status.code, 404);

    // Who collects garbage need not have the rules.
    cluster
        .patch_raw(
            "roles",
            "default",
            "a",
            "",
            &json!({ "rules": [rule("", &["secrets"], &["get"])] }),
        )
        .unwrap();
    let finalizer = Patch::Merge(json!({ "metadata": { "finalizers": ["example.com/f"] } }));
    roles
        .patch("a", &PatchParams::default(), &finalizer)
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn escalate_and_bind_lift_the_limit() {
    let mut bind = rule(RBAC, &["clusterroles"], &["bind"]);
    bind["resourceNames"] = json!(["view"]);
    let rules = json!([
        rule(RBAC, &["roles", "rolebindings"], &["create", "escalate"]),
        bind
    ]);
    let cluster = cluster(Cluster::builder(), rules);
    let post = PostParams::default();
    let roles: Api<Role> = Api::namespaced(cluster.client_as(USER), "default");
    let beyond = json!([rule("", &["secrets"], &["get"])]);
    roles.create(&post, &role("b", beyond)).await.unwrap();
    let bindings: Api<RoleBinding> = Api::namespaced(cluster.client_as(USER), "default");
    bindings.create(&post, &binding("b", "view")).await.unwrap();
    let status = refusal(bindings.create(&post, &binding("c", "edit")).await);
    assert_eq!(status.code, 403);
}
