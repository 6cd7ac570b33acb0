//! What is refused, and in which words.

use super::*;

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
