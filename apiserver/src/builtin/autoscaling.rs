//! HorizontalPodAutoscalers and the Scale object.

use serde_json::{Value, json};

use super::Group;
use super::pod::set_default;
use crate::schema::Cause;

pub(super) struct Autoscaling;

impl Group for Autoscaling {
    fn name(&self) -> (&'static str, &'static str) {
        ("autoscaling", "v2")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn fill(&self, _kind: &str, object: &mut Value) {
        let spec = &mut object["spec"];
        if spec
            .get("metrics")
            .and_then(Value::as_array)
            .is_none_or(Vec::is_empty)
        {
            let target = json!({ "type": "Utilization", "averageUtilization": 80 });
            spec["metrics"] =
                json!([{ "type": "Resource", "resource": { "name": "cpu", "target": target } }]);
        }
        let Some(behavior) = spec
            .get_mut("behavior")
            .filter(|behavior| behavior.is_object())
        else {
            return;
        };
        for (name, policies) in [
            (
                "scaleUp",
                json!([
                    { "type": "Pods", "value": 4, "periodSeconds": 15 },
                    { "type": "Percent", "value": 100, "periodSeconds": 15 }
                ]),
            ),
            (
                "scaleDown",
                json!([{ "type": "Percent", "value": 100, "periodSeconds": 15 }]),
            ),
        ] {
            let rules = &mut behavior[name];
            if name == "scaleUp" {
                set_default(rules, "stabilizationWindowSeconds", json!(0));
            }
            set_default(rules, "selectPolicy", json!("Max"));
            set_default(rules, "policies", policies);
        }
    }

    fn check(&self, _kind: &str, object: &Value, _old: Option<&Value>) -> Vec<Cause> {
        let mut causes = Vec::new();
        let spec = &object["spec"];
        let max = spec["maxReplicas"].as_i64().unwrap_or_default();
        let min = spec["minReplicas"].as_i64().unwrap_or(1);
        if min < 1 {
            causes.push(Cause::invalid(
                "spec.minReplicas",
                &json!(min),
                "must be greater than or equal to 1",
            ));
        }
        if max < 1 {
            causes.push(Cause::invalid(
                "spec.maxReplicas",
                &json!(max),
                "must be greater than 0",
            ));
        }
        if max < min {
            let detail = "must be greater than or equal to `minReplicas`";
            causes.push(Cause::invalid("spec.maxReplicas", &json!(max), detail));
        }
        for name in ["kind", "name"] {
            if spec["scaleTargetRef"][name]
                .as_str()
                .unwrap_or_default()
                .is_empty()
            {
                causes.push(Cause::required(format!("spec.scaleTargetRef.{name}"), ""));
            }
        }
        causes
    }

    fn cell(&self, _kind: &str, column: &str, object: &Value) -> Value {
        match column {
            "Reference" => {
                let target = &object["spec"]["scaleTargetRef"];
                let text = |name: &str| target[name].as_str().unwrap_or_default().to_owned();
                json!(format!("{}/{}", text("kind"), text("name")))
            }
            "Targets" => json!("<unknown>"),
            _ => Value::Null,
        }
    }
}

const TEXT: &str = r#"
kind HorizontalPodAutoscaler horizontalpodautoscalers short=hpa categories=all status
| Name string .metadata.name
| Reference string
| Targets string
| MinPods string .spec.minReplicas
| MaxPods string .spec.maxReplicas
| Replicas string .status.currentReplicas
| Age string age
HorizontalPodAutoscaler
  spec HorizontalPodAutoscalerSpec!
  status HorizontalPodAutoscalerStatus!
HorizontalPodAutoscalerSpec
  scaleTargetRef CrossVersionObjectReference!
  minReplicas int* =1
  maxReplicas int!
  metrics [MetricSpec] atomic
  behavior HorizontalPodAutoscalerBehavior
HorizontalPodAutoscalerBehavior
  scaleUp HPAScalingRules
  scaleDown HPAScalingRules
HPAScalingRules
  stabilizationWindowSeconds int*
  selectPolicy str*
  policies [HPAScalingPolicy] atomic
  tolerance qty
HPAScalingPolicy
  type str!
  value int!
  periodSeconds int!
CrossVersionObjectReference
  kind str!
  name str!
  apiVersion str
MetricSpec
  type str!
  object any
  pods any
  resource any
  containerResource any
  external any
HorizontalPodAutoscalerStatus
  observedGeneration long*
  lastScaleTime time
  currentReplicas int
  desiredReplicas int!
  currentMetrics [any]! atomic
  conditions [WorkloadCondition] key=type merge=type
Scale
  spec ScaleSpec
  status ScaleStatus
ScaleSpec
  replicas int
ScaleStatus
  replicas int!
  selector str
"#;
