//! Deployments, StatefulSets, DaemonSets, ReplicaSets, revisions.

use serde_json::{Value, json};

use super::Group;
use super::labels::check_workload;
use super::pod::{check_spec, fill_spec, set_default};
use super::table::{containers, selector_text};
use crate::schema::Cause;

pub(super) struct Apps;

impl Group for Apps {
    fn name(&self) -> (&'static str, &'static str) {
        ("apps", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn fill(&self, kind: &str, object: &mut Value) {
        if kind == "ControllerRevision" {
            return;
        }
        let spec = &mut object["spec"];
        fill_spec(&mut spec["template"]["spec"]);
        match kind {
            "Deployment" => fill_strategy(&mut spec["strategy"], &["maxUnavailable", "maxSurge"]),
            "DaemonSet" => fill_daemon_strategy(&mut spec["updateStrategy"]),
            "StatefulSet" => fill_stateful(spec),
            _ => {}
        }
    }

    fn prepare_create(&self, kind: &str, object: &mut Value) {
        match kind {
            "StatefulSet" | "ReplicaSet" => object["status"] = json!({ "replicas": 0 }),
            _ => {}
        }
        if kind == "StatefulSet" {
            object["status"]["availableReplicas"] = json!(0);
        }
    }

    fn check(&self, kind: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        let mut causes = Vec::new();
        if kind == "ControllerRevision" {
            return causes;
        }
        let spec = &object["spec"];
        if let Some(replicas) = spec["replicas"].as_i64().filter(|replicas| *replicas < 0) {
            causes.push(Cause::invalid(
                "spec.replicas",
                &json!(replicas),
                "must be greater than or equal to 0",
            ));
        }
        check_workload(spec, &mut causes);
        check_spec(&spec["template"]["spec"], "spec.template.spec", &mut causes);
        let policy = spec["template"]["spec"]["restartPolicy"]
            .as_str()
            .unwrap_or("Always");
        if matches!(policy, "OnFailure" | "Never") {
            causes.push(Cause::unsupported(
                "spec.template.spec.restartPolicy",
                &json!(policy),
                ["Always"],
            ));
        }
        if let Some(old) = old {
            check_change(kind, object, old, &mut causes);
        }
        causes
    }

    fn cell(&self, kind: &str, column: &str, object: &Value) -> Value {
        let status = |name: &str| object["status"][name].as_i64().unwrap_or_default();
        let template = &object["spec"]["template"]["spec"];
        match column {
            "Ready" if kind == "DaemonSet" => json!(status("numberReady")),
            "Ready" if kind == "ReplicaSet" => json!(status("readyReplicas")),
            "Ready" => {
                let wanted = object["spec"]["replicas"].as_i64().unwrap_or_default();
                json!(format!("{}/{wanted}", status("readyReplicas")))
            }
            "Containers" => containers(template, "name"),
            "Images" => containers(template, "image"),
            "Selector" => selector_text(&object["spec"]["selector"]),
            "Node Selector" => selector_text(&json!({ "matchLabels": template["nodeSelector"] })),
            "Controller" => {
                let owners = object["metadata"]["ownerReferences"]
                    .as_array()
                    .into_iter()
                    .flatten();
                let owner = owners.into_iter().find(|owner| owner["controller"] == true);
                let text = |owner: &Value| {
                    let kind = owner["kind"].as_str().unwrap_or_default().to_lowercase();
                    format!("{kind}.apps/{}", owner["name"].as_str().unwrap_or_default())
                };
                json!(owner.map_or_else(|| "<none>".to_owned(), text))
            }
            _ => Value::Null,
        }
    }
}

fn fill_strategy(strategy: &mut Value, bounds: &[&str]) {
    set_default(strategy, "type", json!("RollingUpdate"));
    if strategy["type"] == "RollingUpdate" {
        for bound in bounds {
            set_default(&mut strategy["rollingUpdate"], bound, json!("25%"));
        }
    }
}

fn fill_daemon_strategy(strategy: &mut Value) {
    set_default(strategy, "type", json!("RollingUpdate"));
    if strategy["type"] == "RollingUpdate" {
        set_default(&mut strategy["rollingUpdate"], "maxUnavailable", json!(1));
        set_default(&mut strategy["rollingUpdate"], "maxSurge", json!(0));
    }
}

fn fill_stateful(spec: &mut Value) {
    let strategy = &mut spec["updateStrategy"];
    set_default(strategy, "type", json!("RollingUpdate"));
    if strategy["type"] == "RollingUpdate" {
        set_default(&mut strategy["rollingUpdate"], "partition", json!(0));
    }
    let retention = &mut spec["persistentVolumeClaimRetentionPolicy"];
    set_default(retention, "whenDeleted", json!("Retain"));
    set_default(retention, "whenScaled", json!("Retain"));
    for claim in spec
        .get_mut("volumeClaimTemplates")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        set_default(claim, "apiVersion", json!("v1"));
        set_default(claim, "kind", json!("PersistentVolumeClaim"));
        set_default(&mut claim["spec"], "volumeMode", json!("Filesystem"));
        set_default(&mut claim["status"], "phase", json!("Pending"));
    }
}

fn check_change(kind: &str, object: &Value, old: &Value, causes: &mut Vec<Cause>) {
    let (spec, before) = (&object["spec"], &old["spec"]);
    if kind == "StatefulSet" {
        const MUTABLE: &[&str] = &[
            "replicas",
            "template",
            "updateStrategy",
            "persistentVolumeClaimRetentionPolicy",
            "minReadySeconds",
            "ordinals",
            "revisionHistoryLimit",
        ];
        let fixed = |spec: &Value| {
            let mut spec = spec.clone();
            if let Some(map) = spec.as_object_mut() {
                map.retain(|name, _| !MUTABLE.contains(&name.as_str()));
            }
            spec
        };
        if fixed(spec) != fixed(before) {
            let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', \
                          'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and \
                          'minReadySeconds' are forbidden";
            causes.push(Cause::forbidden("spec", detail));
        }
    } else if spec["selector"] != before["selector"] {
        causes.push(Cause::invalid(
            "spec.selector",
            &spec["selector"],
            "field is immutable",
        ));
    }
}

const TEXT: &str = r#"
kind Deployment deployments short=deploy categories=all status scale generation
| Name string .metadata.name
| Ready string
| Up-to-date integer .status.updatedReplicas
| Available integer .status.availableReplicas
| Age string age
| Containers string wide
| Images string wide
| Selector string wide
Deployment
  spec DeploymentSpec!
  status DeploymentStatus!
DeploymentSpec
  replicas int* =1
  selector LabelSelector
  template PodTemplateSpec!
  strategy DeploymentStrategy! retain
  minReadySeconds int
  revisionHistoryLimit int* =10
  paused bool
  progressDeadlineSeconds int* =600
DeploymentStrategy
  type str
  rollingUpdate RollingUpdate
RollingUpdate
  maxUnavailable ios
  maxSurge ios
  partition int*
DeploymentStatus
  observedGeneration long
  replicas int
  updatedReplicas int
  readyReplicas int
  availableReplicas int
  unavailableReplicas int
  terminatingReplicas int*
  conditions [DeploymentCondition] key=type merge=type
  collisionCount int*
DeploymentCondition
  type str!
  status str!
  lastUpdateTime time!
  lastTransitionTime time!
  reason str
  message str
WorkloadCondition
  type str!
  status str!
  lastTransitionTime time!
  reason str
  message str
kind StatefulSet statefulsets short=sts categories=all status scale generation
| Name string .metadata.name
| Ready string
| Age string age
| Containers string wide
| Images string wide
StatefulSet
  spec StatefulSetSpec!
  status StatefulSetStatus!
StatefulSetSpec
  replicas int* =1
  selector LabelSelector
  template PodTemplateSpec!
  volumeClaimTemplates [EmbeddedClaim] atomic
  serviceName str!
  podManagementPolicy str ="OrderedReady"
  updateStrategy UpdateStrategy!
  revisionHistoryLimit int* =10
  minReadySeconds int
  persistentVolumeClaimRetentionPolicy ClaimRetentionPolicy
  ordinals StatefulSetOrdinals
EmbeddedClaim
  apiVersion str
  kind str
  metadata ObjectMeta!
  spec PersistentVolumeClaimSpec!
  status PersistentVolumeClaimStatus!
UpdateStrategy
  type str
  rollingUpdate RollingUpdate
ClaimRetentionPolicy
  whenDeleted str
  whenScaled str
StatefulSetOrdinals
  start int!
StatefulSetStatus
  observedGeneration long
  replicas int!
  readyReplicas int
  currentReplicas int
  updatedReplicas int
  currentRevision str
  updateRevision str
  collisionCount int*
  conditions [WorkloadCondition] key=type merge=type
  availableReplicas int!
kind DaemonSet daemonsets short=ds categories=all status generation
| Name string .metadata.name
| Desired integer .status.desiredNumberScheduled
| Current integer .status.currentNumberScheduled
| Ready integer
| Up-to-date integer .status.updatedNumberScheduled
| Available integer .status.numberAvailable
| Node_Selector string
| Age string age
| Containers string wide
| Images string wide
| Selector string wide
DaemonSet
  spec DaemonSetSpec!
  status DaemonSetStatus!
DaemonSetSpec
  selector LabelSelector
  template PodTemplateSpec!
  updateStrategy UpdateStrategy!
  minReadySeconds int
  revisionHistoryLimit int* =10
DaemonSetStatus
  currentNumberScheduled int!
  numberMisscheduled int!
  desiredNumberScheduled int!
  numberReady int!
  observedGeneration long
  updatedNumberScheduled int
  numberAvailable int
  numberUnavailable int
  collisionCount int*
  conditions [WorkloadCondition] key=type merge=type
kind ReplicaSet replicasets short=rs categories=all status scale generation select=status.replicas
| Name string .metadata.name
| Desired integer .spec.replicas
| Current integer .status.replicas
| Ready integer
| Age string age
| Containers string wide
| Images string wide
| Selector string wide
ReplicaSet
  spec ReplicaSetSpec!
  status ReplicaSetStatus!
ReplicaSetSpec
  replicas int* =1
  minReadySeconds int
  selector LabelSelector
  template PodTemplateSpec!
ReplicaSetStatus
  replicas int!
  fullyLabeledReplicas int
  readyReplicas int
  availableReplicas int
  terminatingReplicas int*
  observedGeneration long
  conditions [WorkloadCondition] key=type merge=type
kind ControllerRevision controllerrevisions
| Name string .metadata.name
| Controller string
| Revision integer .revision
| Age string age
ControllerRevision
  data any
  revision long!
"#;
