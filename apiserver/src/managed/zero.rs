//! What an empty object of a kind looks like.
//!
//! The built-in kinds are Go structs, some of whose fields are never left out. Against such an empty object a new one
//! is compared, so nobody is recorded as owner of `spec` itself.

use serde_json::{Value, json};

/// The empty object of a kind; for custom resources there is nothing in it.
pub(super) fn object(api_version: &str, kind: &str) -> Value {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let template = || json!({"metadata": {}, "spec": {"containers": null}});
    match (group, kind) {
        (
            "",
            "Namespace" | "PersistentVolumeClaim" | "ResourceQuota" | "Node" | "PersistentVolume",
        )
        | ("networking.k8s.io", "Ingress")
        | ("policy", "PodDisruptionBudget")
        | ("", "LimitRange")
        | ("networking.k8s.io", "NetworkPolicy") => {
            json!({"metadata": {}, "spec": {}, "status": {}})
        }
        ("coordination.k8s.io", "Lease") => json!({"metadata": {}, "spec": {}}),
        ("", "Service") => json!({"metadata": {}, "spec": {}, "status": {"loadBalancer": {}}}),
        ("", "Pod") => json!({"metadata": {}, "spec": {"containers": null}, "status": {}}),
        ("", "Event") => json!({
            "metadata": {}, "involvedObject": {}, "source": {}, "firstTimestamp": null, "lastTimestamp": null,
            "eventTime": null, "reportingComponent": "", "reportingInstance": ""
        }),
        ("events.k8s.io", "Event") => json!({
            "metadata": {}, "eventTime": null, "regarding": {}, "deprecatedSource": {},
            "deprecatedFirstTimestamp": null, "deprecatedLastTimestamp": null
        }),
        ("apps", "Deployment") => json!({
            "metadata": {}, "spec": {"selector": null, "template": template(), "strategy": {}}, "status": {}
        }),
        ("apps", "StatefulSet") => json!({
            "metadata": {}, "status": {"replicas": 0, "availableReplicas": 0},
            "spec": {"selector": null, "template": template(), "serviceName": "", "updateStrategy": {}}
        }),
        ("apps", "DaemonSet") => json!({
            "metadata": {}, "spec": {"selector": null, "template": template(), "updateStrategy": {}},
            "status": {"currentNumberScheduled": 0, "numberMisscheduled": 0, "desiredNumberScheduled": 0, "numberReady": 0}
        }),
        ("apps", "ReplicaSet") => {
            json!({"metadata": {}, "spec": {"selector": null}, "status": {"replicas": 0}})
        }
        ("batch", "Job") => json!({"metadata": {}, "spec": {"template": template()}, "status": {}}),
        ("batch", "CronJob") => json!({
            "metadata": {}, "status": {},
            "spec": {
                "schedule": "", "concurrencyPolicy": "",
                "jobTemplate": {"metadata": {}, "spec": {"template": template()}}
            }
        }),
        ("rbac.authorization.k8s.io", "Role" | "ClusterRole") => {
            json!({"metadata": {}, "rules": null})
        }
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => {
            json!({"metadata": {}, "roleRef": {"apiGroup": "", "kind": "", "name": ""}})
        }
        ("autoscaling", "HorizontalPodAutoscaler") => json!({
            "metadata": {}, "status": {"desiredReplicas": 0, "currentMetrics": null},
            "spec": {"scaleTargetRef": {"kind": "", "name": ""}, "maxReplicas": 0}
        }),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => json!({
            "metadata": {},
            "spec": {"group": "", "names": {"plural": "", "kind": ""}, "scope": "", "versions": null},
            "status": {"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": null}
        }),
        _ => json!({"metadata": {}}),
    }
}
