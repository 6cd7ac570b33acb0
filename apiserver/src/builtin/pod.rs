//! Pods, and the pod templates of every workload.

use serde_json::{Map, Value, json};

use super::Group;
use super::labels::entries;
use super::table::at;
use crate::schema::Cause;

pub(super) struct Pods;

impl Group for Pods {
    fn name(&self) -> (&'static str, &'static str) {
        ("", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn fill(&self, _kind: &str, object: &mut Value) {
        fill_spec(&mut object["spec"]);
        set_default(&mut object["spec"], "enableServiceLinks", json!(true));
        if let Some(ip) = object["status"]["podIP"]
            .as_str()
            .filter(|ip| !ip.is_empty())
            .map(str::to_owned)
            && object["status"]["podIPs"]
                .as_array()
                .is_none_or(Vec::is_empty)
        {
            object["status"]["podIPs"] = json!([{ "ip": ip }]);
        }
    }

    fn prepare_create(&self, _kind: &str, object: &mut Value) {
        let spec = &mut object["spec"];
        set_default(spec, "priority", json!(0));
        set_default(spec, "preemptionPolicy", json!("PreemptLowerPriority"));
        if spec.get("tolerations").is_none() {
            let toleration = |key: &str| json!({ "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 });
            spec["tolerations"] = json!([
                toleration("node.kubernetes.io/not-ready"),
                toleration("node.kubernetes.io/unreachable")
            ]);
        }
        object["status"] = json!({ "phase": "Pending", "qosClass": quality(&object["spec"]) });
    }

    fn prepare_update(&self, _kind: &str, object: &mut Value, old: &Value, subresource: &str) {
        if subresource == "status"
            && let Some(class) = old["status"].get("qosClass")
        {
            set_default(&mut object["status"], "qosClass", class.clone());
        }
    }

    fn check(&self, _kind: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        let mut causes = Vec::new();
        check_spec(&object["spec"], "spec", &mut causes);
        if let Some(old) = old
            && causes.is_empty()
        {
            check_change(&object["spec"], &old["spec"], &mut causes);
        }
        causes
    }

    fn cell(&self, _kind: &str, column: &str, object: &Value) -> Value {
        let statuses = || {
            object["status"]["containerStatuses"]
                .as_array()
                .into_iter()
                .flatten()
        };
        let or_none = |value: Option<&Value>| value.cloned().unwrap_or_else(|| json!("<none>"));
        match column {
            "Ready" => {
                let all = object["spec"]["containers"].as_array().map_or(0, Vec::len);
                let ready = statuses().filter(|status| status["ready"] == true).count();
                json!(format!("{ready}/{all}"))
            }
            "Status" if object["metadata"].get("deletionTimestamp").is_some() => {
                json!("Terminating")
            }
            "Status" => at(object, ".status.reason")
                .or(at(object, ".status.phase"))
                .cloned()
                .unwrap_or_default(),
            "Restarts" => {
                let count: i64 = statuses()
                    .filter_map(|status| status["restartCount"].as_i64())
                    .sum();
                json!(count.to_string())
            }
            "IP" => or_none(at(object, ".status.podIP")),
            "Node" => or_none(at(object, ".spec.nodeName")),
            "Nominated Node" => or_none(at(object, ".status.nominatedNodeName")),
            "Readiness Gates" => json!("<none>"),
            _ => Value::Null,
        }
    }
}

/// Puts a value in where there is none.
pub(super) fn set_default(parent: &mut Value, name: &str, value: Value) {
    if parent.is_null() {
        *parent = json!({});
    }
    if let Some(map) = parent.as_object_mut() {
        map.entry(name).or_insert(value);
    }
}

/// Computed defaults of a pod spec.
pub(super) fn fill_spec(spec: &mut Value) {
    for list in ["initContainers", "containers"] {
        for container in spec[list].as_array_mut().into_iter().flatten() {
            let policy = pull_policy(container["image"].as_str().unwrap_or_default());
            set_default(container, "imagePullPolicy", json!(policy));
            fill_resources(container);
            for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
                if container.get(name).is_some_and(Value::is_object) {
                    fill_probe(&mut container[name]);
                }
            }
        }
        if spec[list].is_null()
            && let Some(map) = spec.as_object_mut()
        {
            map.remove(list);
        }
    }
    if spec["hostNetwork"] == true {
        for port in spec["containers"].as_array_mut().into_iter().flatten() {
            for port in port["ports"].as_array_mut().into_iter().flatten() {
                let number = port["containerPort"].clone();
                set_default(port, "hostPort", number);
            }
        }
    }
    for volume in spec
        .get_mut("volumes")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        fill_volume(volume);
    }
}

fn pull_policy(image: &str) -> &'static str {
    let last = image.rsplit('/').next().unwrap_or_default();
    match last.split_once(':') {
        _ if last.contains('@') => "IfNotPresent",
        None | Some((_, "latest")) => "Always",
        Some(_) => "IfNotPresent",
    }
}

/// Limits without a request become requests.
fn fill_resources(container: &mut Value) {
    let limits: Vec<(String, Value)> = entries(&container["resources"]["limits"])
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for (name, value) in limits {
        set_default(&mut container["resources"], "requests", json!({}));
        set_default(&mut container["resources"]["requests"], &name, value);
    }
}

fn fill_probe(probe: &mut Value) {
    for (name, value) in [
        ("timeoutSeconds", 1),
        ("periodSeconds", 10),
        ("successThreshold", 1),
        ("failureThreshold", 3),
    ] {
        set_default(probe, name, json!(value));
    }
    if let Some(http) = probe.get_mut("httpGet") {
        set_default(http, "path", json!("/"));
        set_default(http, "scheme", json!("HTTP"));
    }
}

fn fill_volume(volume: &mut Value) {
    for (name, field, value) in [
        ("secret", "defaultMode", json!(420)),
        ("configMap", "defaultMode", json!(420)),
        ("downwardAPI", "defaultMode", json!(420)),
        ("projected", "defaultMode", json!(420)),
        ("hostPath", "type", json!("")),
    ] {
        if let Some(source) = volume.get_mut(name) {
            set_default(source, field, value);
        }
    }
    let sources = volume
        .get("projected")
        .and_then(|projected| projected["sources"].as_array())
        .is_some();
    if sources && let Some(list) = volume["projected"]["sources"].as_array_mut() {
        for source in list {
            if let Some(token) = source.get_mut("serviceAccountToken") {
                set_default(token, "expirationSeconds", json!(3600));
            }
        }
    }
    let kinds = volume.as_object().map_or(0, Map::len);
    if kinds == 1 {
        set_default(volume, "emptyDir", json!({}));
    }
}

/// The QoS class (`k8s.io/kubernetes/pkg/apis/core/v1/helper/qos`).
fn quality(spec: &Value) -> &'static str {
    let mut guaranteed = true;
    let mut any = false;
    for container in spec["containers"].as_array().into_iter().flatten() {
        let (requests, limits) = (
            &container["resources"]["requests"],
            &container["resources"]["limits"],
        );
        for resource in ["cpu", "memory"] {
            any |= requests.get(resource).is_some() || limits.get(resource).is_some();
            guaranteed &=
                limits.get(resource).is_some() && requests.get(resource) == limits.get(resource);
        }
    }
    match (any, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

/// Checks a pod spec at `path`.
pub(super) fn check_spec(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let containers = spec["containers"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    if containers.is_empty() {
        causes.push(Cause::required(format!("{path}.containers"), ""));
    }
    let mut names: Vec<&str> = Vec::new();
    for (list, required_image) in [("initContainers", true), ("containers", true)] {
        for (index, container) in spec[list].as_array().into_iter().flatten().enumerate() {
            let at = format!("{path}.{list}[{index}]");
            let name = container["name"].as_str().unwrap_or_default();
            if name.is_empty() {
                causes.push(Cause::required(format!("{at}.name"), ""));
            } else if names.contains(&name) {
                causes.push(Cause::duplicate(format!("{at}.name"), &json!(name)));
            }
            names.push(name);
            if required_image && container["image"].as_str().unwrap_or_default().is_empty() {
                causes.push(Cause::required(format!("{at}.image"), ""));
            }
        }
    }
    let policies = ["Always", "OnFailure", "Never"];
    if let Some(policy) = spec["restartPolicy"]
        .as_str()
        .filter(|policy| !policies.contains(policy))
    {
        let sorted = ["Always", "Never", "OnFailure"];
        causes.push(Cause::unsupported(
            format!("{path}.restartPolicy"),
            &json!(policy),
            sorted,
        ));
    }
}

/// Of a pod only images, a few times and added tolerations may change.
fn check_change(new: &Value, old: &Value, causes: &mut Vec<Cause>) {
    let strip = |spec: &Value| {
        let mut spec = spec.clone();
        for list in ["containers", "initContainers"] {
            for container in spec
                .get_mut(list)
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
            {
                if let Some(map) = container.as_object_mut() {
                    map.remove("image");
                    map.remove("imagePullPolicy");
                }
            }
        }
        if let Some(map) = spec.as_object_mut() {
            for name in [
                "activeDeadlineSeconds",
                "terminationGracePeriodSeconds",
                "tolerations",
                "schedulingGates",
            ] {
                map.remove(name);
            }
        }
        spec
    };
    if strip(new) != strip(old) {
        let detail = "pod updates may not change fields other than `spec.containers[*].image`,\
                      `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to \
                      existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was \
                      previously negative)";
        causes.push(Cause::forbidden("spec", detail));
    }
}

const TEXT: &str = include_str!("pod.txt");
