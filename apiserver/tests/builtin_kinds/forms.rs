//! Defaults, normal forms, and what lists and tables show.

use super::*;

#[test]
fn a_deployment_is_filled_as_the_server_fills_it() {
    let deployment = created("deployments", workload());
    assert_eq!(
        deployment["spec"],
        json!({
            "replicas": 1,
            "selector": {"matchLabels": {"app": "d"}},
            "template": {
                "metadata": {"labels": {"app": "d"}},
                "spec": {
                    "containers": [{
                        "name": "c", "image": "img", "resources": {},
                        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                        "imagePullPolicy": "Always"
                    }],
                    "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
                    "securityContext": {}, "schedulerName": "default-scheduler"
                }
            },
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600
        })
    );
    assert_eq!(deployment["status"], json!({}));
}

#[test]
fn a_pod_is_filled_as_the_server_fills_it() {
    let pod = created(
        "pods",
        json!({"spec": {"automountServiceAccountToken": false, "containers": [{
            "name": "c", "image": "img:1.0", "ports": [{"containerPort": 80}],
            "resources": {"requests": {"cpu": "0.1", "memory": "1024Mi"}}
        }]}}),
    );
    let container = &pod["spec"]["containers"][0];
    assert_eq!(
        container["ports"],
        json!([{"containerPort": 80, "protocol": "TCP"}])
    );
    assert_eq!(
        container["resources"],
        json!({"requests": {"cpu": "100m", "memory": "1Gi"}})
    );
    assert_eq!(container["imagePullPolicy"], "IfNotPresent");
    assert_eq!(pod["spec"]["enableServiceLinks"], true);
    assert_eq!(pod["spec"]["tolerations"].as_array().unwrap().len(), 2);
    assert_eq!(
        pod["status"],
        json!({"phase": "Pending", "qosClass": "Burstable"})
    );
}

#[test]
fn services_statefulsets_and_jobs_get_their_defaults() {
    let headless = created(
        "services",
        json!({"spec": {"clusterIP": "None", "ports": [{"port": 80}]}}),
    );
    assert_eq!(
        headless["spec"],
        json!({
            "ports": [{"protocol": "TCP", "port": 80, "targetPort": 80}], "clusterIP": "None", "clusterIPs": ["None"],
            "type": "ClusterIP", "sessionAffinity": "None", "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
            "internalTrafficPolicy": "Cluster"
        })
    );
    assert_eq!(headless["status"], json!({"loadBalancer": {}}));
    let external = created(
        "services",
        json!({"spec": {"type": "ExternalName", "externalName": "example.com"}}),
    );
    assert_eq!(
        external["spec"],
        json!({"type": "ExternalName", "sessionAffinity": "None", "externalName": "example.com"})
    );
    let set = created("statefulsets", workload());
    assert_eq!(
        set["spec"]["updateStrategy"],
        json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0}})
    );
    assert_eq!(set["spec"]["podManagementPolicy"], "OrderedReady");
    let job = created(
        "jobs",
        json!({"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [
        {"name": "c", "image": "i"}]}}}}),
    );
    for (field, value) in [
        ("backoffLimit", json!(6)),
        ("completions", json!(1)),
        ("parallelism", json!(1)),
        ("completionMode", json!("NonIndexed")),
        ("suspend", json!(false)),
        ("podReplacementPolicy", json!("TerminatingOrFailed")),
    ] {
        assert_eq!(job["spec"][field], value, "{field}");
    }
}

#[test]
fn small_kinds_come_out_in_their_normal_form() {
    for (plural, given, wanted) in [
        (
            "secrets",
            json!({"data": {"a": "QQ==", "b": "Qg=="}, "stringData": {"b": "two", "c": "three"}}),
            json!({"data": {"a": "QQ==", "b": "dHdv", "c": "dGhyZWU="}, "type": "Opaque"}),
        ),
        ("configmaps", json!({"data": {}, "dat": {}}), json!({})),
        ("leases", json!({}), json!({"spec": {}})),
        (
            "leases",
            json!({"spec": {"holderIdentity": "", "leaseTransitions": 0, "renewTime": "2020-01-01T00:00:00.000000Z"}}),
            json!({"spec": {"holderIdentity": "", "leaseTransitions": 0, "renewTime": "2020-01-01T00:00:00.000000Z"}}),
        ),
        (
            "events",
            json!({"involvedObject": {"kind": "Pod", "namespace": "ns"}, "reason": "R", "count": 1}),
            json!({"involvedObject": {"kind": "Pod", "namespace": "ns"}, "reason": "R", "count": 1, "source": {},
                   "firstTimestamp": null, "lastTimestamp": null, "eventTime": null, "reportingComponent": "",
                   "reportingInstance": ""}),
        ),
    ] {
        let mut object = created(plural, given.clone());
        object.as_object_mut().unwrap().remove("metadata");
        assert_eq!(object, wanted, "{plural} {given}");
    }
}

#[test]
fn lists_know_how_they_merge() {
    let schema = kind("deployments").schema();
    let pod = &schema.properties["spec"].properties["template"].properties["spec"];
    let containers = &pod.properties["containers"];
    assert_eq!(containers.list_type(), ListType::Map);
    assert_eq!(containers.list_map_keys, ["name"]);
    assert_eq!(containers.patch_merge_key.as_deref(), Some("name"));
    let ports = &containers.item().unwrap().properties["ports"];
    assert_eq!(ports.list_map_keys, ["containerPort", "protocol"]);
    assert_eq!(ports.key_default("protocol"), Some(&json!("TCP")));
    assert_eq!(
        builtin::object_meta().properties["finalizers"].list_type(),
        ListType::Set
    );
}

#[test]
fn tables_have_the_columns_of_kubectl() {
    let deployments = kind("deployments");
    let names: Vec<&str> = deployments
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "Name",
            "Ready",
            "Up-to-date",
            "Available",
            "Age",
            "Containers",
            "Images",
            "Selector"
        ]
    );
    let mut object = created("deployments", workload());
    object["metadata"]["creationTimestamp"] = json!("2020-01-01T00:00:00Z");
    let now = "2020-01-01T00:05:00Z".parse().unwrap();
    assert_eq!(
        deployments.cells(&object, now),
        [
            json!("x"),
            json!("0/1"),
            json!(0),
            json!(0),
            json!("5m"),
            json!("c"),
            json!("img"),
            json!("app=d")
        ]
    );
}

#[test]
fn field_selectors_find_fields_under_other_names() {
    let event = json!({"involvedObject": {"name": "p"}, "source": {"component": "c"}, "reportingComponent": ""});
    let other = json!({"involvedObject": {"name": "q"}, "source": {}, "reportingComponent": "example.com/ctl"});
    let core = builtin::find("", "v1", "events").unwrap();
    let group = builtin::find("events.k8s.io", "v1", "events").unwrap();
    assert_eq!(core.selected(&event, "involvedObject.name"), "p");
    assert_eq!(core.selected(&event, "source"), "c");
    assert_eq!(core.selected(&other, "source"), "example.com/ctl");
    assert_eq!(group.selected(&other, "regarding.name"), "q");
    assert_eq!(
        group.selected(&other, "reportingController"),
        "example.com/ctl"
    );
    assert_eq!(
        kind("nodes").selected(&json!({}), "spec.unschedulable"),
        "false"
    );
    assert_eq!(
        kind("jobs").selected(&json!({"status": {"succeeded": 2}}), "status.successful"),
        "2"
    );
}
