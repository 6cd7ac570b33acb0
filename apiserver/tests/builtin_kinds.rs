//! Built-in kinds: discovery, defaults, normal forms, checks, table cells.
#![allow(clippy::unwrap_used)]

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
fn bodies_that_do_not_decode_are_refused() {
    for (plural, object, wanted) in [
        (
            "configmaps",
            json!({"data": {"a": 1}}),
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (
            "configmaps",
            json!({"binaryData": {"t": "%%"}}),
            "illegal base64 data at input byte 0",
        ),
        (
            "deployments",
            json!({"spec": {"replicas": "x"}}),
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            "leases",
            json!({"spec": {"renewTime": "2020-01-01T00:00:41Z"}}),
            "parsing time \"2020-01-01T00:00:41Z\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse \
             \"2020-01-01T00:00:41Z\" as \"2006\"",
        ),
    ] {
        let mut object = object;
        assert_eq!(kind(plural).decode(&mut object).unwrap_err(), wanted);
    }
    let mut unknown = json!({"dat": {}, "metadata": {"name": "a", "bogus": 1}});
    assert_eq!(
        kind("configmaps").decode(&mut unknown).unwrap(),
        ["dat", "metadata.bogus"]
    );
}

#[test]
fn invalid_objects_are_refused_with_the_texts_of_the_server() {
    let mut other = workload();
    other["spec"]["selector"]["matchLabels"]["app"] = json!("other");
    let mut negative = workload();
    negative["spec"]["replicas"] = json!(-1);
    for (plural, object, wanted) in [
        (
            "deployments",
            other,
            "spec.template.metadata.labels: Invalid value: {\"app\":\"d\"}: `selector` does not match template `labels`",
        ),
        (
            "deployments",
            negative,
            "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        ),
        ("pods", json!({}), "spec.containers: Required value"),
        ("services", json!({}), "spec.ports: Required value"),
        (
            "configmaps",
            json!({"data": {"t": "x"}, "binaryData": {"t": "AAEC"}}),
            "data[t]: Invalid value: \"t\": duplicate of key present in binaryData",
        ),
        (
            "secrets",
            json!({"type": "kubernetes.io/tls"}),
            "[data[tls.crt]: Required value, data[tls.key]: Required value]",
        ),
        (
            "leases",
            json!({"spec": {"leaseDurationSeconds": 0}}),
            "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
        ),
        (
            "events",
            json!({"involvedObject": {"namespace": "other"}}),
            "involvedObject.namespace: Invalid value: \"other\": does not match event.namespace",
        ),
    ] {
        assert_eq!(causes(plural, object), wanted);
    }
}

#[test]
fn what_is_fixed_cannot_change() {
    let immutable = created("configmaps", json!({"data": {"a": "1"}, "immutable": true}));
    let mut changed = immutable.clone();
    changed["data"]["a"] = json!("2");
    assert_eq!(
        causes_text(&kind("configmaps").validate(&changed, Some(&immutable))),
        "data: Forbidden: field is immutable when `immutable` is set"
    );
    let binding = created(
        "clusterrolebindings",
        json!({"kind": "ClusterRoleBinding", "roleRef": {"kind": "ClusterRole", "name": "a"}}),
    );
    let mut moved = binding.clone();
    moved["roleRef"]["name"] = json!("other");
    assert_eq!(
        causes_text(&kind("clusterrolebindings").validate(&moved, Some(&binding))),
        "roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"ClusterRole\",\
         \"Name\":\"other\"}: cannot change roleRef"
    );
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

/// Puts `odd` at every place of `object`, one after the other.
fn spoiled(object: &Value, odd: &Value) -> Vec<Value> {
    let mut all = vec![odd.clone()];
    match object {
        Value::Object(map) => {
            for (name, child) in map {
                for changed in spoiled(child, odd) {
                    let mut object = object.clone();
                    object[name] = changed;
                    all.push(object);
                }
            }
        }
        Value::Array(list) => {
            for (index, child) in list.iter().enumerate() {
                for changed in spoiled(child, odd) {
                    let mut object = object.clone();
                    object[index] = changed;
                    all.push(object);
                }
            }
        }
        _ => {}
    }
    all
}

#[test]
fn odd_values_are_refused_or_taken_but_never_a_panic() {
    let pod = json!({"initContainers": [{"name": "i"}], "hostNetwork": true, "volumes": [{"name": "v"},
        {"name": "p", "projected": {"sources": [{"serviceAccountToken": {}}]}}],
        "containers": [{"name": "c", "ports": [{"containerPort": 1}], "livenessProbe": {"httpGet": {"port": 1}},
                        "resources": {"limits": {"cpu": 1}}}]});
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": pod});
    let samples = [
        (
            "pods",
            json!({"spec": pod, "status": {"podIP": "1.1.1.1", "containerStatuses": [{"name": "c"}]}}),
        ),
        (
            "services",
            json!({"spec": {"ports": [{"port": 1}], "selector": {"a": "b"}, "sessionAffinity": "ClientIP"}}),
        ),
        (
            "deployments",
            json!({"spec": {"selector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a",
            "operator": "In", "values": ["b"]}]}, "template": template, "strategy": {"rollingUpdate": {}}}}),
        ),
        (
            "statefulsets",
            json!({"spec": {"template": template, "updateStrategy": {},
            "volumeClaimTemplates": [{"spec": {}}]}}),
        ),
        (
            "daemonsets",
            json!({"spec": {"template": template, "updateStrategy": {"rollingUpdate": {}}}}),
        ),
        (
            "jobs",
            json!({"spec": {"template": template}, "status": {"conditions": [{"type": "Complete"}]}}),
        ),
        (
            "cronjobs",
            json!({"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}}}),
        ),
        (
            "horizontalpodautoscalers",
            json!({"spec": {"metrics": [], "behavior": {"scaleUp": {}, "scaleDown": {}}}}),
        ),
        (
            "ingresses",
            json!({"spec": {"rules": [{"host": "h", "http": {"paths": [{"path": "/"}]}}]}}),
        ),
        (
            "rolebindings",
            json!({"roleRef": {"name": "r"}, "subjects": [{"kind": "User", "name": "u"}]}),
        ),
        (
            "roles",
            json!({"rules": [{"verbs": ["get"], "nonResourceURLs": ["/x"]}]}),
        ),
        (
            "secrets",
            json!({"data": {"a": "QQ=="}, "stringData": {"b": "c"}, "type": "kubernetes.io/tls"}),
        ),
        (
            "configmaps",
            json!({"data": {"a": "b"}, "binaryData": {"c": "QQ=="}}),
        ),
        (
            "events",
            json!({"involvedObject": {"name": "p"}, "source": {"component": "c"}}),
        ),
        (
            "endpointslices",
            json!({"addressType": "IPv4", "endpoints": [{"addresses": ["a"]}], "ports": [{"port": 1}]}),
        ),
        (
            "mutatingwebhookconfigurations",
            json!({"webhooks": [{"name": "a.b.c", "rules": [{"operations": []}]}]}),
        ),
        (
            "customresourcedefinitions",
            json!({"spec": {"group": "example.com", "names": {"plural": "as", "kind": "A",
            "shortNames": ["s"]}, "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {}}},
            "scope": "Cluster", "versions": [{"name": "v1", "storage": true, "served": true,
            "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.r"}},
            "additionalPrinterColumns": [{"name": "n", "priority": 0}], "selectableFields": [{"jsonPath": ".spec.a"}],
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
                "a": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}}},
                      "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
                "b": {"type": "integer", "default": 1, "anyOf": [{"minimum": 1}], "not": {"maximum": 0},
                      "x-kubernetes-validations": [{"rule": "self > 0"}]}}}}}}}]}}),
        ),
        (
            "leases",
            json!({"spec": {"renewTime": "2020-01-01T00:00:00.000000Z"}}),
        ),
        (
            "namespaces",
            json!({"spec": {"finalizers": ["kubernetes"]}}),
        ),
        (
            "nodes",
            json!({"spec": {}, "status": {"conditions": [{"type": "Ready"}]}}),
        ),
        (
            "persistentvolumeclaims",
            json!({"spec": {"accessModes": ["x"], "resources": {"requests": {"storage": 1}}}}),
        ),
    ];
    let now = "2020-01-01T00:00:00Z".parse().unwrap();
    let odd = [
        json!(null),
        json!("x"),
        json!(1),
        json!(-1.5),
        json!(true),
        json!([]),
        json!([null]),
        json!({}),
        json!({"a": null}),
        json!(["x"]),
        json!({"type": "x"}),
    ];
    let mut runs = 0;
    for (plural, sample) in &samples {
        let kind = kind(plural);
        for mut object in odd
            .iter()
            .flat_map(|odd| spoiled(sample, odd))
            .filter(Value::is_object)
        {
            object["metadata"] = json!({"name": "x", "namespace": "ns", "uid": "u"});
            runs += 1;
            if kind.decode(&mut object).is_err() {
                continue;
            }
            kind.default(&mut object);
            let mut updated = object.clone();
            kind.prepare_create(&mut object);
            kind.prepare_update(&mut updated, &object, "");
            kind.validate(&object, None);
            kind.validate(&updated, Some(&object));
            kind.warnings(&object);
            assert_eq!(kind.cells(&object, now).len(), kind.columns.len());
        }
    }
    assert!(runs > 1000, "{runs}");
}
